// SPDX-License-Identifier: BSD-3-Clause
//
// The places of the cells, and the leaders' part.
//
//     [from node 0, 1, .. n-1] [to the other nodes, if each gets its own]
#include "core/coll/exchange.h"

#include "core/sync/fused.h"
#include "core/sync/notes.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

// bytes that a leader copies while others come; longer copies hold back the network and the senders
#define MEANWHILE 65536u

_Static_assert((int)CW_EXCHANGE_CAME >= (int)CW_NOTE_WORDS &&
                   (int)CW_EXCHANGE_CAME + (int)CW_EXCHANGE_NODES <= (int)CW_TEAM_WORDS,
               "beside notes and published messages");

static uint64_t in_lines(uint64_t nbytes)
{
    return (nbytes + CW_CACHE_LINE - 1) & ~(uint64_t)(CW_CACHE_LINE - 1);
}

uint64_t cw_exchange_room(const cw_coll_call_t *c, uint64_t cell_nbytes, bool to_each)
{
    uint64_t n = (uint64_t)c->map->nnodes, ncells = to_each ? 2 * n - 1 : n;
    if (c->map->nnodes > CW_EXCHANGE_NODES || cell_nbytes > CW_WORLD_HALF)
        return UINT64_MAX;
    return ncells * in_lines(cell_nbytes);
}

cw_exchange_t cw_exchange_begin(const cw_coll_call_t *c, size_t cell_nbytes, bool to_each)
{
    return (cw_exchange_t){.c = c,
                           .half = cw_group_scratch(c->group),
                           .cell_nbytes = cell_nbytes,
                           .used_nbytes = cell_nbytes,
                           .to_each = to_each};
}

/** Symmetric. */
static char *cell(const cw_exchange_t *x, int i)
{
    return x->half + (size_t)i * in_lines(x->cell_nbytes);
}

/** What goes to node k, symmetric. */
static char *cell_to(const cw_exchange_t *x, int k)
{
    int me = x->c->map->node;
    return cell(x, k == me || !x->to_each ? me : x->c->map->nnodes + k - (k > me));
}

char *cw_exchange_own(const cw_exchange_t *x, int i)
{
    return cw_call_at(x->c, x->c->map->local[i], cell(x, x->c->map->node));
}

char *cw_exchange_from(const cw_exchange_t *x, int k)
{
    return cw_call_at(x->c, x->c->map->local[0], cell(x, k));
}

char *cw_exchange_to(const cw_exchange_t *x, int k)
{
    return cw_call_at(x->c, x->c->map->local[0], cell_to(x, k));
}

/** What node k's word reaches with a step; step 0 are the cells. */
static long number_of(const cw_exchange_t *x, int step)
{
    return *cw_group_reached(x->c->group) - x->nsteps + step;
}

void cw_exchange_ahead(const cw_exchange_t *x, int k, size_t at, const char *src, size_t nbytes)
{
    cw_coll_put_noted(cw_call_leader(x->c, k), cell(x, x->c->map->node) + at, src, nbytes);
}

void cw_exchange_put(const cw_exchange_t *x, int k, int step, char *dest, const char *src,
                     size_t nbytes)
{
    long *came = cw_group_words(x->c->group) + CW_EXCHANGE_CAME;
    cw_coll_put_marked(cw_call_leader(x->c, k), dest, src, nbytes, &came[x->c->map->node],
                       number_of(x, step));
}

void cw_exchange_await(const cw_exchange_t *x, int k, int step)
{
    cw_coll_await_at_least(cw_group_words(x->c->group) + CW_EXCHANGE_CAME + k, number_of(x, step));
}

/** The leader, once its node has arrived. */
static void exchange_leaders(void *arg)
{
    cw_exchange_t *x = arg;
    int n = x->c->map->nnodes, me = x->c->map->node;
    if (x->prepare)
        x->prepare(x);
    for (int i = 1; i < n; i++) {
        int k = (me + i) % n;
        cw_exchange_put(x, k, 0, x->target ? x->target(x) : cell(x, me),
                        x->source ? x->source(x, k) : cell_to(x, k), x->used_nbytes);
    }
    if (x->meanwhile)
        x->meanwhile(x);
    for (int k = 0; k < n; k++)
        if (k != me)
            cw_exchange_await(x, k, 0);
    if (x->conclude)
        x->conclude(x);
}

void cw_exchange_run(const cw_exchange_t *x)
{
    cw_exchange_t leader = *x;
    *cw_group_reached(x->c->group) += 1 + x->nsteps;
    cw_fused_led(x->c->group, exchange_leaders, &leader);
}

void cw_exchange_straight(cw_exchange_t *x, void (*copy_own)(const cw_exchange_t *x))
{
    x->meanwhile = x->used_nbytes <= MEANWHILE ? copy_own : NULL;
    cw_exchange_run(x);
    if (!x->meanwhile)
        copy_own(x);
}
