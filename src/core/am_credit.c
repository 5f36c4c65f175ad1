// SPDX-License-Identifier: BSD-3-Clause
//
// Tokens and credits. A request takes one of this PE's tokens, which stands for the room of its reply (a cell of the
// reply ring and a buffer), and one of the credits of the target's node. Both come back when the reply's handler has
// run, or, if there was no reply, when the target has set the token's bit in this PE's `done` words.
#include "core/am_private.h"

static void give_back(uint32_t i)
{
    cw_am.under_way[cw_am.token[i].node]--;
    cw_am.token[i].node = -1;
    cw_am.token[i].generation++;
    cw_am.free[cw_am.nfree++] = (uint16_t)i;
}

/** Takes in what the targets have said. */
static void collect_done(void)
{
    for (uint32_t w = 0; w < CW_AM_TOKENS / 64; w++) {
        if (!atomic_load_explicit(&cw_am.mine->done[w], memory_order_relaxed))
            continue;
        uint64_t bits = atomic_exchange_explicit(&cw_am.mine->done[w], 0, memory_order_acquire);
        for (; bits; bits &= bits - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (cw_am.token[i].node >= 0)
                give_back(i);
        }
    }
}

static void lock(void)
{
    if (cw_am.locked)
        pthread_mutex_lock(&cw_am.credit_lock);
}

static void unlock(void)
{
    if (cw_am.locked)
        pthread_mutex_unlock(&cw_am.credit_lock);
}

int64_t cw_am_credit_look(int node)
{
    int64_t token = -1;
    lock();
    if (cw_am.nfree == 0 || cw_am.under_way[node] >= cw_am.credits)
        collect_done();
    if (cw_am.nfree > 0 && cw_am.under_way[node] < cw_am.credits) {
        uint32_t i = cw_am.free[--cw_am.nfree];
        cw_am.under_way[node]++;
        cw_am.token[i].node = node;
        token = cw_am_token_name(i);
    }
    unlock();
    return token;
}

bool cw_am_credit_return(uint32_t token)
{
    uint32_t i = token & 0xffff;
    lock();
    bool known = i < CW_AM_TOKENS && cw_am.token[i].node >= 0 && cw_am_token_name(i) == token;
    if (known)
        give_back(i);
    unlock();
    return known;
}
