// SPDX-License-Identifier: BSD-3-Clause
//
// The root waits for no PE: others of its node wait for its word and load the message. It puts both
// to leaders of other nodes, whose nodes load from them.
//
// Messages lie behind each other in a half of the scratch. When it is full, or another collective
// has used the other half, a message begins the next half, with a synchronisation: all have left
// the half before. A barrier frees the half in place. All members know a message's place and its
// growing number by their calls.
//
// A word has one writer between two synchronisations: a root raises its own, one root that of
// another node's leader (cw_broadcast_can_publish).
#include "core/coll/broadcast/broadcast.h"
#include "core/progress/wait.h"
#include "core/sync/fused.h"
#include "core/sync/notes.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

// bytes of messages in a half, to stay in the cache
#define NODE_WINDOW 16384u    // on one node
#define NODES_WINDOW 262144u  // on several, if the half is as large
#define NODE_MOST 15360u      // bytes on one node: copying more takes longer than it saves
#define MEET_MOST 2048u       // the same where members meet

// among the group's symmetric words, on lines of their own
enum { LEFT = 40, CAME = 48 };
_Static_assert((int)LEFT >= (int)CW_NOTE_WORDS && (int)CAME < (int)CW_TEAM_WORDS, "beside notes");

static bool synchronised_since(const cw_group_sync_t *sync)
{
    return cw_node_number(&sync->node) != sync->published.behind;
}

bool cw_broadcast_can_publish(const cw_coll_call_t *c)
{
    const cw_group_sync_t *sync = c->group->sync;
    if (c->map->nnodes == 1)
        return c->nbytes <= (cw_group_meets(c->group) ? MEET_MOST : NODE_MOST);
    bool same_root = sync->published.nbytes > 0 && sync->published.root == c->root;
    return same_root || synchronised_since(sync);
}

/** This call's place, on its root and on leaders of other nodes. *first_p: first of a half. */
static char *place_of(const cw_coll_call_t *c, bool *first_p)
{
    cw_group_sync_t *sync = c->group->sync;
    uint32_t nbytes = ((uint32_t)c->nbytes + CW_CACHE_LINE - 1) & ~(CW_CACHE_LINE - 1),
             half_nbytes = (uint32_t)cw_group_scratch_nbytes(c->group),
             window = c->map->nnodes == 1 ? NODE_WINDOW : NODES_WINDOW;
    if (window > half_nbytes)
        window = half_nbytes;
    bool same_half = sync->published.half == sync->half;
    if (!same_half || synchronised_since(sync))
        sync->published.nbytes = 0;
    *first_p = !same_half || sync->published.nbytes + nbytes > window;
    char *half = *first_p ? cw_group_scratch(c->group) : cw_group_scratch_again(c->group);
    if (*first_p)
        sync->published.nbytes = 0;
    char *place = half + sync->published.nbytes;
    sync->published.nbytes += nbytes;
    sync->published.half = sync->half;
    sync->published.root = c->root;
    return place;
}

static void leave(const cw_coll_call_t *c, char *place, long *words, long number)
{
    const cw_map_t *map = c->map;
    const char *from = c->src;  // where no other PE of this node loads it
    if (map->nlocal > 1)
        from = memcpy(place, c->src, c->nbytes);
    // seq_cst: before the test for sleepers; as a release it pairs with await()
    __atomic_exchange_n(&words[LEFT], number, __ATOMIC_SEQ_CST);
    for (int i = 0; i < map->nlocal; i++)
        cw_local_stored_in_order(cw_call_pe(c, map->local[i]));
    for (int k = 0; k < map->nnodes; k++)
        if (k != map->node)
            cw_coll_put_marked(cw_call_leader(c, k), place, from, c->nbytes, &words[CAME], number);
}

static void await(const long *word, long number)
{
    cw_wait_t w = CW_WAIT_FOR("a collective (the root's message)", word, sizeof *word);
    // pairs with leave()
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < number)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

void cw_broadcast_publish(const cw_coll_call_t *c)
{
    bool first, root = c->group->rank == c->root;
    char *place = place_of(c, &first);
    long *words = cw_group_words(c->group), number = ++*cw_group_reached(c->group);
    if (root)
        leave(c, place, words, number);
    if (first)
        cw_sync(c->group);
    c->group->sync->published.behind = cw_node_number(&c->group->sync->node);
    if (root) {
        if (cw_broadcast_copies(c))
            memmove(c->dest, c->src, c->nbytes);
        return;
    }
    bool here = cw_coll_is_local(cw_call_pe(c, c->root));
    int from = here ? cw_call_pe(c, c->root) : cw_call_pe(c, c->map->local[0]);
    await(cw_coll_before(from, &words[here ? LEFT : CAME]), number);
    memcpy(c->dest, cw_coll_before(from, place), c->nbytes);
}
