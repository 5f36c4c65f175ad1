// SPDX-License-Identifier: BSD-3-Clause
#include "slot.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define SLOT_TYPES(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define SLOT_TYPES(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define SLOT_TYPES(type) false
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

/** Where the library keeps the address of the function, or NULL. */
static ofi_fn_t **find_slot(const struct link_map *library, const char *function)
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
            if (SLOT_TYPES(ELF64_R_TYPE(r->r_info)) && strcmp(name, function) == 0)
                return (ofi_fn_t **)(library->l_addr + r->r_offset);
        }
    }
    return NULL;
}

static bool store(const ofi_slot_t *slot, ofi_fn_t *fn)
{
    uintptr_t page_nbytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot->at & ~(page_nbytes - 1));
    if (slot->shut && mprotect(page, page_nbytes, PROT_READ | PROT_WRITE))
        return false;
    __atomic_store_n(slot->at, fn, __ATOMIC_RELEASE);
    if (slot->shut)
        mprotect(page, page_nbytes, PROT_READ);
    return true;
}

bool ofi_slot_divert(ofi_slot_t *slot, void *library, const char *name, ofi_fn_t *fn)
{
    struct link_map *map = NULL;
    memset(slot, 0, sizeof *slot);
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) || !map || !(slot->at = find_slot(map, name)))
        return false;
    relro_t relro = {.base = map->l_addr};
    dl_iterate_phdr(find_relro, &relro);
    slot->shut = (uintptr_t)slot->at >= relro.begin && (uintptr_t)slot->at < relro.end;
    slot->old = *slot->at;
    if (!store(slot, fn))
        slot->at = NULL;
    return slot->at;
}

void ofi_slot_restore(ofi_slot_t *slot)
{
    if (slot->at)
        store(slot, slot->old);
    slot->at = NULL;
}
