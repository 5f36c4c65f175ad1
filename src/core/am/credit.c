// SPDX-License-Identifier: BSD-3-Clause
//
// Tokens and credits. A request takes a token of this PE, its reply's room, and a credit of the
// target's node, a bound on what its server keeps. Both return after the reply's handler or,
// without a reply, when the target sets the token's bit in `done`.
//
// In a flood (docs/design/credits.md), short requests to other nodes are collected, with more
// credits, and no request takes the fast path. Several threads have none.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/am/private.h"
#include "core/am/wire.h"
#include "core/path/bundle.h"
#include "core/rma/routed.h"

#define FLOOD 12u          // requests under way that may begin one
#define LOOK_EVERY 16u     // requests of a flood between looks at its end
#define DIRECT_NS 4000u    // less than a request takes by itself
#define OTHERS 64u         // requests in a row, not collected, that end it
#define QUICK_NS 100000u   // more than eight requests in a row take
#define COLLECTED_MOST (CW_AM_TOKENS / 2)

/** While `valid`: requests under way by node, collected ones apart. */
static struct {
    bool valid;
    uint16_t *to_node[2];  // [nnodes]
} counts;
static struct {
    uint32_t collected;  // under way
    uint32_t requests;   // so far
    uint32_t slow;       // looks in a row that found few
    uint32_t others;     // requests in a row that were not collected
    uint64_t looked_ns;
} flood;

static uint32_t *nfree(void)
{
    return cw_am.locked ? &cw_am.nfree_locked : &cw_am.nfree;
}

/** Other threads read the number without the lock. */
static void push(uint32_t token)
{
    uint32_t *n = nfree();
    cw_am.free[*n] = token;
    __atomic_store_n(n, *n + 1, __ATOMIC_RELAXED);
}

static uint32_t pop(void)
{
    uint32_t *n = nfree();
    __atomic_store_n(n, *n - 1, __ATOMIC_RELAXED);
    return cw_am.free[*n];
}

/** With more free tokens no node is at its limit, collected requests aside. */
static uint32_t many_free(void)
{
    uint32_t used = cw_am.credits + flood.collected;
    return used < CW_AM_TOKENS ? CW_AM_TOKENS - used : 0;
}

/** No fast path under observers, routes and floods. */
static uint32_t low(void)
{
    return cw_world.watched || cw_routed_is_on() || cw_am.flood ? CW_AM_TOKENS : many_free();
}

uint32_t cw_am_credit_collected(void)
{
    uint32_t most = cw_am.credits * 8;
    return most < COLLECTED_MOST ? most : COLLECTED_MOST;
}

void cw_am_credit_open(void)
{
    cw_am.nfree = cw_am.nfree_locked = 0;
    for (uint32_t i = CW_AM_TOKENS; i-- > 0;) {
        cw_am.pe_of[i] = -1;
        cw_am.from[i] = CW_AM_FROM(cw_world.pe, i);
        push(i);
    }
    cw_am.credits = (uint32_t)cwu_env.am_credits;
    cw_am.flood = counts.valid = false;
    flood.collected = 0;
    memset(cw_am.collected, 0, sizeof cw_am.collected);
    cw_am.low = low();
}

/** Begins to count. */
static void count(void)
{
    size_t n = (size_t)cw_world.nnodes;
    if (!counts.to_node[0]) {
        counts.to_node[0] = malloc(2 * n * sizeof **counts.to_node);
        if (!counts.to_node[0])
            cwu_fatal("no memory to count messages to %d nodes", cw_world.nnodes);
        counts.to_node[1] = counts.to_node[0] + n;
    }
    memset(counts.to_node[0], 0, 2 * n * sizeof **counts.to_node);
    for (uint32_t i = 0; i < CW_AM_TOKENS; i++)
        if (cw_am.pe_of[i] >= 0)
            counts.to_node[cw_am.collected[i]][cw_world.node_of_pe[cw_am.pe_of[i]]]++;
    counts.valid = true;
}

static void give_back(uint32_t i)
{
    if (counts.valid)
        counts.to_node[cw_am.collected[i]][cw_world.node_of_pe[cw_am.pe_of[i]]]--;
    cw_am.pe_of[i] = -1;
    cw_am.from[i] += CW_AM_FROM(0, 0x10000);  // the next generation
    push(i);
    if (cw_am.collected[i]) {
        cw_am.collected[i] = false;
        flood.collected--;
        cw_am.low = low();
    }
    if (*nfree() > many_free() && !cw_am.flood)
        counts.valid = false;  // the fast path does not count
}

/** Takes in acknowledgements; not in a handler, nor while messages are closed, after which nfree is
 *  restored. */
