// SPDX-License-Identifier: BSD-3-Clause
//
// Distributions build libfabric with every provider, and some of them search at a high price for
// devices that this machine cannot have. Where the kernel shows no RDMA device at all, the search
// can find nothing, and libfabric is spared its costly parts. No provider is chosen or dropped
// here: each looks for its devices as ever, and finds none, as ever. CAUSEWAY_PROBE=all: nothing
// is spared.
//
// Measured with Debian's 1.17 on two busy cores: four PEs on two emulated nodes, a put and a
// barrier; medians of 21 runs in turn, the whole job:
//
//                                        wall       processor
//    nothing spared                    1516 ms         511 ms
//    stand-ins only                    1388 ms         478 ms
//    names hidden only                  264 ms          65 ms
//    both                                83 ms          33 ms
//
//   stand-ins  The libraries of two fabrics (psm, psm2) measure the clock for 0.1 s each when they
//              are loaded. Libraries without constructors (probe_psm.c) take their names.
//   names      The verbs provider reads all names of the kernel's functions, twice, before it looks
//              for devices. For the moment /proc/kallsyms does not exist for libfabric.
//   settings   Not for speed: libfabric asks for a hundred environment variables in a thread that
//              the program does not know of, while the program may call setenv, which frees what
//              getenv reads. So libfabric, and the library of verbs below it, read a copy that was
//              made when the job was joined (cwu_env_keep). What the constructors of libraries read
//              comes too early for that.
//
// The last two give one library another function in place of one that it calls, by storing its
// address in the entry of that library's own table (its global offset table) through which it
// calls. Calls of other libraries are not touched. Where there is no such entry (another processor,
// another way of linking), nothing happens.
#include "probe.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/env.h"
#include "base/install.h"

#define VERBS "libibverbs.so.1"
#define NAMES "/proc/kallsyms"

bool ofi_probe_is_short(void)
{
    if (strcmp(cwu_env.probe, "all") == 0 || access("/sys/class/net", F_OK) != 0)
        return false;  // the second: without sysfs there is no telling
    DIR *dir = opendir("/sys/class/infiniband");
    if (!dir)
        return errno == ENOENT;
    int entries = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        entries += entry->d_name[0] != '.';
    closedir(dir);
    return entries == 0;
}

// ---------------------------------------------------------------- stand-ins

static const char *const stand_ins[] = {"probe-psm.so", "probe-psm2.so"};
enum { STAND_INS = sizeof stand_ins / sizeof stand_ins[0] };

void *ofi_probe_load(const char *path)
{
    void *handles[STAND_INS] = {0};
    char file[PATH_MAX];
    // An MPI in this process may load the true libraries for itself: it must find them.
    bool short_search = ofi_probe_is_short() && !dlsym(RTLD_DEFAULT, "MPI_Initialized");
    for (int i = 0; i < STAND_INS && short_search; i++)
        if (cwu_install_find(stand_ins[i], file))
            handles[i] = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < STAND_INS; i++)
        if (handles[i])
            dlclose(handles[i]);  // libfabric keeps what it uses
    // should this libfabric want more of them than stands in for it: with all
    return library ? library : dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// ---------------------------------------------------------------- another function for one library

typedef void fn_t(void);

typedef struct diverted {
    fn_t **at;  // NULL: not diverted
    fn_t *old;
    bool shut;  // lies in pages that are read-only since the library was loaded
} diverted_t;

#if defined(__x86_64__)
#define IS_ENTRY(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_ENTRY(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_ENTRY(type) false
#endif

typedef struct relro {
    uintptr_t base, begin, end;
} relro_t;

static int find_relro(struct dl_phdr_info *info, size_t size, void *arg)
{
    relro_t *r = arg;
    (void)size;
    if (info->dlpi_addr != r->base)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
            r->begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            r->end = r->begin + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

/** What the dynamic section says of the tables. */
typedef struct tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    uintptr_t at[2], nbytes[2];  // relocations: data, calls
} tables_t;

