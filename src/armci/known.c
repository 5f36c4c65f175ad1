// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: the blocks that all members of a group have been given at once, with their sizes
// and where the program asked for them. Each process knows those of all members, in one table
// sorted by process and address; freed ones stay until their place is another block's. Blocks of
// ARMCI_Memget are known to their process alone, so an address in no block passes.
#include <stdlib.h>
#include <string.h>

#include "armci/aci.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/symbol.h"
#include "core/mem/arena.h"

typedef struct known {
    int proc;
    bool freed;
    uintptr_t base;
    size_t nbytes;
    const char *call;   // that gave it
    const void *place;  // of the program
} known_t;

static struct {
    cwu_lock_t lock;  // guards the rest
    known_t *blocks;
    size_t n, room;
} table;

/** The first entry that does not lie before that address of that process. */
static size_t position_of(int proc, uintptr_t base)
{
    size_t low = 0, high = table.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const known_t *k = &table.blocks[middle];
        if (k->proc < proc || (k->proc == proc && k->base < base))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** The last entry of that process that begins at or before the address; NULL: none. */
static known_t *block_before(int proc, uintptr_t address)
{
    size_t at = position_of(proc, address);
    if (at < table.n && table.blocks[at].proc == proc && table.blocks[at].base == address)
        return &table.blocks[at];
    return at > 0 && table.blocks[at - 1].proc == proc ? &table.blocks[at - 1] : NULL;
}

static bool overlap(const known_t *a, const known_t *b)
{
    return a->proc == b->proc && a->base < b->base + b->nbytes && b->base < a->base + a->nbytes;
}

static void insert(const known_t *new)
{
    size_t first = position_of(new->proc, new->base), last;
    if (first > 0 && overlap(&table.blocks[first - 1], new))
        first--;
    for (last = first; last < table.n && overlap(&table.blocks[last], new); last++)
        ;  // freed ones, whose place this is now
    if (last == first && table.n == table.room) {
        table.room = 2 * table.room + 64;
        table.blocks = realloc(table.blocks, table.room * sizeof *table.blocks);
        if (!table.blocks)
            cwu_fatal("%s: out of memory for the table of checked blocks", new->call);
    }
    memmove(&table.blocks[first + 1], &table.blocks[last], (table.n - last) * sizeof *new);
    table.blocks[first] = *new;
    table.n += 1 - (last - first);
}

void aci_known_add(const char *call, const void *place, const cw_group_t *group,
                   void *const bases[], size_t nbytes)
{
    uintptr_t *sizes = malloc((size_t)group->size * sizeof *sizes);
    if (!sizes)
        cwu_fatal("%s: out of memory for the sizes of %d blocks", call, group->size);
    aci_exchange(group, nbytes, sizes);
    cwu_lock(&table.lock);
    for (int rank = 0; rank < group->size; rank++)
        if (bases[rank])
            insert(&(known_t){cw_group_pe(group, rank), false, (uintptr_t)bases[rank], sizes[rank],
                              call, place});
    cwu_unlock(&table.lock);
    free(sizes);
}

void aci_known_free(const char *call, const cw_group_t *group, const void *ptr)
{
    uintptr_t *bases = malloc((size_t)group->size * sizeof *bases);
    if (!bases)
        cwu_fatal("%s: out of memory for the addresses of %d blocks", call, group->size);
    aci_exchange(group, (uintptr_t)ptr, bases);
    cwu_lock(&table.lock);
    for (int rank = 0; rank < group->size; rank++) {
        known_t *k = bases[rank] ? block_before(cw_group_pe(group, rank), bases[rank]) : NULL;
        if (k && k->base == bases[rank])
            k->freed = true;
    }
    cwu_unlock(&table.lock);
    free(bases);
}

/** No other block begins in the last line of one. */
static uint64_t whole_lines(size_t nbytes)
{
    return (nbytes + CW_ARENA_LINE - 1) & ~(uint64_t)(CW_ARENA_LINE - 1);
}

void aci_known_check(const char *call, int proc, const void *addr, size_t nbytes)
{
    char place[160];
    uintptr_t at = (uintptr_t)addr;
    cwu_lock(&table.lock);
    const known_t *found = block_before(proc, at);
    const known_t k = found ? *found : (known_t){0};
    cwu_unlock(&table.lock);
    uint64_t from = at - k.base;
    if (!found || from >= whole_lines(k.nbytes) || (!k.freed && from + nbytes <= k.nbytes))
        return;
    cwu_symbol_describe(k.place, place, sizeof place);
    if (k.freed)
        aci_fail(call,
                 "%zu bytes at %p are in a block of process %d that was freed; %s gave its %zu "
                 "bytes at %s",
                 nbytes, addr, proc, k.call, k.nbytes, place);
    aci_fail(call,
             "%zu bytes at %p of process %d reach %zu bytes beyond the end of their block, which "
             "has %zu; %s gave it at %s",
             nbytes, addr, proc, from + nbytes - k.nbytes, k.nbytes, k.call, place);
}

void aci_known_close(void)
{
    free(table.blocks);
    table.blocks = NULL;
    table.n = table.room = 0;
}
