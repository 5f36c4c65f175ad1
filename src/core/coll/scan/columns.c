// SPDX-License-Identifier: BSD-3-Clause
//
// Each member adds up a part of the elements, a column through all operands, in rank order, and
// stores the results of all ranks on the way: gets operands of other nodes, puts results.
//
// dest may be src: one member alone reads and writes a column between two synchronisations.
#include <stdlib.h>

#include "base/compiler.h"
#include "core/coll/parts.h"
#include "core/coll/scan/scan.h"
#include "core/rma/rma.h"
#include "core/sync/peer.h"

#define BATCH_NBYTES (1u << 20)  // from all other nodes at a time

typedef struct columns {
    const cw_coll_call_t *c;
    char *remote;  // elements of this batch, of each member of another node, in rank order
    size_t pitch;  // bytes between two of them: the most of a batch
} columns_t;

static bool is_local(const cw_coll_call_t *c, int rank)
{
    return cw_coll_is_local(cw_call_pe(c, rank));
}

static void get_batch(const columns_t *k, size_t offset, size_t nbytes)
{
    char *to = k->remote;
    cw_quiet(&cw_ctx_default);  // puts of the batch before, from the same buffer
    for (int rank = 0; rank < k->c->group->size; rank++) {
        if (is_local(k->c, rank))
            continue;
        cw_coll_get_nbi(cw_call_pe(k->c, rank), to, k->c->src + offset, nbytes);
        to += k->pitch;
    }
    cw_quiet(&cw_ctx_default);
}

static void put_batch(const columns_t *k, size_t offset, size_t nbytes)
{
    const char *from = k->remote;
    for (int rank = 0; rank < k->c->group->size; rank++) {
        if (is_local(k->c, rank))
            continue;
        cw_coll_put(cw_call_pe(k->c, rank), k->c->dest + offset, from, nbytes, true);
        from += k->pitch;
    }
}

/** One strip through all ranks. at: byte offset in the operands; into: in the batch. Not inlined:
 *  the strip is off the stack while anything waits. */
static CW_NOINLINE void add_up(const columns_t *k, size_t at, size_t into, size_t nelems)
{
    const cw_coll_call_t *c = k->c;
    CW_CACHE_ALIGNED char acc[CW_SCAN_STRIP_NBYTES];
    char *remote = k->remote ? k->remote + into : NULL;
    for (int rank = 0; rank < c->group->size; rank++) {
        if (is_local(c, rank)) {
            cw_scan_step(c, rank == 0, acc, (char *)cw_call_at(c, rank, c->src) + at,
                         (char *)cw_call_at(c, rank, c->dest) + at, nelems);
        } else {
            cw_scan_step(c, rank == 0, acc, remote, remote, nelems);
            remote += k->pitch;
        }
    }
}

static void scan_batch(const columns_t *k, size_t first, size_t last)
{
    size_t elem = k->c->elem_nbytes, strip = CW_SCAN_STRIP_NBYTES / elem,
           nbytes = (last - first) * elem;
    if (k->pitch)
        get_batch(k, first * elem, nbytes);
    for (size_t at = first; at < last; at += strip)
        add_up(k, at * elem, (at - first) * elem, last - at < strip ? last - at : strip);
    if (k->pitch)
        put_batch(k, first * elem, nbytes);
}

static size_t pitch_for(size_t nremote)
{
    size_t nbytes = nremote ? BATCH_NBYTES / nremote / 64 * 64 : 0;
    return nremote && nbytes < 64 ? 64 : nbytes;
}

void cw_scan_columns(const cw_coll_call_t *c)
{
    size_t first, last, nremote = (size_t)(c->group->size - c->map->nlocal);
    columns_t k = {.c = c, .pitch = pitch_for(nremote)};
    cw_part_of(c->nelems, c->elem_nbytes, c->group->rank, c->group->size, &first, &last);
    if (nremote && first < last && !(k.remote = aligned_alloc(64, nremote * k.pitch)))
        cwu_fatal("out of memory for a scan over %d PEs", c->group->size);
    cw_sync(c->group);
    size_t most = k.pitch ? k.pitch / c->elem_nbytes : last - first;
    for (size_t at = first; at < last; at += most)
        scan_batch(&k, at, last - at < most ? last : at + most);
    cw_quiet(&cw_ctx_default);
    free(k.remote);
    cw_sync(c->group);
}
