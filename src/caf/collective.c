// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on memory of the program. A small value travels with one synchronisation. A larger
// one goes in pieces through the runtime's own memory, which has one symmetric address: a piece is
// copied in, broadcast or reduced, copied out.
//
// All teams use the same memory. A member may still be in a collective of another team when the
// others of this one begin, so each piece begins with a synchronisation: behind it each member has
// copied out what came before.
#include "core/coll/coll.h"

#include <string.h>

#include "caf/gone.h"
#include "core/sync/fused.h"
#include "core/sync/peer.h"

void caf_compare(const cw_group_t *group, const char *statement, uint64_t nelems,
                 uint64_t elem_nbytes, uint64_t type, uint64_t image)
{
    cw_claim_t claim = cw_claim(statement);
    claim.kind = CW_CLAIM_IMAGES;
    claim.nelems = nelems;
    claim.dst = elem_nbytes;
    claim.sst = type;
    claim.root = image;
    cw_coll_agree(group, &claim);
}

static void stage(char **in_p, char **out_p)
{
    *in_p = caf_own(CAF_OWN_STAGE);
    *out_p = *in_p + CAF_STAGE;
}

void caf_co_broadcast(void *data, size_t nbytes, int root)
{
    const cw_group_t *group = caf.group;
    if (group->size == 1 || nbytes == 0)
        return;
    if (cw_small_fits(group, nbytes)) {
        cw_small_broadcast(group, data, nbytes, root);
        return;
    }
    char *in, *out;
    stage(&in, &out);
    for (size_t at = 0; at < nbytes; at += CAF_STAGE) {
        size_t n = nbytes - at < CAF_STAGE ? nbytes - at : CAF_STAGE;
        if (group->rank == root)
            memcpy(in, (char *)data + at, n);
        cw_sync(group);
        cw_broadcast(group, out, in, n, root, false);
        if (group->rank != root)
            memcpy((char *)data + at, out, n);
    }
}

static CW_NOINLINE void reduce_long(const cw_group_t *group, void *data, size_t nelems,
                                    size_t elem_nbytes, cw_reduce_fn fn)
{
    const size_t nbytes = nelems * elem_nbytes;
    if (cw_reduce_private(group, data, nelems, elem_nbytes, fn))
        return;
    const size_t most = CAF_STAGE / elem_nbytes * elem_nbytes;
    char *in, *out;
    stage(&in, &out);
    for (size_t at = 0; at < nbytes; at += most) {
        size_t n = nbytes - at < most ? nbytes - at : most;
        memcpy(in, (char *)data + at, n);
        cw_sync(group);
        cw_reduce(group, out, in, n / elem_nbytes, elem_nbytes, fn);
        memcpy((char *)data + at, out, n);
    }
}

void caf_co_reduce(void *data, size_t nelems, size_t elem_nbytes, cw_reduce_fn fn)
{
    const cw_group_t *group = caf.group;
    const size_t nbytes = nelems * elem_nbytes;
    if (CW_UNLIKELY(group->size == 1 || nbytes == 0))
        return;
    if (CW_LIKELY(nbytes <= CW_COLL_SMALL && nbytes <= cw_fused_most(group)))
        cw_small_reduce(group, data, data, nelems, elem_nbytes, fn);
    else
        reduce_long(group, data, nelems, elem_nbytes, fn);
}

void caf_exchange(const cw_group_t *group, uint64_t mine, uint64_t *all)
{
    const size_t n = (size_t)group->size, nbytes = n * sizeof mine;
    char *in, *out;
    if (cw_small_fits(group, nbytes)) {
        cw_small_collect(group, all, &mine, sizeof mine);
        return;
    }
    stage(&in, &out);
    if (nbytes > CAF_STAGE)
        caf_fatal("a team", "%zu images are too many to exchange words", n);
    memcpy(in, &mine, sizeof mine);
    cw_sync(group);
    cw_fcollect(group, out, in, sizeof mine);
    memcpy(all, out, nbytes);
}