static void collect_done(void)
{
    if ((cw_am_in_handler && !cw_am.locked) || !cw_am_is_on())
        return;
    cw_am_inbox_t *mine = cw_am.mine;
    for (uint32_t w = 0; w < CW_AM_TOKENS / 64; w++) {
        if (!atomic_load_explicit(&mine->done[w], memory_order_relaxed))
            continue;
        uint64_t bits = atomic_exchange_explicit(&mine->done[w], 0, memory_order_acquire);
        for (; bits; bits &= bits - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (cw_am.pe_of[i] >= 0)
                give_back(i);
        }
    }
}

static void lock(void)
{
    if (cw_am.locked)
        cwu_lock(&cw_am.credit_lock);
}

static void unlock(void)
{
    if (cw_am.locked)
        cwu_unlock(&cw_am.credit_lock);
}

static uint32_t under_way(int node)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < CW_AM_TOKENS; i++)
        n += cw_am.pe_of[i] >= 0 && cw_world.node_of_pe[cw_am.pe_of[i]] == node;
    return n;
}

static bool at_limit(int node, bool collected)
{
    uint32_t most = collected ? cw_am_credit_collected() : cw_am.credits;
    if (collected ? flood.collected < most : *nfree() > many_free())
        return false;
    if (!counts.valid)
        count();
    return counts.to_node[collected][node] >= most;
}

static void end_flood(void)
{
    cw_am.flood = counts.valid = false;
    cw_am.low = low();
}

/** Other requests end a flood, to have their fast path back. */
static void mind_others(bool collected)
{
    flood.others = collected ? 0 : flood.others + 1;
    if (flood.others > OTHERS)
        end_flood();
}

int64_t cw_am_credit_take(int pe, bool collected)
{
    int64_t token = -1;
    int node = cw_world.node_of_pe[pe];
    lock();
    if (cw_am.flood)
        mind_others(collected);
    if (*nfree() == 0 || (collected ? at_limit(node, true) : *nfree() <= many_free()))
        collect_done();
    if (*nfree() > 0 && !at_limit(node, collected)) {
        uint32_t i = pop();
        cw_am.pe_of[i] = pe;
        cw_am.collected[i] = collected;
        flood.collected += collected;
        if (counts.valid)
            counts.to_node[collected][node]++;
        token = CW_AM_FROM_TOKEN(cw_am.from[i]);
    }
    unlock();
    return token;
}

/** Looks whether a flood is over. */
static void mind_flood(void)
{
    uint64_t now = cwu_now_ns();
    flood.slow = now - flood.looked_ns > LOOK_EVERY * DIRECT_NS ? flood.slow + 1 : 0;
    flood.looked_ns = now;
    if (flood.slow == 2)
        end_flood();
}

/** Are many requests under way that were not collected? */
static bool are_many(void)
{
    uint32_t many = cw_am.credits < FLOOD ? cw_am.credits : FLOOD;
    return CW_AM_TOKENS - cw_am.nfree - flood.collected >= many;
}

/** Did the last few come in a row, or must the next one wait? */
static bool are_quick(void)
{
    uint64_t now = cwu_now_ns(), since = now - flood.looked_ns;
    flood.looked_ns = now;
    return since < QUICK_NS || cw_am.nfree <= many_free();
}

bool cw_am_credit_flood(void)
{
    if (cw_am.flood) {
        if (++flood.requests % LOOK_EVERY == 0)
            mind_flood();
        return cw_am.flood;
    }
    if (!are_many() || cw_world.max_slots > CW_RECORD_AM_SLOTS)
        return false;
    collect_done();
    if (!are_many() || !are_quick())
        return false;
    count();
    cw_am.flood = true;
    cw_am.low = low();
    flood.requests = flood.slow = flood.others = 0;
    return true;
}

bool cw_am_credit_return(uint32_t token)
{
    uint32_t i = token & 0xffff;
    lock();
    bool known =
        i < CW_AM_TOKENS && cw_am.pe_of[i] >= 0 && CW_AM_FROM_TOKEN(cw_am.from[i]) == token;
    if (known)
        give_back(i);
    unlock();
    return known;
}

cw_awaits_t cw_am_awaits_replies(bool full)
{
    if (CW_LIKELY(atomic_load_explicit(&cw_am.notify_room, memory_order_relaxed) == 0) ||
        !cw_am_credit_out())
        return CW_AWAITS_NONE;
    if (full) {
        lock();
        collect_done();
        unlock();
        if (!cw_am_credit_out())
            return CW_AWAITS_NONE;
    }
    bool here = atomic_load_explicit(&cw_am.reply_here, memory_order_relaxed);
    return here ? CW_AWAITS_REPLY_HERE : CW_AWAITS_REPLY;
}

bool cw_am_due(void *arg, int node)
{
    (void)arg;
    lock();
    collect_done();
    bool due = cw_am_is_on() && under_way(node) > 0;
    unlock();
    return due;
}
