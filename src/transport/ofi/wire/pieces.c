// SPDX-License-Identifier: BSD-3-Clause
//
// The pieces of a node object: which bytes each has, and which piece holds a byte.
#include "wire.h"

static uint64_t chunk_nbytes(const cwt_layout_t *l)
{
    return (uint64_t)1 << (l->chunk_shift ? l->chunk_shift : 62);
}

static uint32_t chunks(const cwt_layout_t *l, uint64_t nbytes)
{
    return (uint32_t)((nbytes + chunk_nbytes(l) - 1) / chunk_nbytes(l));
}

static uint32_t chunks_a_slot(const cwt_layout_t *l)
{
    return chunks(l, l->data_nbytes) + chunks(l, l->heap_nbytes);
}

uint32_t ofi_pieces(const cwt_layout_t *l)
{
    return 1 + l->nslots * chunks_a_slot(l);
}

/** Chunk i of a part of `nbytes` that begins at `start`. */
static ofi_span_t chunk(const cwt_layout_t *l, uint64_t start, uint64_t nbytes, uint32_t i)
{
    uint64_t at = i * chunk_nbytes(l);
    uint64_t n = nbytes - at < chunk_nbytes(l) ? nbytes - at : chunk_nbytes(l);
    return (ofi_span_t){start + at, n};
}

ofi_span_t ofi_piece_span(const cwt_layout_t *l, uint32_t piece)
{
    if (piece == 0)
        return (ofi_span_t){0, l->control_nbytes};
    uint32_t ndata = chunks(l, l->data_nbytes), i = (piece - 1) % chunks_a_slot(l);
    uint64_t slice = l->slice_offset + (piece - 1) / chunks_a_slot(l) * l->slice_stride;
    if (i < ndata)
        return chunk(l, slice, l->data_nbytes, i);
    return chunk(l, slice + l->heap_offset, l->heap_nbytes, i - ndata);
}

int64_t ofi_piece_of(const cwt_layout_t *l, uint64_t offset, uint64_t *left_p)
{
    if (offset < l->control_nbytes) {
        *left_p = l->control_nbytes - offset;
        return 0;
    }
    if (offset < l->slice_offset || l->slice_stride == 0)
        return -1;
    uint64_t slot = (offset - l->slice_offset) / l->slice_stride,
             within = (offset - l->slice_offset) % l->slice_stride;
    int64_t first = 1 + (int64_t)(slot * chunks_a_slot(l));
    uint64_t nbytes = l->data_nbytes;
    if (within >= nbytes) {
        if (within < l->heap_offset || within - l->heap_offset >= l->heap_nbytes)
            return -1;
        first += chunks(l, l->data_nbytes);
        within -= l->heap_offset;
        nbytes = l->heap_nbytes;
    }
    uint64_t i = within / chunk_nbytes(l);
    ofi_span_t span = chunk(l, 0, nbytes, (uint32_t)i);
    *left_p = span.offset + span.nbytes - within;
    return first + (int64_t)i;
}
