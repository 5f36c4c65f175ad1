// SPDX-License-Identifier: BSD-3-Clause
//
// A handler whose reply has to wait looks for what has come, acknowledgements of earlier requests
// included. All tokens are free afterwards, each once.
#include <unistd.h>

#include "am_test.h"
#include "core/am/private.h"

enum { ONEWAY = 1, ASK, ANSWER, SENT = 50 };

static _Atomic uint64_t came, asked, answered;

static void oneway(cw_am_msg_t *msg)
{
    (void)msg;
    atomic_fetch_add(&came, 1);
}

static void ask(cw_am_msg_t *msg)
{
    cw_am_due(NULL, cw_world.node_of_pe[1]);  // as in a long wait
    cw_am_reply_short(msg, HEAD(ANSWER, 0), NULL);
    atomic_fetch_add(&asked, 1);
}

static void answer(cw_am_msg_t *msg)
{
    (void)msg;
    atomic_fetch_add(&answered, 1);
}

/** Is each token in the list of free ones once? */
static bool all_are_free(void)
{
    uint8_t seen[CW_AM_TOKENS] = {0};
    for (uint32_t i = 0; i < cw_am.nfree; i++)
        if (cw_am.free[i] >= CW_AM_TOKENS || seen[cw_am.free[i]]++)
            return false;
    return cw_am.nfree == CW_AM_TOKENS;
}

/** PE 0: all its requests are acknowledged, but it has taken nothing in. */
static void await_acknowledgements(void)
{
    cw_barrier(cw_group_world);  // the target has them; it reports when it has nothing to do
    for (int ms = 0; ms < 10000; ms++) {
        int done = 0;
        for (uint32_t w = 0; w < CW_AM_TOKENS / 64; w++)
            done += __builtin_popcountll(atomic_load(&cw_am.mine->done[w]));
        if (done > 0)
            return;
        usleep(1000);
    }
    CHECK(!"no acknowledgement came");
}

int main(void)
{
    test_begin(CW_THREAD_SINGLE);
    cw_am_register(TEST_AM_CLIENT, ONEWAY, (cw_am_handler_t)oneway);
    cw_am_register(TEST_AM_CLIENT, ASK, (cw_am_handler_t)ask);
    cw_am_register(TEST_AM_CLIENT, ANSWER, (cw_am_handler_t)answer);
    cw_barrier(cw_group_world);
    if (cw_world.pe == 0) {
        for (int i = 0; i < SENT; i++)
            cw_am_request_short(1, HEAD(ONEWAY, 0), NULL, 0);
        await_acknowledgements();
        cw_barrier(cw_group_world);
        await(&asked, 1);
        for (int ms = 0; ms < 10000 && !all_are_free(); ms++) {
            cw_am_due(NULL, cw_world.node_of_pe[1]);
            usleep(1000);
        }
        CHECK(all_are_free(), "%u of %u tokens are free", cw_am.nfree, CW_AM_TOKENS);
    } else {
        await(&came, SENT);
        cw_barrier(cw_group_world);
        for (int i = 0; i < 100; i++) {  // reports while it waits
            cw_am_poll();
            usleep(100);
        }
        cw_barrier(cw_group_world);
        cw_am_request_short(0, HEAD(ASK, 0), NULL, 0);
        await(&answered, 1);
        CHECK(atomic_load(&came) == SENT);
    }
    return test_finish();
}
