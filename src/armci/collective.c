// SPDX-License-Identifier: BSD-3-Clause
//
// A small value travels with one synchronisation. A larger one goes in pieces through this front
// end's own memory (ACI_OWN_MESSAGES), which has one symmetric address: a piece is copied in,
// broadcast or reduced, copied out.
//
// All groups use the same memory. A member may still be in a collective of another group when the
// others of this one begin, so each piece begins with a synchronisation: behind it each member has
// copied out what came before.
#include "armci/group.h"

#include <string.h>

/** Two parts of one size, of whole elements: what goes in, and what comes out. */
static size_t stage(size_t elem_nbytes, char **in_p, char **out_p)
{
    size_t nbytes;
    *in_p = aci_own(ACI_OWN_MESSAGES, &nbytes);
    *out_p = *in_p + ACI_ELEM_MOST;
    return ACI_ELEM_MOST / elem_nbytes * elem_nbytes;
}

void aci_broadcast(const cw_group_t *group, void *buf, size_t nbytes, int root_rank)
{
    const bool root = group->rank == root_rank;
    if (group->size == 1 || nbytes == 0)
        return;
    if (cw_small_fits(group, nbytes)) {
        cw_small_broadcast(group, buf, nbytes, root_rank);
        return;
    }
    char *in, *out;
    const size_t most = stage(1, &in, &out);
    for (size_t at = 0; at < nbytes; at += most) {
        size_t n = nbytes - at < most ? nbytes - at : most;
        if (root)
            memcpy(in, (char *)buf + at, n);
        cw_sync(group);
        cw_broadcast(group, out, in, n, root_rank, false);
        if (!root)
            memcpy((char *)buf + at, out, n);
    }
}

void aci_reduce(const cw_group_t *group, void *x, size_t nelems, size_t elem_nbytes,
                cw_reduce_fn fn)
{
    const size_t nbytes = nelems * elem_nbytes;
    if (group->size == 1 || nbytes == 0)
        return;
    if (cw_small_fits(group, nbytes)) {
        cw_small_reduce(group, x, x, nelems, elem_nbytes, fn);
        return;
    }
    if (cw_reduce_private(group, x, nelems, elem_nbytes, fn))
        return;
    char *in, *out;
    const size_t most = stage(elem_nbytes, &in, &out);
    for (size_t at = 0; at < nbytes; at += most) {
        size_t n = nbytes - at < most ? nbytes - at : most;
        memcpy(in, (char *)x + at, n);
        cw_sync(group);
        cw_reduce(group, out, in, n / elem_nbytes, elem_nbytes, fn);
        memcpy((char *)x + at, out, n);
    }
}
