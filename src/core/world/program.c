// SPDX-License-Identifier: BSD-3-Clause
//
// Does the program call routines of a front end, itself or in a library of its own? Static data
// must be symmetric for one with symmetric data though another joins the job; one with an area
// needs its place from the start. Linked with the shared library, such routines are undefined
// symbols of what calls them; linked with the archive, the front end is there only if it is called.
#include <elf.h>
#include <link.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/world/front_end.h"
#include "core/world/loaded.h"

typedef struct symbols {
    const ElfW(Sym) * table;
    const char *strings;
    uint32_t count;  // undefined symbols come before this index
} symbols_t;

static symbols_t symbols_of(const struct dl_phdr_info *info, const ElfW(Dyn) * dyn)
{
    symbols_t s = {NULL, NULL, 0};
    for (const ElfW(Dyn) *d = dyn; d->d_tag != DT_NULL; d++) {
        uintptr_t at = cw_loaded_pointer(info, d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            s.table = (const ElfW(Sym) *)at;
        else if (d->d_tag == DT_STRTAB)
            s.strings = (const char *)at;
        else if (d->d_tag == DT_GNU_HASH && s.count == 0)
            // the first symbol that is hashed, which means defined
            s.count = ((const uint32_t *)at)[1];
        else if (d->d_tag == DT_HASH)
            s.count = ((const uint32_t *)at)[1];  // all
    }
    return s;
}

/** A routine, or the name with a p in front by which tools call it. */
static bool is_named(const char *symbol)
{
    return cw_is_named_routine(symbol + (symbol[0] == 'p'));
}

typedef struct finding {
    bool (*is_routine)(const char *symbol);
    bool uses, in_program;
    bool past_program;  // the main program comes first
} finding_t;

static int examine(struct dl_phdr_info *info, size_t size, void *arg)
{
    finding_t *found = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + ph->p_vaddr, here = (uintptr_t)&examine;
        if (ph->p_type == PT_LOAD && here - at < ph->p_memsz)
            found->in_program |= !found->past_program;
        if (ph->p_type != PT_DYNAMIC)
            continue;
        symbols_t s = symbols_of(info, (const ElfW(Dyn) *)at);
        for (uint32_t k = 1; s.table && s.strings && k < s.count; k++)
            if (s.table[k].st_shndx == SHN_UNDEF &&
                found->is_routine(s.strings + s.table[k].st_name))
                found->uses = true;
    }
    found->past_program = true;
    return found->uses || found->in_program;
}

bool cw_program_uses(bool (*is_routine)(const char *symbol))
{
    finding_t found = {.is_routine = is_routine};
    dl_iterate_phdr(examine, &found);
    return found.in_program || found.uses;
}

static int examine_program(struct dl_phdr_info *info, size_t size, void *arg)
{
    examine(info, size, arg);
    return 1;  // it comes first
}

bool cw_program_calls(bool (*is_named)(const char *symbol))
{
    finding_t found = {.is_routine = is_named};
    dl_iterate_phdr(examine_program, &found);
    return found.uses;
}

bool cw_program_uses_named_routines(void)
{
    return cw_has_named_routines() && cw_program_uses(is_named);
}
