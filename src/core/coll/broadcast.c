// SPDX-License-Identifier: BSD-3-Clause
//
// Three ways, by size and place:
//   - world, up to a few hundred bytes: the value rides on one synchronisation;
//   - world on one node, up to half a scratch: a copy waits in the root's scratch, one synchronisation;
//   - else: between nodes down a binomial tree of leaders in pipelined chunks, then by loads from the node's
//   copy.
#include "core/coll/coll.h"

#include "core/coll/fused.h"
#include "core/coll/map.h"
#include "core/coll/peer.h"
#include "core/coll/sync.h"
#include "core/rma.h"

#define CHUNK_NBYTES (256u * 1024u)
#define DEPOSIT_MOST 16384u

// ---------------------------------------------------------------- small: on board of a synchronisation

typedef struct cargo {
    uint64_t loaded;  // only the root's is
    char bytes[CW_COLL_MEDIUM - 8];
} cargo_t;

typedef struct cargo_op {
    cw_fused_op_t op;  // first
    size_t nbytes;     // of the cargo, as far as it is used
} cargo_op_t;

static void take_loaded(const cw_fused_op_t *op, void *acc, const void *in)
{
    if (((const cargo_t *)in)->loaded)
        memcpy(acc, in, ((const cargo_op_t *)op)->nbytes);
}

static void broadcast_fused(void *dest, const void *src, size_t nbytes, bool root, bool copy_out)
{
    cargo_t cargo;
    cargo_op_t op = {{take_loaded}, offsetof(cargo_t, bytes) + nbytes};
    cargo.loaded = root;
    if (root)
        memcpy(cargo.bytes, src, nbytes);
    else
        memset(cargo.bytes, 0, nbytes);
    cw_world_fused(&cargo, op.nbytes, &op.op);
    if (copy_out)
        memcpy(dest, cargo.bytes, nbytes);
}

// ---------------------------------------------------------------- large: a tree of nodes, then loads

/** Node k of the map as a place in the tree whose root is the root's node, and back. */
static int place_of(const cw_map_t *map, int k, int root_node)
{
    return (k - root_node + map->nnodes) % map->nnodes;
}

typedef struct tree {
    int place, nplaces, root_node;
    int child_pes[31], nchildren;
} tree_t;

static int node_of_rank(const cw_group_t *group, const cw_map_t *map, int rank)
{
    int node = cw_world.node_of_pe[cw_group_pe(group, rank)], k = 0;
    while (map->node_id[k] != node)
        k++;
    return k;
}

static void plant(tree_t *tree, const cw_group_t *group, const cw_map_t *map, int root_node)
{
    *tree = (tree_t){.place = place_of(map, map->node, root_node), .nplaces = map->nnodes, .root_node = root_node};
    int lowest = tree->place ? __builtin_ctz((unsigned)tree->place) : 31;
    for (int k = 30; k >= 0; k--) {
        if (k >= lowest || tree->place + (INT64_C(1) << k) >= tree->nplaces)
            continue;
        int node = (tree->place + (1 << k) + root_node) % map->nnodes;
        tree->child_pes[tree->nchildren++] = cw_group_pe(group, cw_map_leader(map, node));
    }
}

static long world_chunks;  // of all broadcasts of the world before this one: the same on all PEs

static long chunks_of(size_t nbytes)
{
    return (long)((nbytes + CHUNK_NBYTES - 1) / CHUNK_NBYTES);
}

/** The root, and each leader as its chunks come, hands them to its children. `from` is where they are here.
 *  The count of chunks that came goes on for ever in the world's word, and starts at zero in an active set's. */
static void pass_down(const cw_group_t *group, const tree_t *tree, char *dest, const char *from, size_t nbytes)
{
    bool world = cw_group_is_world(group);
    long *chunks = &cw_group_words(group)[CW_PSYNC_CHUNKS], count = world ? world_chunks : 0;
    for (size_t at = 0; at < nbytes; at += CHUNK_NBYTES) {
        size_t n = nbytes - at < CHUNK_NBYTES ? nbytes - at : CHUNK_NBYTES;
        count++;
        if (tree->place > 0)
            cw_coll_await_at_least(chunks, count);
        for (int c = 0; c < tree->nchildren; c++) {
            cw_coll_put(tree->child_pes[c], dest + at, from + at, n, true);
            (world ? cw_coll_raise_word : cw_coll_set_word)(tree->child_pes[c], chunks, count);
        }
    }
    if (!world && tree->place > 0)  // all chunks have come: nobody writes here until the synchronisation is over
        __atomic_store_n(chunks, 0, __ATOMIC_RELAXED);
    cw_quiet(&cw_ctx_default);
}

static void broadcast_tree(const cw_group_t *group, char *dest, const char *src, size_t nbytes, int root_rank,
                           bool copy_out)
{
    const cw_map_t *map = cw_map_of(group);
    bool root = group->rank == root_rank;
    int root_node = node_of_rank(group, map, root_rank);
    bool with_root = map->node == root_node;
    cw_sync(group);
    if (map->nnodes > 1) {
        tree_t tree;
        plant(&tree, group, map, root_node);
        if (root)
            pass_down(group, &tree, dest, src, nbytes);
        else if (!with_root && cw_map_i_lead(map))
            pass_down(group, &tree, dest, dest, nbytes);
        if (cw_group_is_world(group))
            world_chunks += chunks_of(nbytes);
        cw_sync(group);
    }
    if (root && copy_out)
        memmove(dest, src, nbytes);
    else if (!root && with_root)
        memcpy(dest, cw_coll_at(cw_group_pe(group, root_rank), src), nbytes);
    else if (!root && !cw_map_i_lead(map))
        memcpy(dest, cw_coll_at(cw_group_pe(group, map->local[0]), dest), nbytes);
    cw_sync(group);
}

void cw_broadcast(const cw_group_t *group, void *dest, const void *src, size_t nbytes, int root_rank, bool root_copies)
{
    bool root = group->rank == root_rank, world = cw_group_is_world(group);
    bool copy_out = nbytes && (!root || (root_copies && dest != src));
    if (world && offsetof(cargo_t, bytes) + nbytes <= cw_fused_most()) {
        broadcast_fused(dest, src, nbytes, root, copy_out);
    } else if (world && cw_world.nnodes == 1 && nbytes <= DEPOSIT_MOST) {
        char *deposit = cw_world_scratch();
        if (root)
            memcpy(deposit, src, nbytes);
        cw_sync(group);
        if (copy_out)
            memcpy(dest, cw_coll_at(cw_group_pe(group, root_rank), deposit), nbytes);
    } else {
        broadcast_tree(group, dest, src, nbytes, root_rank, copy_out);
    }
}
