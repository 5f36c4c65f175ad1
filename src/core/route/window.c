// SPDX-License-Identifier: BSD-3-Clause
//
// Requests as lists of cells.
#include "core/route/window.h"

#include <string.h>

typedef struct stored {  // at the start of the first cell's data
    uint32_t nbytes, next;
} stored_t;

static uint32_t new_cell(cw_window_t *w, const cw_cell_t *cells)
{
    w->held++;
    if (!w->free)
        return ++w->fresh;
    uint32_t cell = w->free;
    w->free = cells[cell - 1].link;
    return cell;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

uint32_t cw_window_store(cw_window_t *w, cw_cell_t *cells, const void *request, size_t nbytes)
{
    uint32_t first = new_cell(w, cells), cell = first;
    stored_t stored = {.nbytes = (uint32_t)nbytes};
    memcpy(cells[cell - 1].data, &stored, sizeof stored);
    size_t at = 0, skip = sizeof stored;
    for (;;) {
        size_t n = least(nbytes - at, sizeof cells->data - skip);
        memcpy(cells[cell - 1].data + skip, (const char *)request + at, n);
        at += n;
        skip = 0;
        if (at == nbytes)
            break;
        uint32_t next = new_cell(w, cells);
        cells[cell - 1].link = next;
        cell = next;
    }
    cells[cell - 1].link = 0;
    return first;
}

static stored_t stored_of(const cw_cell_t *cells, uint32_t first)
{
    stored_t stored;
    memcpy(&stored, cells[first - 1].data, sizeof stored);
    return stored;
}

size_t cw_window_nbytes(const cw_cell_t *cells, uint32_t first)
{
    return stored_of(cells, first).nbytes;
}

uint32_t cw_window_next(const cw_cell_t *cells, uint32_t first)
{
    return stored_of(cells, first).next;
}

void cw_window_set_next(cw_cell_t *cells, uint32_t first, uint32_t next)
{
    memcpy(cells[first - 1].data + offsetof(stored_t, next), &next, sizeof next);
}

void cw_window_copy(const cw_cell_t *cells, uint32_t first, size_t from, void *part, size_t nbytes)
{
    size_t start = 0, skip = sizeof(stored_t);  // of the cell's piece of the request
    char *to = part;
    for (uint32_t cell = first; nbytes > 0; cell = cells[cell - 1].link) {
        size_t room = sizeof cells->data - skip;
        if (from < start + room) {
            size_t n = least(nbytes, start + room - from);
            memcpy(to, cells[cell - 1].data + skip + (from - start), n);
            to += n;
            from += n;
            nbytes -= n;
        }
        start += room;
        skip = 0;
    }
}

void cw_window_release(cw_window_t *w, cw_cell_t *cells, uint32_t first)
{
    for (uint32_t cell = first, next; cell; cell = next) {
        next = cells[cell - 1].link;
        cells[cell - 1].link = w->free;
        w->free = cell;
        w->held--;
        w->freed++;
    }
}
