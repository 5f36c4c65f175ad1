// SPDX-License-Identifier: BSD-3-Clause
//
// Handlers run without a poll: of messages that arrive while a node does nothing but blocking puts
// and gets, or begins others and waits for them, or tests what is complete, here and to the next
// node; and of requests to the node itself, in the call that sends them.
#define EVERY_MAIN
#include "every.h"

#include <time.h>
#include <unistd.h>

enum { ON_PING = 200, ON_PONG, ON_SHORT, ON_LOADED, ON_ASKED, ON_ANSWER, NBYTES = 512 };

static volatile int pings, pongs, shorts, loaded, answers;

static void on_ping(gasnet_token_t token)
{
    pings++;
    gasnet_AMReplyShort0(token, ON_PONG);
}

static void on_pong(gasnet_token_t token)
{
    (void)token;
    pongs++;
}

static void on_short(gasnet_token_t token, gasnet_handlerarg_t a0, gasnet_handlerarg_t a1,
                     gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4)
{
    (void)token;
    shorts += a0 + a1 + a2 + a3 + a4;
}

static void on_loaded(gasnet_token_t token, void *payload, size_t nbytes)
{
    (void)token;
    loaded += ((char *)payload)[nbytes - 1];
}

static void on_asked(gasnet_token_t token, gasnet_handlerarg_t arg)
{
    gasnet_AMReplyShort1(token, ON_ANSWER, arg + 1);
}

static void on_answer(gasnet_token_t token, gasnet_handlerarg_t arg)
{
    (void)token;
    answers += arg;
}

static uint64_t bytes[NBYTES / 8];
static gex_TM_t team;

/** Begins an operation and completes it, by a sync of that kind; false: there is none. */
static int sync_call(int kind, unsigned node)
{
    void *there = segments[node].addr;
    gasnet_handle_t handles[2] = {GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE};
    switch (kind) {
    case 0:
        gasnet_put_nbi(node, there, bytes, 8);
        gasnet_wait_syncnbi_puts();
        return 1;
    case 1:
        gasnet_get_nbi_bulk(bytes, node, there, NBYTES);
        gasnet_wait_syncnbi_all();
        return 1;
    case 2:
        gasnet_wait_syncnb(gasnet_put_nb(node, there, bytes, 8));
        return 1;
    case 3:
        handles[0] = gasnet_get_nb(bytes, node, there, 8);
        gasnet_wait_syncnb_all(handles, 2);
        return 1;
    case 4:
        handles[1] = gasnet_put_nb_bulk(node, there, bytes, NBYTES);
        gasnet_wait_syncnb_some(handles, 2);
        gasnet_wait_syncnb(handles[1]);
        return 1;
    case 5:
        bytes[0] = gasnet_wait_syncnb_valget(gasnet_get_nb_val(node, there, 8));
        return 1;
    case 6:
        gex_Event_Wait(gex_RMA_PutNB(team, node, there, bytes, 8, GEX_EVENT_DEFER, 0));
        return 1;
    case 7:
        gex_RMA_GetNBI(team, bytes, node, there, 8, 0);
        gex_NBI_Wait(GEX_EC_ALL, 0);
        return 1;
    case 8:
        handles[0] = gex_RMA_GetNB(team, bytes, node, there, 8, 0);
        gex_Event_WaitAll(handles, 2, 0);
        return 1;
    default:
        return 0;
    }
}

/** Tests what is complete. */
static int try_call(int kind)
{
    gasnet_handle_t none[2] = {GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE};
    switch (kind) {
    case 0:
        return gasnet_try_syncnb(GASNET_INVALID_HANDLE) == GASNET_OK;
    case 1:
        return gasnet_try_syncnb_all(none, 2) == GASNET_OK;
    case 2:
        return gasnet_try_syncnb_some(none, 2) == GASNET_OK;
    case 3:
        return gasnet_try_syncnbi_all() == GASNET_OK;
    case 4:
        return gasnet_try_syncnbi_puts() == GASNET_OK;
    case 5:
        return gasnet_try_syncnbi_gets() == GASNET_OK;
    case 6:
        return gex_Event_Test(GEX_EVENT_INVALID) == GASNET_OK;
    case 7:
        return gex_Event_TestAll(none, 2, 0) == GASNET_OK;
    case 8:
        return gex_NBI_Test(GEX_EC_ALL, 0) == GASNET_OK;
    default:
        return 0;
    }
}

