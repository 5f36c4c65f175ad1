// SPDX-License-Identifier: BSD-3-Clause
//
// Down a binomial tree of nodes from the root's, in chunks: a leader forwards one while the next
// comes in. A put leaves its source free, and notes tell of arrival: no wait at the end.
#include "core/coll/broadcast/broadcast.h"
#include "core/sync/notes.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

#define CHUNK_NBYTES (512u * 1024u)
#define FLAT_NODES 3  // up to so many, the root sends to each leader

typedef struct tree {
    int place;  // of this node, counted from the root's
    int child_pes[31], nchildren;
} tree_t;

static void make_tree(tree_t *tree, const cw_coll_call_t *c, int root_node)
{
    int n = c->map->nnodes;
    *tree = (tree_t){.place = (c->map->node - root_node + n) % n};
    int lowest = tree->place ? __builtin_ctz((unsigned)tree->place) : 31;
    for (int k = 30; k >= 0; k--)
        if (k < lowest && tree->place + (INT64_C(1) << k) < n)
            tree->child_pes[tree->nchildren++] =
                cw_call_leader(c, (tree->place + (1 << k) + root_node) % n);
}

static size_t chunk_of(const cw_coll_call_t *c)
{
    return c->map->nnodes <= FLAT_NODES || c->nbytes < CHUNK_NBYTES ? c->nbytes : CHUNK_NBYTES;
}

/** Sends the chunks to this node's children, a leader's as they come. from: their place on this
 *  PE. */
static void pass_down(const cw_coll_call_t *c, const cw_notes_t *notes, int root_node,
                      const char *from)
{
    tree_t tree;
    make_tree(&tree, c, root_node);
    long count = 0;
    size_t chunk = chunk_of(c);
    for (size_t at = 0; at < c->nbytes; at += chunk) {
        size_t n = c->nbytes - at < chunk ? c->nbytes - at : chunk;
        count++;
        if (tree.place > 0)
            cw_notes_await_count(notes, count);
        for (int i = 0; i < tree.nchildren; i++) {
            cw_coll_put_noted(tree.child_pes[i], c->dest + at, from + at, n);
            cw_notes_count(notes, tree.child_pes[i], count);
        }
    }
}

void cw_broadcast_binomial(const cw_coll_call_t *c)
{
    int root_node = cw_broadcast_root_node(c);
    bool root = c->group->rank == c->root;
    cw_sync(c->group);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (root)
        pass_down(c, &notes, root_node, c->src);
    else if (c->map->node != root_node && cw_map_i_lead(c->map))
        pass_down(c, &notes, root_node, c->dest);
    cw_notes_end(&notes, (long)((c->nbytes - 1) / chunk_of(c) + 1));
    cw_sync_on_node(c->group);
    cw_broadcast_within_nodes(c);
}
