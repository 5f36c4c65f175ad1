// SPDX-License-Identifier: BSD-3-Clause
//
// Does the program call routines of a front end, itself or in a library of its own? Then static
// data must be symmetric, or an area have its place, whichever front end joins. Such routines are
// undefined symbols of their callers; an archive brings the front end only if it is called.
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "core/world/front_end.h"
#include "core/world/loaded.h"

typedef struct symbols {
    const ElfW(Sym) * table;
    const char *strings;
    size_t strings_nbytes;
    uint32_t count;  // undefined symbols come before this index
    // NULL: none; else of each symbol, and those of other objects
    const ElfW(Half) * versions;
    const ElfW(Verneed) * needs;
    size_t nneeds;
} symbols_t;

/** Symbols before it are undefined. 0: the table is empty, and linkers then write any number. */
static uint32_t first_hashed(const uint32_t *table)
{
    const uint32_t nbuckets = table[0], first = table[1], filter_words = table[2];
    const uint32_t *buckets = table + 4 + filter_words * (sizeof(ElfW(Addr)) / sizeof *table);
    return nbuckets == 1 && buckets[0] == 0 ? 0 : first;
}

/** At most: up to the table that lies next, the strings or, from some linkers, the versions. */
static uint32_t count_of(const struct dl_phdr_info *info, const ElfW(Dyn) * dyn, const symbols_t *s)
{
    const uintptr_t from = (uintptr_t)s->table;
    uintptr_t end = UINTPTR_MAX;
    for (const ElfW(Dyn) *d = dyn; d->d_tag != DT_NULL; d++) {
        const bool is_table = d->d_tag == DT_STRTAB || d->d_tag == DT_VERSYM ||
                              d->d_tag == DT_VERNEED || d->d_tag == DT_VERDEF ||
                              d->d_tag == DT_GNU_HASH || d->d_tag == DT_RELA ||
                              d->d_tag == DT_REL || d->d_tag == DT_JMPREL;
        const uintptr_t at = is_table ? cw_loaded_pointer(info, d->d_un.d_ptr) : 0;
        if (at > from && at < end)
            end = at;
    }
    return end < UINTPTR_MAX ? (uint32_t)((end - from) / sizeof *s->table) : 0;
}