static tables_t tables_of(const struct link_map *library)
{
    tables_t t = {0};
    for (const ElfW(Dyn) *d = library->l_ld; d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB:
            t.symbols = (const void *)d->d_un.d_ptr;
            break;
        case DT_STRTAB:
            t.strings = (const void *)d->d_un.d_ptr;
            break;
        case DT_RELA:
            t.at[0] = d->d_un.d_ptr;
            break;
        case DT_RELASZ:
            t.nbytes[0] = d->d_un.d_val;
            break;
        case DT_JMPREL:
            t.at[1] = d->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            t.nbytes[1] = d->d_un.d_val;
            break;
        }
    return t;
}

/** Where the library keeps the address of the function, or NULL. */
static fn_t **find_entry(const struct link_map *library, const char *function)
{
    tables_t t = tables_of(library);
    if (!t.symbols || !t.strings || (uintptr_t)t.strings <= library->l_addr)
        return NULL;
    for (int i = 0; i < 2; i++) {
        const ElfW(Rela) *r = (const void *)t.at[i];
        for (size_t n = r ? t.nbytes[i] / sizeof *r : 0; n > 0; n--, r++) {
            const char *name = t.strings + t.symbols[ELF64_R_SYM(r->r_info)].st_name;
            if (IS_ENTRY(ELF64_R_TYPE(r->r_info)) && strcmp(name, function) == 0)
                return (fn_t **)(library->l_addr + r->r_offset);
        }
    }
    return NULL;
}

static bool store(const diverted_t *d, fn_t *fn)
{
    uintptr_t page_nbytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)d->at & ~(page_nbytes - 1));
    if (d->shut && mprotect(page, page_nbytes, PROT_READ | PROT_WRITE))
        return false;
    __atomic_store_n(d->at, fn, __ATOMIC_RELEASE);
    if (d->shut)
        mprotect(page, page_nbytes, PROT_READ);
    return true;
}

/** library: as dlopen gave it; it must stay loaded. False: it does not call `name` through an entry
 *  that can be found. */
static bool divert(diverted_t *d, void *library, const char *name, fn_t *fn)
{
    struct link_map *map = NULL;
    *d = (diverted_t){0};
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) || !map || !(d->at = find_entry(map, name)))
        return false;
    relro_t relro = {.base = map->l_addr};
    dl_iterate_phdr(find_relro, &relro);
    d->shut = (uintptr_t)d->at >= relro.begin && (uintptr_t)d->at < relro.end;
    d->old = *d->at;
    if (!store(d, fn))
        d->at = NULL;
    return d->at != NULL;
}

static void restore(diverted_t *d)
{
    if (d->at)
        store(d, d->old);
    d->at = NULL;
}

// ---------------------------------------------------------------- names

typedef FILE *fopen_fn(const char *, const char *);
static diverted_t names;

static FILE *open_other(const char *path, const char *mode)
{
    if (strcmp(path, NAMES) == 0) {
        errno = ENOENT;
        return NULL;
    }
    return ((fopen_fn *)names.old)(path, mode);
}

void ofi_probe_hide_names(void *library)
{
    if (!divert(&names, library, "fopen", (fn_t *)open_other))
        divert(&names, library, "fopen64", (fn_t *)open_other);
}

void ofi_probe_show_names(void)
{
    restore(&names);
}

// ---------------------------------------------------------------- settings, and both

static void *verbs;
static diverted_t of_libfabric, of_verbs;

void ofi_probe_begin(void *libfabric)
{
    if (ofi_probe_is_short())
        ofi_probe_hide_names(libfabric);
    if (!cwu_env_is_kept())
        return;
    divert(&of_libfabric, libfabric, "getenv", (fn_t *)cwu_env_kept);
    verbs = dlopen(VERBS, RTLD_LAZY | RTLD_NOLOAD);
    if (verbs)
        divert(&of_verbs, verbs, "getenv", (fn_t *)cwu_env_kept);
}

void ofi_probe_end(void)
{
    restore(&of_libfabric);
    restore(&of_verbs);
    restore(&names);
    if (verbs)
        dlclose(verbs);
    verbs = NULL;
}
