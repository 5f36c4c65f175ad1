// SPDX-License-Identifier: BSD-3-Clause
//
// Executes accumulates of other nodes' PEs on the node object, under the locks that its PEs take.
#include "core/bulk/accumulate.h"
#include "core/mem/segment.h"
#include "core/rma/rma.h"
#include "core/route/request.h"
#include "core/server/server.h"

/** Returns the words of the record; 0: it is malformed. */
static size_t record(cwu_number_t part, const uint64_t *at, size_t nwords)
{
    uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED);  // once: it may lie in a cell
    uint64_t offset = word & CW_BATCH_OFFSET_MAX;
    size_t nbytes = (size_t)(word >> 48), words = 1 + (nbytes + 7) / 8;
    uint32_t slot;
    if (nbytes == 0 || cwu_number_splits(nbytes, part) || words > nwords ||
        !cw_request_in_bounds(offset, nbytes, &slot))
        return 0;
    cw_accumulate_here(offset, cw_segment.base + offset, part, NULL, at + 1, nbytes);
    cw_local_stored(cw_world.pes_of_node[slot]);
    return words;
}

bool cw_request_accumulate(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_accumulate_t *req = (const cw_req_accumulate_t *)(const void *)msg;
    (void)from;
    if (nbytes <= sizeof *req || nbytes % sizeof(uint64_t))
        return false;
    uint32_t part = __atomic_load_n(&req->part, __ATOMIC_RELAXED);
    if (part >= CW_PARTS)
        return false;
    const uint64_t *at = (const uint64_t *)(const void *)(req + 1);
    size_t left = (nbytes - sizeof *req) / sizeof *at, words = 1;
    for (; left > 0 && words > 0; at += words, left -= words)
        words = record((cwu_number_t)part, at, left);
    return words > 0;
}