static symbols_t symbols_of(const struct dl_phdr_info *info, const ElfW(Dyn) * dyn)
{
    symbols_t s = {0};
    uint32_t hashed = 0;
    for (const ElfW(Dyn) *d = dyn; d->d_tag != DT_NULL; d++) {
        uintptr_t at = cw_loaded_pointer(info, d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            s.table = (const ElfW(Sym) *)at;
        else if (d->d_tag == DT_STRSZ)
            s.strings_nbytes = d->d_un.d_val;
        else if (d->d_tag == DT_STRTAB)
            s.strings = (const char *)at;
        else if (d->d_tag == DT_VERSYM)
            s.versions = (const ElfW(Half) *)at;
        else if (d->d_tag == DT_VERNEED)
            s.needs = (const ElfW(Verneed) *)at;
        else if (d->d_tag == DT_VERNEEDNUM)
            s.nneeds = d->d_un.d_val;
        else if (d->d_tag == DT_GNU_HASH)
            hashed = first_hashed((const uint32_t *)at);
        else if (d->d_tag == DT_HASH)
            s.count = ((const uint32_t *)at)[1];  // all
    }
    if (hashed)
        s.count = hashed;
    else if (s.count == 0 && s.table)
        s.count = count_of(info, dyn, &s);
    return s;
}

#define OURS "CAUSEWAY_"  // how versions of this library's names begin

/** Bit i: version i is another library's, mostly the C library's: these need no look. */
static uint64_t foreign_versions(const symbols_t *s)
{
    uint64_t foreign = 0;
    const char *at = s->versions ? (const char *)s->needs : NULL;
    for (size_t n = 0; at && n < s->nneeds; n++) {
        const ElfW(Verneed) *need = (const void *)at;
        const char *version_at = at + need->vn_aux;
        for (int i = 0; i < need->vn_cnt; i++) {
            const ElfW(Vernaux) *version = (const void *)version_at;
            if (version->vna_other < 64 &&
                strncmp(s->strings + version->vna_name, OURS, strlen(OURS)) != 0)
                foreign |= UINT64_C(1) << version->vna_other;
            version_at += version->vna_next;
        }
        at += need->vn_next;
    }
    return foreign;
}

/** Or with a p in front, by which tools call it. */
static bool is_named(const char *symbol)
{
    return cw_is_named_routine(symbol + (symbol[0] == 'p'));
}

// Names that the process's objects lack, but for those with versions of others. The first question
// of a start makes the list; others read it, while no object comes or goes.
typedef struct lacking {
    unsigned long long adds, subs;  // of objects, when it was made
    bool in_program;
    unsigned n;  // 0: not made; beyond the room: each question looks at all objects
    const char *names[60];  // in those objects
} lacking_t;
enum { LACKING_MOST = sizeof((lacking_t){0}.names) / sizeof(char *) };
static lacking_t lacking;                      // of the thread that has set `asking`
static atomic_flag asking = ATOMIC_FLAG_INIT;  // acquire and release order its holders

typedef struct finding {
    bool (*is_routine)(const char *symbol);
    bool of_any_library;  // not of this one alone
    bool uses, in_program;
    bool past_program;  // the main program comes first
    lacking_t *kept;    // NULL, or for the next question: looks at all objects
} finding_t;

static void examine_name(finding_t *found, const char *name)
{
    if (!found->uses && found->is_routine(name))
        found->uses = true;
    if (!found->kept)
        return;
    if (found->kept->n < LACKING_MOST)
        found->kept->names[found->kept->n] = name;
    found->kept->n++;
}

static void examine_symbols(finding_t *found, const symbols_t *s)
{
    const uint64_t foreign = found->of_any_library ? 0 : foreign_versions(s);
    for (uint32_t k = 1; k < s->count; k++) {
        if (s->table[k].st_shndx != SHN_UNDEF || s->table[k].st_name >= s->strings_nbytes)
            continue;
        unsigned version = foreign ? s->versions[k] : 0;
        if (version >= 64 || !(foreign >> version & 1))
            examine_name(found, s->strings + s->table[k].st_name);
    }
}

/** By the list, if it is that of these objects; else begins one. */
static bool is_known(finding_t *found, const struct dl_phdr_info *info)
{
    lacking_t *kept = found->kept;
    if (kept->n == 0 || kept->n > LACKING_MOST || kept->adds != info->dlpi_adds ||
        kept->subs != info->dlpi_subs) {
        *kept = (lacking_t){.adds = info->dlpi_adds, .subs = info->dlpi_subs};
        return false;
    }
    found->in_program = kept->in_program;
    for (unsigned i = 0; i < kept->n && !found->uses; i++)
        found->uses = found->is_routine(kept->names[i]);
    return true;
}

static int examine(struct dl_phdr_info *info, size_t size, void *arg)
{
    finding_t *found = arg;
    bool is_mine = false;
    (void)size;
    if (found->kept && !found->past_program && is_known(found, info))
        return 1;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + ph->p_vaddr, here = (uintptr_t)&examine;
        if (ph->p_type == PT_LOAD && here - at < ph->p_memsz)
            is_mine = true;
        if (ph->p_type != PT_DYNAMIC || (is_mine && found->past_program))
            continue;  // what this library lacks, the program does not call
        symbols_t s = symbols_of(info, (const ElfW(Dyn) *)at);
        if (s.table && s.strings)
            examine_symbols(found, &s);
    }
    if (!found->past_program)
        found->in_program = is_mine;
    found->past_program = true;
    if (found->kept)
        found->kept->in_program = found->in_program;
    return !found->kept && (found->uses || found->in_program);
}

bool cw_program_uses(bool (*is_routine)(const char *symbol))
{
    finding_t found = {.is_routine = is_routine};
    const bool alone = !atomic_flag_test_and_set_explicit(&asking, memory_order_acquire);
    if (alone)
        found.kept = &lacking;
    dl_iterate_phdr(examine, &found);
    if (alone)
        atomic_flag_clear_explicit(&asking, memory_order_release);
    return found.in_program || found.uses;
}

static int examine_program(struct dl_phdr_info *info, size_t size, void *arg)
{
    examine(info, size, arg);
    return 1;  // it comes first
}

bool cw_program_calls(bool (*is_named)(const char *symbol))
{
    finding_t found = {.is_routine = is_named, .of_any_library = true};
    dl_iterate_phdr(examine_program, &found);
    return found.uses;
}

bool cw_program_uses_named_routines(void)
{
    return cw_has_named_routines() && cw_program_uses(is_named);
}
