// SPDX-License-Identifier: BSD-3-Clause
//
// On a node each member deposits its value; the closer combines them in order, and leaders exchange
// results. Small values lie beside the counters, larger ones in the scratch of their PE, the result
// in the leader's.
#include "core/sync/fused.h"

#include <string.h>

#include "core/sync/peer.h"
#include "core/sync/sync.h"

/** Of member i: in its scratch; NULL: in its deposit. */
static void *value_of(const cw_node_sync_t *ns, int i, char *scratch)
{
    return scratch ? cw_coll_at(ns->pes[i], scratch) : cw_node_deposit(ns, i, 0)->value;
}

static void *result_of(const cw_node_sync_t *ns, char *scratch)
{
    return scratch ? value_of(ns, 0, scratch) : ns->area->result;
}

/** In place: this PE's own value has been deposited. */
static void complete(cw_group_sync_t *sync, char *scratch, void *value, size_t nbytes,
                     const cw_fused_op_t *op)
{
    cw_node_sync_t *ns = &sync->node;
    memcpy(value, value_of(ns, 0, scratch), nbytes);
    for (int i = 1; i < ns->nlocal; i++)
        op->combine(op, value, value_of(ns, i, scratch));
    if (ns->nnodes > 1)
        cw_leaders_fused(&sync->leaders, value, nbytes, op);
    memcpy(result_of(ns, scratch), value, nbytes);
    cw_node_release(ns);
}

/** Each member combines all, in the same order. */
static void meet(cw_node_sync_t *ns, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    memcpy(cw_node_next_deposit(ns)->value, value, nbytes);
    cw_node_meet(ns);
    memcpy(value, cw_node_brought(ns, 0), nbytes);
    for (int i = 1; i < ns->nlocal; i++)
        op->combine(op, value, cw_node_brought(ns, i));
}

/** True: this PE is the closer, and all have arrived; else the release has come. */
static bool arrive_to_close(cw_node_sync_t *ns)
{
    bool last = cw_node_arrive(ns);
    if (ns->nnodes == 1 ? !last : ns->mine != 0) {
        cw_node_await_release(ns);
        return false;
    }
    if (!last)
        cw_node_await_all(ns);
    return true;
}

static void barrier(cw_group_sync_t *sync)
{
    cw_node_sync_t *ns = &sync->node;
    if (ns->meets) {
        cw_node_meet(ns);
        return;
    }
    if (!arrive_to_close(ns))
        return;
    if (ns->nnodes > 1)
        cw_leaders_fused(&sync->leaders, NULL, 0, NULL);
    cw_node_release(ns);
}

void cw_fused(const cw_group_t *group, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    cw_group_sync_t *sync = group->sync;
    if (nbytes == 0) {
        barrier(sync);
        return;
    }
    cw_node_sync_t *ns = &sync->node;
    if (ns->meets) {
        meet(ns, value, nbytes, op);
        return;
    }
    char *scratch = nbytes > CW_COLL_SMALL ? cw_group_scratch(group) : NULL;
    memcpy(value_of(ns, ns->mine, scratch), value, nbytes);
    if (arrive_to_close(ns))
        complete(sync, scratch, value, nbytes, op);
    else
        memcpy(value, result_of(ns, scratch), nbytes);
}

void cw_fused_led(const cw_group_t *group, void (*lead)(void *arg), void *arg)
{
    cw_node_sync_t *ns = &group->sync->node;
    if (!arrive_to_close(ns))
        return;
    lead(arg);
    cw_node_release(ns);
}

void cw_sync_on_node(const cw_group_t *group)
{
    if (!group->sync)
        cw_set_sync(group);
    else if (group->sync->node.meets)
        cw_node_meet(&group->sync->node);
    else if (arrive_to_close(&group->sync->node))
        cw_node_release(&group->sync->node);
}

static void combine_failures(const cw_fused_op_t *op, void *acc, const void *in)
{
    (void)op;
    *(uint64_t *)acc |= *(const uint64_t *)in;
}

bool cw_fused_all(const cw_group_t *group, bool mine)
{
    static const cw_fused_op_t op = {combine_failures};
    uint64_t failed = !mine;
    cw_fused(group, &failed, sizeof failed, &op);
    return !failed;
}

typedef struct words {
    uint64_t and [CW_TEAMS / 64], max[CW_FUSED_MAX];
} words_t;
_Static_assert(sizeof(words_t) <= CW_COLL_SMALL, "one synchronisation");

static void combine_words(const cw_fused_op_t *op, void *acc_p, const void *in_p)
{
    words_t *acc = acc_p;
    const words_t *in = in_p;
    (void)op;
    for (int i = 0; i < CW_TEAMS / 64; i++)
        acc->and[i] &= in->and[i];
    for (int i = 0; i < CW_FUSED_MAX; i++)
        acc->max[i] = in->max[i] > acc->max[i] ? in->max[i] : acc->max[i];
}

void cw_fused_and_max(const cw_group_t *group, uint64_t *and_words, int nand, uint64_t *max_words,
                      int nmax)
{
    static const cw_fused_op_t op = {combine_words};
    words_t words = {{0}, {0}};
    for (int i = 0; i < nand; i++)
        words.and[i] = and_words[i];
    for (int i = 0; i < nmax; i++)
        words.max[i] = max_words[i];
    cw_fused(group, &words, sizeof words, &op);
    for (int i = 0; i < nand; i++)
        and_words[i] = words.and[i];
    for (int i = 0; i < nmax; i++)
        max_words[i] = words.max[i];
}
