// SPDX-License-Identifier: BSD-3-Clause
//
// The pieces of a node object: which bytes each has, and which piece holds given bytes.
#include "wire.h"

ofi_span_t ofi_piece_span(const cwt_layout_t *l, uint32_t piece)
{
    if (piece == 0)
        return (ofi_span_t){0, l->control_nbytes};
    uint64_t slice = l->slice_offset + (piece - 1) / 2 * l->slice_stride;
    if (piece % 2)
        return (ofi_span_t){slice, l->data_nbytes};
    return (ofi_span_t){slice + l->heap_offset, l->heap_nbytes};
}

int ofi_piece_of(const cwt_layout_t *l, uint64_t offset, size_t nbytes)
{
    if (offset < l->control_nbytes)
        return nbytes <= l->control_nbytes - offset ? 0 : -1;
    if (offset < l->slice_offset || l->slice_stride == 0)
        return -1;
    uint64_t slot = (offset - l->slice_offset) / l->slice_stride;
    uint64_t within = (offset - l->slice_offset) % l->slice_stride;
    if (within < l->data_nbytes)
        return nbytes <= l->data_nbytes - within ? (int)(1 + 2 * slot) : -1;
    if (within < l->heap_offset || within - l->heap_offset >= l->heap_nbytes)
        return -1;
    return nbytes <= l->heap_nbytes - (within - l->heap_offset) ? (int)(2 + 2 * slot) : -1;
}
