// SPDX-License-Identifier: BSD-3-Clause
//
// A table of blocks, sorted by space and address.
#include "core/observe/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dwarf/extent.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/symbol.h"
#include "core/mem/arena.h"
#include "core/mem/segment.h"
#include "core/world/world.h"

static struct {
    cwu_lock_t lock;  // guards the rest
    cw_known_t *blocks;
    size_t n, room;
    size_t ended;  // objects freed since these were last forgotten
} table;

// Freed objects are forgotten then: a program makes handles without end.
enum { ENDED_MOST = 1024 };

/** The first entry at or after that address of that space. */
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

/** Threads remember memory, not objects. */
static void begin_change(int64_t space)
{
    cwu_lock(&table.lock);
    if (space < CW_KNOWN_OBJECTS)
        atomic_fetch_add(&cw_block_changes, 1);
}

void cw_known_void(void)
{
    begin_change(cw_world.pe);
    cwu_unlock(&table.lock);
}

void cw_known_add(const cw_known_t *new)
{
    begin_change(new->space);
    size_t first = position_of(new->space, new->base), last;
    if (first > 0 && overlap(&table.blocks[first - 1], new))
        first--;
    for (last = first; last < table.n && overlap(&table.blocks[last], new); last++)
        ;  // freed ones, whose place it takes
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

static void forget_ended(void)
{
    size_t left = position_of(CW_KNOWN_OBJECTS, 0);
    for (size_t i = left; i < table.n; i++)
        if (!table.blocks[i].freed)
            table.blocks[left++] = table.blocks[i];
    table.n = left;
    table.ended = 0;
}

/** Not of objects: programs wait for them often. */
static const void *place_of_free(int64_t space)
{
    return space < CW_KNOWN_OBJECTS ? cwu_symbol_program() : NULL;
}

void cw_known_free(int64_t space, uintptr_t base)
{
    const void *place = place_of_free(space);
    begin_change(space);
    if (table.ended >= ENDED_MOST)
        forget_ended();
    cw_known_t *k = block_before(space, base);
    if (k && k->base == base && !(k->freed && space < CW_KNOWN_OBJECTS)) {  // else the first place
        table.ended += space >= CW_KNOWN_OBJECTS && !k->freed;
        k->freed = true;
        k->freed_at = place;
    }
    cwu_unlock(&table.lock);
}

void cw_known_free_all(int64_t space)
{
    begin_change(space);
    for (size_t i = position_of(space, 0); i < table.n && table.blocks[i].space == space; i++) {
        table.ended += !table.blocks[i].freed;
        table.blocks[i].freed = true;
    }
    cwu_unlock(&table.lock);
}

size_t cw_known_left(int64_t space, cw_known_t **all_p)
{
    cwu_lock(&table.lock);
    size_t first = position_of(space, 0), end = position_of(space + 1, 0), n = 0;
    *all_p = end > first ? malloc((end - first) * sizeof **all_p) : NULL;
    for (size_t i = first; *all_p && i < end; i++)
        if (!table.blocks[i].freed)
            (*all_p)[n++] = table.blocks[i];
    cwu_unlock(&table.lock);
    return n;
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

const char *cw_known_freed_at(const cw_known_t *block, char *text, size_t text_nbytes)
{
    char place[160] = "";
    if (block->freed_at)
        cwu_symbol_describe(block->freed_at, place, sizeof place);
    snprintf(text, text_nbytes, "%s%s", place[0] ? " at " : "", place);
    return text;
}

/** No other block begins in a block's last line. */
static uint64_t whole_lines(size_t nbytes)
{
    return (nbytes + CW_ARENA_LINE - 1) & ~(uint64_t)(CW_ARENA_LINE - 1);
}

static CW_COLD void describe(const cw_known_t *k, uint64_t from, size_t nbytes, char *text,
                             size_t text_nbytes)
{
    char place[160], freed_at[170];
    cwu_symbol_describe(k->place, place, sizeof place);
    if (k->freed)
        snprintf(text, text_nbytes, "are in a block that was freed%s; %s gave its %zu bytes at %s",
                 cw_known_freed_at(k, freed_at, sizeof freed_at), k->call, k->nbytes, place);
    else
        snprintf(text, text_nbytes,
                 "reach %zu bytes beyond the end of their block, which has %zu; %s gave it at %s",
                 (size_t)(from + nbytes - k->nbytes), k->nbytes, k->call, place);
}

/** The last block at or before the address, and the next begin. */
static bool find_around(int64_t space, uintptr_t address, cw_known_t *block_p, uintptr_t *next_p)
{
    cwu_lock(&table.lock);
    const cw_known_t *found = block_before(space, address);
    size_t next = found ? (size_t)(found - table.blocks) + 1 : position_of(space, address);
    if (found)
        *block_p = *found;
    *next_p =
        next < table.n && table.blocks[next].space == space ? table.blocks[next].base : UINTPTR_MAX;
    cwu_unlock(&table.lock);
    return found != NULL;
}

/** Clips the span to the block, or to the gap between two. */
static bool is_wrong(uintptr_t address, size_t nbytes, char *text, size_t text_nbytes,
                     cw_known_span_t *span)
{
    cw_known_t k;
    uintptr_t next;
    if (!find_around(span->space, address, &k, &next)) {
        cw_known_clip(span, 0, next);
        return false;
    }
    uint64_t from = address - k.base;
    if (from >= whole_lines(k.nbytes)) {
        cw_known_clip(span, k.base + whole_lines(k.nbytes), next);
        return false;
    }
    cw_known_clip(span, k.base, k.base + k.nbytes);
    if (!k.freed && from <= k.nbytes && nbytes <= k.nbytes - from)
        return false;
    describe(&k, from, nbytes, text, text_nbytes);
    return true;
}

bool cw_known_wrong(int64_t space, uintptr_t address, size_t nbytes, char *text, size_t text_nbytes)
{
    if (nbytes == 0 || cw_known_seen(CW_KNOWN_REMOTE, space, (const void *)address, nbytes))
        return false;
    cw_known_span_t span = {space, 0, UINTPTR_MAX, false};
    unsigned changes = atomic_load(&cw_block_changes);
    if (is_wrong(address, nbytes, text, text_nbytes, &span))
        return true;
    cw_known_remember(CW_KNOWN_REMOTE, changes, &span);
    return false;
}

bool cw_known_wrong_static(const void *address, size_t nbytes, char *text, size_t text_nbytes,
                           cw_known_span_t *span)
{
    cwu_extent_t variable;
    bool found = cwu_extent_find((uintptr_t)address, &variable);
    cw_known_clip(span, variable.start, variable.start + variable.nbytes);
    if (!found)
        return false;
    size_t room = variable.start + variable.nbytes - (uintptr_t)address;
    if (nbytes > room)
        snprintf(text, text_nbytes, "reach %zu bytes beyond the end of static %s, which has %zu",
                 nbytes - room, variable.name, variable.nbytes);
    return nbytes > room;
}

/** Clips the span around an address to a range, or its outside. */
static void clip_to_range(cw_known_span_t *span, uintptr_t address, uintptr_t start, size_t nbytes)
{
    if (address - start < nbytes) {
        cw_known_clip(span, start, start + nbytes);
        span->shared = true;
    } else if (address < start) {
        cw_known_clip(span, 0, start);
    } else {
        cw_known_clip(span, start + nbytes, UINTPTR_MAX);
    }
}

/** To the mappings of the node object: the whole, and those at the program's variables. */
static void clip_to_mappings(cw_known_span_t *span, uintptr_t address)
{
    const cwt_layout_t *l = &cw_segment.layout;
    clip_to_range(span, address, cw_segment.origin, l->data_nbytes);
    clip_to_range(span, address, (uintptr_t)cw_segment.heap, l->heap_nbytes);
    clip_to_range(span, address, (uintptr_t)cw_segment.base, cw_segment.nbytes);
}

bool cw_known_wrong_here(const void *address, size_t nbytes, char *text, size_t text_nbytes)
{
    if (nbytes == 0 || cw_known_seen(CW_KNOWN_LOCAL, cw_world.pe, address, nbytes))
        return false;
    cw_known_span_t span = {cw_world.pe, CW_KNOWN_LOWEST, UINTPTR_MAX, false};
    unsigned changes = atomic_load(&cw_block_changes);
    if (is_wrong((uintptr_t)address, nbytes, text, text_nbytes, &span) ||
        cw_known_wrong_static(address, nbytes, text, text_nbytes, &span))
        return true;
    clip_to_mappings(&span, (uintptr_t)address);
    cw_known_remember(CW_KNOWN_LOCAL, changes, &span);
    return false;
}

void cw_known_close(void)
{
    begin_change(0);
    free(table.blocks);
    table.blocks = NULL;
    table.n = table.room = table.ended = 0;
    cwu_unlock(&table.lock);
}