/** One blocking call of that kind, or one with its sync; false: there is none. */
static int call(int kind, unsigned node)
{
    void *there = segments[node].addr;
    size_t strides[1] = {16}, count[2] = {8, 4};
    switch (kind) {
    case 0:
        gasnet_put(node, there, bytes, 8);
        return 1;
    case 1:
        gasnet_get(bytes, node, there, 8);
        return 1;
    case 2:
        gasnet_put(node, there, bytes, 100);
        return 1;
    case 3:
        gasnet_get_bulk(bytes, node, there, NBYTES);
        return 1;
    case 4:
        gasnet_put_val(node, there, 7, 8);
        return 1;
    case 5:
        bytes[0] = gasnet_get_val(node, there, 4);
        return 1;
    case 6:
        gasnet_memset(node, there, 0, 64);
        return 1;
    case 7:
        gasnet_puts_bulk(node, there, strides, bytes, strides, count, 1);
        return 1;
    case 8:
        gex_RMA_PutBlocking(team, node, there, bytes, 8, 0);
        return 1;
    case 9:
        gex_RMA_GetBlocking(team, bytes, node, there, 8, 0);
        return 1;
    case 10:
        gex_RMA_PutBlockingVal(team, node, there, 1, 8, 0);
        return 1;
    default:
        return kind < 20 ? sync_call(kind - 11, node) : try_call(kind - 20);
    }
}

/** Calls, without a poll of its own, until a message was handled. */
static void spin(int kind, unsigned node, int wanted)
{
    time_t begun = time(NULL);
    uint64_t calls = 0;
    while (pings < wanted && (calls++ % 4096 != 0 || time(NULL) - begun < 20))
        call(kind, node);
    CHECK(pings == wanted, "kind %d to node %u: no handler ran in %llu calls", kind, node,
          (unsigned long long)calls);
    while (pings < wanted)
        gasnet_AMPoll();
}

/** Node 0 spins, the last one sends it a message in each phase. */
static void test_spins(void)
{
    int phases = 0;
    for (int kind = 0; call(kind, me); kind++)
        phases += 2;
    for (int i = 0; i < phases; i++) {
        barrier();  // or one poll may handle the messages of two phases
        if (me == 0)
            spin(i / 2, i % 2 ? next : 0, i + 1);
        if (me == nodes - 1) {
            usleep(5000);
            gasnet_AMRequestShort0(0, ON_PING);
            GASNET_BLOCKUNTIL(pongs == i + 1);
        }
    }
    barrier();
}

static void test_own(void)
{
    char data[NBYTES];
    memset(data, 3, sizeof data);
    for (int round = 1; round <= 300; round++) {
        shorts = loaded = answers = 0;
        gasnet_AMRequestShort5(me, ON_SHORT, 1, 2, 3, 4, 5);
        CHECK(shorts == 15, "a short request to the node itself: %d", shorts);
        gasnet_AMRequestMedium0(me, ON_LOADED, data, sizeof data);
        CHECK(loaded == 3, "a medium one: %d", loaded);
        gasnet_AMRequestLong0(me, ON_LOADED, data, sizeof data, mine);
        CHECK(loaded == 6, "a long one: %d", loaded);
        gasnet_AMRequestLongAsync0(me, ON_LOADED, data, sizeof data, mine);
        CHECK(loaded == 9, "an asynchronous one: %d", loaded);
        gasnet_AMRequestShort1(me, ON_ASKED, round);
        CHECK(answers == round + 1, "the reply to one: %d", answers);
        gex_AM_RequestShort5(team, me, ON_SHORT, 0, 1, 1, 1, 1, 1);
        CHECK(shorts == 20, "a short one of GASNet-EX: %d", shorts);
        gex_AM_RequestMedium0(team, me, ON_LOADED, data, 5, GEX_EVENT_NOW, 0);
        CHECK(loaded == 12, "a medium one: %d", loaded);
        gex_AM_RequestLong0(team, me, ON_LOADED, data, 5, mine, GEX_EVENT_NOW, 0);
        CHECK(loaded == 15, "a long one: %d", loaded);
        gex_AM_SrcDesc_t sd =
            gex_AM_PrepareRequestMedium(team, me, data, 5, 5, GEX_EVENT_NOW, 0, 0);
        gex_AM_CommitRequestMedium0(sd, ON_LOADED, 5);
        CHECK(loaded == 18, "a prepared one: %d", loaded);
    }
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{ON_PING, on_ping},   {ON_PONG, on_pong},
                                     {ON_SHORT, on_short}, {ON_LOADED, on_loaded},
                                     {ON_ASKED, on_asked}, {ON_ANSWER, on_answer}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(table, 6, SEGMENT);
    gasnet_QueryGexObjects(NULL, NULL, &team, NULL);
    barrier();
    test_own();
    if (nodes > 1)
        test_spins();
    every_end("progress");
}
