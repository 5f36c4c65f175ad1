// SPDX-License-Identifier: BSD-3-Clause
//
// Windows by edge and sender (ADR 52): what a neighbour's PE may leave waiting at this node. The
// receiver keeps waiting requests in cells of the window's memory, which the caller provides: any
// free cell serves, so requests leave in any order. The sender counts units, which are cells.
//
//   cell   0 link u32: next cell of the request, or next free cell; number + 1, 0: none
//          4 data; the first cell begins with nbytes u32 and next request u32 (number + 1)
//
// Cells are touched when they are first used. Threads: one at a time. Nothing here waits.
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

/** Cells that a request takes. */
static inline uint32_t cw_window_units(size_t nbytes)
{
    enum { ROOM = sizeof(((cw_cell_t *)0)->data) };
    return (uint32_t)((nbytes + 8 + ROOM - 1) / ROOM);
}

// ---------------------------------------------------------------- the receiver's half
typedef struct cw_window {  // all 0 at first
    uint32_t free;          // list of cells that were in use, number + 1
    uint32_t fresh;         // cells from here on have never been used
    uint32_t held;          // cells in use
    uint32_t freed;         // units given back since the start, modulo 2^32
} cw_window_t;

/** Copies a request into cells. The caller has checked that held + units <= count. Returns the
 *  number of the first cell + 1. */
uint32_t cw_window_store(cw_window_t *w, cw_cell_t *cells, const void *request, size_t nbytes);
/** Of a stored request. */
size_t cw_window_nbytes(const cw_cell_t *cells, uint32_t first);
/** Copies a part of it, which begins at byte `from` and lies in it. */
void cw_window_copy(const cw_cell_t *cells, uint32_t first, size_t from, void *part, size_t nbytes);
/** Gives its cells back and counts its units as freed. */
void cw_window_release(cw_window_t *w, cw_cell_t *cells, uint32_t first);

/** The request that waits behind this one: what cw_window_set_next set, at first 0. */
uint32_t cw_window_next(const cw_cell_t *cells, uint32_t first);
void cw_window_set_next(cw_cell_t *cells, uint32_t first, uint32_t next);

// ---------------------------------------------------------------- the sender's half
typedef struct cw_window_use {
    uint32_t used, freed;  // units since the start, modulo 2^32
} cw_window_use_t;

/** Is there room for so many more units in a window of `count`? */
static inline bool cw_window_has(const cw_window_use_t *use, uint32_t count, uint32_t units)
{
    return use->used - use->freed + units <= count;
}

/** What a FREED answer says; false if it speaks of units that were not sent. */
static inline bool cw_window_was_freed(cw_window_use_t *use, uint32_t freed)
{
    if (use->used - freed > use->used - use->freed)
        return (int32_t)(use->freed - freed) >= 0;  // an older one came late
    use->freed = freed;
    return true;
}

#endif
