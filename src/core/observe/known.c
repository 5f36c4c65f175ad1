// SPDX-License-Identifier: BSD-3-Clause
//
// One table of blocks, sorted by space and address.
#include "core/observe/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dwarf/extent.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/symbol.h"
#include "core/mem/arena.h"
#include "core/world/world.h"

static struct {
    cwu_lock_t lock;  // guards the rest
    cw_known_t *blocks;
    size_t n, room;
} table;

/** The first entry that does not lie before that address of that space. */
static size_t position_of(int64_t space, uintptr_t base)
{
    size_t low = 0, high = table.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const cw_known_t *k = &table.blocks[middle];
        if (k->space < space || (k->space == space && k->base < base))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static cw_known_t *block_before(int64_t space, uintptr_t address)
{
    size_t at = position_of(space, address);
    if (at < table.n && table.blocks[at].space == space && table.blocks[at].base == address)
        return &table.blocks[at];
    return at > 0 && table.blocks[at - 1].space == space ? &table.blocks[at - 1] : NULL;
}

static bool overlap(const cw_known_t *a, const cw_known_t *b)
{
    return a->space == b->space &&
           (a->base == b->base || (a->base < b->base + b->nbytes && b->base < a->base + a->nbytes));
}

void cw_known_add(const cw_known_t *new)
{
    cwu_lock(&table.lock);
    size_t first = position_of(new->space, new->base), last;
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
    cwu_unlock(&table.lock);
}

void cw_known_free(int64_t space, uintptr_t base)
{
    cwu_lock(&table.lock);
    cw_known_t *k = block_before(space, base);
    if (k && k->base == base)
        k->freed = true;
    cwu_unlock(&table.lock);
}

bool cw_known_find(int64_t space, uintptr_t address, cw_known_t *block_p)
{
    cwu_lock(&table.lock);
    const cw_known_t *found = block_before(space, address);
    if (found)
        *block_p = *found;
    cwu_unlock(&table.lock);
    return found != NULL;
}

/** No other block begins in the last line of one. */
static uint64_t whole_lines(size_t nbytes)
{
    return (nbytes + CW_ARENA_LINE - 1) & ~(uint64_t)(CW_ARENA_LINE - 1);
}

static CW_COLD void describe(const cw_known_t *k, uint64_t from, size_t nbytes, char *text,
                             size_t text_nbytes)
{
    char place[160];
    cwu_symbol_describe(k->place, place, sizeof place);
    if (k->freed)
        snprintf(text, text_nbytes, "are in a block that was freed; %s gave its %zu bytes at %s",
                 k->call, k->nbytes, place);
    else
        snprintf(text, text_nbytes,
                 "reach %zu bytes beyond the end of their block, which has %zu; %s gave it at %s",
                 (size_t)(from + nbytes - k->nbytes), k->nbytes, k->call, place);
}

bool cw_known_wrong(int64_t space, uintptr_t address, size_t nbytes, char *text, size_t text_nbytes)
{
    cw_known_t k;
    if (nbytes == 0 || !cw_known_find(space, address, &k))
        return false;
    uint64_t from = address - k.base;
    if (from >= whole_lines(k.nbytes) ||
        (!k.freed && from <= k.nbytes && nbytes <= k.nbytes - from))
        return false;
    describe(&k, from, nbytes, text, text_nbytes);
    return true;
}

bool cw_known_wrong_static(const void *address, size_t nbytes, char *text, size_t text_nbytes)
{
    cwu_extent_t variable;
    if (nbytes == 0 || !cwu_extent_find((uintptr_t)address, &variable))
        return false;
    size_t room = variable.start + variable.nbytes - (uintptr_t)address;
    if (nbytes > room)
        snprintf(text, text_nbytes, "reach %zu bytes beyond the end of static %s, which has %zu",
                 nbytes - room, variable.name, variable.nbytes);
    return nbytes > room;
}

bool cw_known_wrong_here(const void *address, size_t nbytes, char *text, size_t text_nbytes)
{
    return cw_known_wrong(cw_world.pe, (uintptr_t)address, nbytes, text, text_nbytes) ||
           cw_known_wrong_static(address, nbytes, text, text_nbytes);
}

void cw_known_close(void)
{
    free(table.blocks);
    table.blocks = NULL;
    table.n = table.room = 0;
}
