// SPDX-License-Identifier: BSD-3-Clause
//
// Tokens and credits. A request takes one of this PE's tokens, which stands for the room of its
// reply (a cell of the reply ring and a buffer), and one of the credits of the target's node, which
// bound what its server may have to keep for slow PEs. Both come back when the reply's handler has
// run, or, if there was no reply, when the target has set the token's bit in this PE's `done`
// words.
//
// Credits are not counted while fewer requests are under way than a node has credits; beyond that
// the requests to the node are counted when the next one is to be sent.
#include "core/am/private.h"
#include "core/rma/routed.h"

/** Where the number of free tokens is. */
static uint32_t *nfree(void)
{
    return cw_am.locked ? &cw_am.nfree_locked : &cw_am.nfree;
}

/** Other threads read the number without the lock (cw_am_credit_out). */
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

/** With more free tokens than this no node can be at its limit. */
static uint32_t many_free(void)
{
    return CW_AM_TOKENS - cw_am.credits;
}

void cw_am_credit_open(void)
{
    cw_am.nfree = cw_am.nfree_locked = 0;
    for (uint32_t i = CW_AM_TOKENS; i-- > 0;) {
        cw_am.pe_of[i] = -1;
        cw_am.name_of[i] = i;
        push(i);
    }
    cw_am.credits = (uint32_t)cwu_env.am_credits;
    // Observers see each request, and a routed one has another way: none takes the fast path then.
    cw_am.low = cw_world.watched || cw_routed_is_on() ? CW_AM_TOKENS : many_free();
}

static void give_back(uint32_t i)
{
    cw_am.pe_of[i] = -1;
    cw_am.name_of[i] += 0x10000;  // another generation
    push(i);
}

/** Takes in acknowledgements. Not in a handler, behind which cw_am_run puts the number of free
 *  tokens back: they stay where they are until then. */
static void collect_done(void)
{
    if (cw_am_in_handler && !cw_am.locked)
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

static bool at_limit(int node)
{
    return *nfree() <= many_free() && under_way(node) >= cw_am.credits;
}

int64_t cw_am_credit_take(int pe)
{
    int64_t token = -1;
    int node = cw_world.node_of_pe[pe];
    lock();
    if (*nfree() <= many_free())
        collect_done();
    if (*nfree() > 0 && !at_limit(node)) {
        uint32_t i = pop();
        cw_am.pe_of[i] = pe;
        token = cw_am.name_of[i];
    }
    unlock();
    return token;
}

bool cw_am_credit_return(uint32_t token)
{
    uint32_t i = token & 0xffff;
    lock();
    bool known = i < CW_AM_TOKENS && cw_am.pe_of[i] >= 0 && cw_am.name_of[i] == token;
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
