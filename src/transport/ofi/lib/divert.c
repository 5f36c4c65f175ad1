// SPDX-License-Identifier: BSD-3-Clause
//
// Gives one library another function in place of one that it calls, by storing its address in the
// entry of that library's own table (its global offset table) through which it calls. Calls of
// other libraries are not touched. Where there is no such entry (another processor, another way of
// linking), nothing happens.
#include "divert.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
static ofi_fn_t **find_entry(const struct link_map *library, const char *function)
{
    tables_t t = tables_of(library);
    if (!t.symbols || !t.strings || (uintptr_t)t.strings <= library->l_addr)
        return NULL;
    for (int i = 0; i < 2; i++) {
        const ElfW(Rela) *r = (const void *)t.at[i];
        for (size_t n = r ? t.nbytes[i] / sizeof *r : 0; n > 0; n--, r++) {
            const char *name = t.strings + t.symbols[ELF64_R_SYM(r->r_info)].st_name;
            if (IS_ENTRY(ELF64_R_TYPE(r->r_info)) && strcmp(name, function) == 0)
                return (ofi_fn_t **)(library->l_addr + r->r_offset);
        }
    }
    return NULL;
}

static bool store(const ofi_diverted_t *d, ofi_fn_t *fn)
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

bool ofi_divert(ofi_diverted_t *d, void *library, const char *name, ofi_fn_t *fn)
{
    struct link_map *map = NULL;
    *d = (ofi_diverted_t){0};
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

void ofi_restore(ofi_diverted_t *d)
{
    if (d->at)
        store(d, d->old);
    d->at = NULL;
}
