// SPDX-License-Identifier: BSD-3-Clause
//
// Windows by edge and sender (ADR 52): what a neighbour's PE may leave waiting here, in cells of
// the caller's memory. The sender counts units, which are cells.
//
//   cell   0 link u32: next cell of the request, or next free cell; number + 1, 0: none
//          4 data; the first cell begins with nbytes u32 and next request u32 (number + 1)
//
// Cells are touched at first use. Threads: one at a time. Nothing waits.
#ifndef CW_CORE_ROUTE_WINDOW_H
#define CW_CORE_ROUTE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cw_cell {
    uint32_t link;
    unsigned char data[124];
} cw_cell_t;

_Static_assert(sizeof(cw_cell_t) == 128, "cells fill their window");

static inline uint32_t cw_window_units(size_t nbytes)
{
    enum { ROOM = sizeof(((cw_cell_t *)0)->data) };
    return (uint32_t)((nbytes + 8 + ROOM - 1) / ROOM);
}

// ---------------------------------------------------------------- the receiver's half
typedef struct cw_window {  // all 0 at first
    uint32_t free;          // list of used cells, number + 1
    uint32_t fresh;         // cells from here on are unused
    uint32_t held;          // cells in use
    uint32_t freed;         // units since the start, modulo 2^32
} cw_window_t;

/** The caller has checked that held + units <= count. Returns the number of the first cell + 1. */
uint32_t cw_window_store(cw_window_t *w, cw_cell_t *cells, const void *request, size_t nbytes);
size_t cw_window_nbytes(const cw_cell_t *cells, uint32_t first);
/** Copies a part that begins at byte `from`. */
void cw_window_copy(const cw_cell_t *cells, uint32_t first, size_t from, void *part, size_t nbytes);
/** Frees its cells and counts their units as freed. */
void cw_window_release(cw_window_t *w, cw_cell_t *cells, uint32_t first);

/** The request behind this one, as set; at first 0. */
uint32_t cw_window_next(const cw_cell_t *cells, uint32_t first);
void cw_window_set_next(cw_cell_t *cells, uint32_t first, uint32_t next);

// ---------------------------------------------------------------- the sender's half
typedef struct cw_window_use {
    uint32_t used, freed;  // units since the start, modulo 2^32
} cw_window_use_t;

static inline bool cw_window_has(const cw_window_use_t *use, uint32_t count, uint32_t units)
{
    return use->used - use->freed + units <= count;
}

/** Takes a FREED answer; false: of units that were not sent. */
static inline bool cw_window_was_freed(cw_window_use_t *use, uint32_t freed)
{
    if (use->used - freed > use->used - use->freed)
        return (int32_t)(use->freed - freed) >= 0;  // an older one came late
    use->freed = freed;
    return true;
}

#endif
