// SPDX-License-Identifier: BSD-3-Clause
//
// The list of the kernel's names is hidden by giving libfabric another fopen for the moment: in the slot of its own table
// through which it calls that function. Nobody else's calls are touched, and its own ones for other files do what they did.
#include "absent.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/install.h"
#include "ofi.h"

bool ofi_absent_rdma(void)
{
    if (strcmp(cwu_env.probe, "all") == 0 || access("/sys/class/net", F_OK) != 0)
        return false;  // the second: no sysfs here, so who knows
    DIR *dir = opendir("/sys/class/infiniband");
    if (!dir)
        return errno == ENOENT;
    int entries = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        entries += entry->d_name[0] != '.';
    closedir(dir);
    return entries == 0;
}

// ---------------------------------------------------------------- libraries

static const char *const stand_ins[OFI_STAND_INS] = {"absent-psm.so", "absent-psm2.so"};

void ofi_stand_ins_load(void *handles[OFI_STAND_INS])
{
    char path[PATH_MAX];
    // An MPI in this process may load the true libraries for itself: it shall find them.
    bool alone = !dlsym(RTLD_DEFAULT, "MPI_Initialized");
    for (int i = 0; i < OFI_STAND_INS; i++)
        handles[i] = alone && cwu_install_find(stand_ins[i], path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

void ofi_stand_ins_drop(void *handles[OFI_STAND_INS])
{
    for (int i = 0; i < OFI_STAND_INS; i++)
        if (handles[i])
            dlclose(handles[i]);
}

// ---------------------------------------------------------------- the list of names

typedef FILE *fopen_fn(const char *, const char *);

static struct {
    fopen_fn **slot, *old;
    const struct link_map *library;
    uintptr_t relro, relro_end;  // of the library: pages that are read-only since it was loaded
} hidden;

static FILE *open_other(const char *path, const char *mode)
{
    if (strcmp(path, "/proc/kallsyms") == 0) {
        errno = ENOENT;
        return NULL;
    }
    return hidden.old(path, mode);
}

static int find_relro(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    if (info->dlpi_addr != hidden.library->l_addr)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
            hidden.relro = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            hidden.relro_end = hidden.relro + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

#if defined(__x86_64__)
#define SLOT_TYPES(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define SLOT_TYPES(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define SLOT_TYPES(type) false
#endif

/** Where the library keeps the address of fopen, or NULL. */
static fopen_fn **find_slot(const struct link_map *library)
{
    uintptr_t tables[2] = {0}, nbytes[2] = {0};
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    for (const ElfW(Dyn) *d = library->l_ld; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            symbols = (const void *)d->d_un.d_ptr;
            break;
        case DT_STRTAB:
            strings = (const void *)d->d_un.d_ptr;
            break;
        case DT_RELA:
            tables[0] = d->d_un.d_ptr;
            break;
        case DT_RELASZ:
            nbytes[0] = d->d_un.d_val;
            break;
        case DT_JMPREL:
            tables[1] = d->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            nbytes[1] = d->d_un.d_val;
            break;
        }
    }
    for (int t = 0; t < 2 && symbols && strings && (uintptr_t)strings > library->l_addr; t++) {
        const ElfW(Rela) *r = (const void *)tables[t];
        for (size_t n = r ? nbytes[t] / sizeof *r : 0; n > 0; n--, r++) {
            const char *name = strings + symbols[ELF64_R_SYM(r->r_info)].st_name;
            if (SLOT_TYPES(ELF64_R_TYPE(r->r_info)) && (strcmp(name, "fopen") == 0 || strcmp(name, "fopen64") == 0))
                return (fopen_fn **)(library->l_addr + r->r_offset);
        }
    }
    return NULL;
}

static bool store(fopen_fn *fn)
{
    uintptr_t page_nbytes = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)hidden.slot;
    void *page = (void *)(at & ~(page_nbytes - 1));
    bool is_shut = at >= hidden.relro && at < hidden.relro_end;
    if (is_shut && mprotect(page, page_nbytes, PROT_READ | PROT_WRITE))
        return false;
    __atomic_store_n(hidden.slot, fn, __ATOMIC_RELEASE);
    if (is_shut)
        mprotect(page, page_nbytes, PROT_READ);
    return true;
}

void ofi_names_hide(void *libfabric)
{
    struct link_map *library = NULL;
    memset(&hidden, 0, sizeof hidden);
    if (dlinfo(libfabric, RTLD_DI_LINKMAP, &library) || !library)
        return;
    hidden.library = library;
    dl_iterate_phdr(find_relro, NULL);
    hidden.slot = find_slot(library);
    if (!hidden.slot)
        return;
    hidden.old = *hidden.slot;
    if (!store(open_other))
        hidden.slot = NULL;
}

void ofi_names_show(void)
{
    if (hidden.slot)
        store(hidden.old);
    hidden.slot = NULL;
}
