// SPDX-License-Identifier: BSD-3-Clause
//
// For large messages: a piece to each other leader, then along the chain of nodes from the root's.
// The root's node sends the message twice, others at most once.
//
// Places count from the root's node. Place p gets piece p from the root, and from place p-1 the
// pieces p-1, p-2, ..., 0, n-1, ..., p+1 in this order.
#include "core/coll/broadcast/broadcast.h"
#include "core/coll/parts.h"
#include "core/sync/notes.h"
#include "core/sync/peer.h"

enum { OWN_PIECE = 0 };  // step of its note

typedef struct chain {
    const cw_coll_call_t *c;
    const cw_notes_t *notes;
    int root_node, n;
} chain_t;

static void send_piece(const chain_t *chain, int place, int piece, const char *from)
{
    size_t first, last;
    cw_part_of(chain->c->nbytes, 1, piece, chain->n, &first, &last);
    if (first < last)
        cw_coll_put_noted(cw_call_leader(chain->c, (chain->root_node + place) % chain->n),
                          chain->c->dest + first, from + first, last - first);
}

static void scatter(const chain_t *chain)
{
    for (int place = 1; place < chain->n; place++) {
        send_piece(chain, place, place, chain->c->src);
        cw_notes_step(chain->notes, cw_call_leader(chain->c, (chain->root_node + place) % chain->n),
                      OWN_PIECE);
    }
}

/** from: where all pieces are on this PE, or come in. */
static void forward(const chain_t *chain, int place, const char *from)
{
    int next = cw_call_leader(chain->c, (chain->root_node + place + 1) % chain->n);
    if (place > 0)
        cw_notes_await_step(chain->notes, OWN_PIECE);
    for (int s = 0; s < chain->n - 1; s++) {
        if (place > 0 && s > 0)
            cw_notes_await_count(chain->notes, s);
        if (place + 1 == chain->n)
            continue;
        send_piece(chain, place + 1, (place - s + chain->n) % chain->n, from);
        cw_notes_count(chain->notes, next, s + 1);
    }
    if (place > 0)
        cw_notes_await_count(chain->notes, chain->n - 1);
}

void cw_broadcast_scatter(const cw_coll_call_t *c)
{
    cw_sync(c->group);
    cw_notes_t notes = cw_notes_begin(c->group);
    chain_t chain = {c, &notes, cw_broadcast_root_node(c), c->map->nnodes};
    bool root = c->group->rank == c->root;
    int place = (c->map->node - chain.root_node + chain.n) % chain.n;
    if (root)
        scatter(&chain);
    if (cw_map_i_lead(c->map))
        forward(&chain, place, place ? c->dest : root ? c->src : cw_call_at(c, c->root, c->src));
    cw_notes_end(&notes, chain.n - 1);
    cw_sync(c->group);
    cw_broadcast_within_nodes(c);
}
