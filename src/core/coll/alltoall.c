// SPDX-License-Identifier: BSD-3-Clause
//
// Within the node each PE loads what is meant for it; to other nodes each PE sends directly, starting behind
// its own rank so that not all send to the same PE at once.
#include "core/coll/coll.h"

#include "core/coll/map.h"
#include "core/coll/peer.h"
#include "core/coll/sync.h"
#include "core/rma.h"

#define DEPOSIT_MOST 16384u  // bytes to all: above, a second synchronisation is cheaper than a copy

static void send_remote(const cw_group_t *group, char *dest, const char *src, size_t nbytes)
{
    for (int i = 1; i < group->size; i++) {
        int rank = (group->rank + i) % group->size, pe = cw_group_pe(group, rank);
        if (!cw_coll_is_local(pe))
            cw_coll_put(pe, dest + (size_t)group->rank * nbytes, src + (size_t)rank * nbytes, nbytes, true);
    }
}

/** src: the user's, or a copy of it, at the same symmetric address everywhere. */
static void load_local(const cw_group_t *group, char *dest, const char *src, size_t nbytes)
{
    const cw_map_t *map = cw_map_of(group);
    for (int i = 0; i < map->nlocal; i++) {
        int rank = map->local[(map->mine + i) % map->nlocal];
        const char *from = cw_coll_at(cw_group_pe(group, rank), src);
        memcpy(dest + (size_t)rank * nbytes, from + (size_t)group->rank * nbytes, nbytes);
    }
}

void cw_alltoall(const cw_group_t *group, void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 0) {
        cw_sync(group);
        return;
    }
    if (cw_world.nnodes == 1 && cw_group_is_world(group) && nbytes <= DEPOSIT_MOST / (size_t)group->size) {
        char *deposit = cw_world_scratch();
        memcpy(deposit, src, nbytes * (size_t)group->size);
        cw_sync(group);
        load_local(group, dest, deposit, nbytes);
        return;
    }
    cw_sync(group);
    send_remote(group, dest, src, nbytes);
    load_local(group, dest, src, nbytes);
    cw_quiet(&cw_ctx_default);
    cw_sync(group);
}
