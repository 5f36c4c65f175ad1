// SPDX-License-Identifier: BSD-3-Clause
//
//     collected MESSAGES [lost | exit | order]
//
// Floods of short messages that leave the node while messages are collected (CAUSEWAY_AGGREGATE):
// none is lost, neither where both sides flood each other and reply, nor where the sender computes,
// nor at the end of the job, and afterwards messages take the fast path again. "lost" and "exit":
// PE 0 dies or ends the job while others flood it. "order": puts in their bundles stay in order.
#include <signal.h>
#include <unistd.h>

#include "am_test.h"
#include "base/clock.h"
#include "core/am/private.h"
#include "core/path/bundle.h"

#define COMPUTE_NS 1000000u
enum { NOTE = 1, ASK, ANSWER };

static _Atomic uint64_t noted, sum, answers;
static uint64_t *sent, *reported;  // symmetric: by PE 0; to PE 0, that all has come
static uint64_t *body;             // of the puts that others are in order behind
#define BODY 524288u               // words: more than a connection takes at once

static void note(cw_am_msg_t *msg, uint32_t number)
{
    (void)msg;
    atomic_fetch_add(&sum, number);
    atomic_fetch_add(&noted, 1);
}

static void ask(cw_am_msg_t *msg, uint32_t number, uint32_t twice)
{
    CHECK(twice == 2 * number);
    note(msg, number);
    cw_am_reply_short(msg, HEAD(ANSWER, 1), &number);
}

static void answer(cw_am_msg_t *msg, uint32_t number)
{
    (void)msg, (void)number;
    atomic_fetch_add(&answers, 1);
}

static bool is_far(int pe)
{
    return cw_world.node_of_pe[pe] != cw_world.node;
}

/** Each PE to each, every third one with a reply, in no time that the target could follow. */
static void flood(uint32_t messages)
{
    uint64_t asked = 0, npes = (uint64_t)cw_world.npes;
    for (uint32_t i = 1; i <= messages; i++)
        for (int pe = 0; pe < cw_world.npes; pe++) {
            uint32_t args[2] = {i, 2 * i};
            bool asks = i % 3 == 0;
            asked += asks;
            cw_am_request_short(pe, HEAD(asks ? ASK : NOTE, asks ? 2 : 1), args, 0);
        }
    await(&answers, asked);
    await(&noted, npes * messages);
    CHECK(atomic_load(&noted) == npes * messages && atomic_load(&answers) == asked);
    CHECK(atomic_load(&sum) == npes * messages * (messages + 1) / 2);
}

/** Round trips to a PE of another node: a flood is over after some of them. With few credits their
 *  requests can look like another one, which the next round trips end. */
static void calm_down(int pe)
{
    for (int i = 0; i < 200 || (cw_am.flood && i < 5000); i++) {
        uint64_t before = atomic_load(&answers);
        cw_am_request_short(pe, HEAD(ASK, 2), (uint32_t[]){0, 0}, 0);
        await(&answers, before + 1);
    }
    CHECK(!cw_am.flood);
}

static void await_word(const uint64_t *word, uint64_t value)
{
    cw_wait_t w = CW_WAIT_FOR("test", word, sizeof *word);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

/** Requests to a PE that does not poll: those that need not wait. Returns their number. */
static uint32_t send_while_collected(int pe, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && cw_am_request_short(pe, HEAD(NOTE, 1), &n, CW_AM_IMMEDIATE) == CW_OK)
        n++;
    return n;
}

/** The last PE computes while PE 0 sends it more than the credits of messages that go by
 *  themselves: those beyond are collected. Then PE 0 sends to itself. No other thread of the
 *  process counts what is collected, so no lock is held. A PE 0 that is kept from its processor
 *  makes no flood, and tries again. */
CW_LOCK_UNCHECKED static void send_ahead(void)
{
    enum { TRIES = 100, ENDS = 1 };
    int last = cw_world.npes - 1;
    uint32_t messages = cw_am_credit_collected() / 2;
    uint64_t before = atomic_load(&noted), all = 0, word = 0;
    cw_barrier(cw_group_world);
    for (uint64_t try = 1; cw_world.pe == 0 && !(word & ENDS); try++) {
        uint64_t collected = cw_bundles.collect.stats.operations;
        await_word(reported, try);
        all += send_while_collected(last, messages);
        bool grown = cw_bundles.collect.stats.operations > collected;
        CHECK(grown || try < TRIES, "no request was collected");
        word = (try << 32 | all << 1) + (grown || try == TRIES);
        cw_put(&cw_ctx_default, sent, &word, sizeof word, last);
        cw_quiet_default();
    }
    for (uint64_t try = 1; cw_world.pe == last && !(word & ENDS); try++) {
        cw_put(&cw_ctx_default, reported, &try, sizeof try, 0);
        cw_quiet_default();
        while ((word = __atomic_load_n(sent, __ATOMIC_ACQUIRE)) >> 32 != try)
            ;
        await(&noted, before + (uint32_t)word / 2);
    }
    if (cw_world.pe == 0) {
        *reported = 0;
        for (uint32_t i = 0; i < 100; i++)
            cw_am_request_short(0, HEAD(NOTE, 1), &i, 0);
        CHECK(!cw_am.flood, "requests within the node end a flood");
        await(&noted, before + 100);
    }
    cw_barrier(cw_group_world);
}

/** PE 0 floods and computes until the last PE has reported that all has come. */
static void compute(uint32_t messages)
{
    int last = cw_world.npes - 1;
    uint64_t before = atomic_load(&noted);
    cw_barrier(cw_group_world);
    if (cw_world.pe == 0) {
        for (uint32_t i = 0; i < messages; i++)
            cw_am_request_short(last, HEAD(NOTE, 1), &i, 0);
        while (!__atomic_load_n(reported, __ATOMIC_ACQUIRE))
            ;
    } else if (cw_world.pe == last) {
        await(&noted, before + messages);
        cw_put(&cw_ctx_default, reported, &(uint64_t){1}, sizeof *reported, 0);
    }
    cw_quiet_default();
    cw_barrier(cw_group_world);
}

/** A put behind a fence is in order behind those before the fence, although it is collected in a
 *  bundle that a message has opened, and sent by the flusher. */
static void keep_order(uint64_t rounds)
{
    static uint64_t mine[BODY];
    int last = cw_world.npes - 1;
    cw_barrier(cw_group_world);
    for (uint64_t round = 1; round <= rounds; round++) {
        if (cw_world.pe == 0) {
            mine[BODY - 1] = round;
            cw_put_nbi(&cw_ctx_default, body, mine, sizeof mine, last);
            cw_fence_default();
            for (uint32_t i = 0; i < 30; i++)
                cw_am_request_short(last, HEAD(NOTE, 1), &i, 0);
            cw_put_nbi(&cw_ctx_default, sent, &round, sizeof round, last);
            for (uint64_t until = cwu_now_ns() + COMPUTE_NS; cwu_now_ns() < until;)
                ;  // the flusher sends what was collected, and no call the rest of the body
            cw_quiet_default();
            await_word(reported, round);
            CHECK(__atomic_load_n(reported, __ATOMIC_ACQUIRE) == round);
        } else if (cw_world.pe == last) {
            while (__atomic_load_n(sent, __ATOMIC_ACQUIRE) != round)
                cw_am_poll();
            CHECK(__atomic_load_n(&body[BODY - 1], __ATOMIC_ACQUIRE) == round);
            cw_put(&cw_ctx_default, reported, &round, sizeof round, 0);
            cw_quiet_default();
        }
    }
    cw_barrier(cw_group_world);
}

/** PE 0 dies, or ends the job, amid a flood. */
static void end_amid(bool dies)
{
    cw_barrier(cw_group_world);
    for (uint32_t i = 0;; i++) {
        if (cw_world.pe == 0 && atomic_load(&noted) > 5000) {
            if (dies)
                raise(SIGKILL);
            cw_global_exit(3);
        }
        if (cw_world.pe == 0)
            cw_am_poll();
        else
            cw_am_request_short(0, HEAD(NOTE, 1), &i, 0);
    }
}

/** The last thing before a PE leaves is a flood. */
static void leave(uint32_t messages)
{
    int next = (cw_world.pe + 1) % cw_world.npes;
    uint64_t before = atomic_load(&noted);
    cw_barrier(cw_group_world);
    for (uint32_t i = 0; i < messages; i++)
        cw_am_request_short(next, HEAD(NOTE, 1), &i, 0);
    await(&noted, before + messages);
}

int main(int argc, char **argv)
{
    uint32_t messages = argc > 1 ? (uint32_t)atoi(argv[1]) : 3000;
    test_begin(CW_THREAD_SINGLE);
    cw_am_register(TEST_AM_CLIENT, NOTE, (cw_am_handler_t)note);
    cw_am_register(TEST_AM_CLIENT, ASK, (cw_am_handler_t)ask);
    cw_am_register(TEST_AM_CLIENT, ANSWER, (cw_am_handler_t)answer);
    sent = cw_heap_malloc(64, sizeof *sent);
    reported = cw_heap_malloc(64, sizeof *reported);
    body = cw_heap_malloc(64, BODY * sizeof *body);
    *sent = *reported = 0;
    cw_barrier(cw_group_world);
    if (argc > 2 && (!strcmp(argv[2], "lost") || !strcmp(argv[2], "exit")))
        end_amid(!strcmp(argv[2], "lost"));
    if (argc > 2 && !strcmp(argv[2], "order")) {
        keep_order(messages);
        return test_finish();
    }
    int last = cw_world.npes - 1;
    flood(messages);
    cw_barrier(cw_group_world);
    if (cw_world.pe == 0 && is_far(last))
        calm_down(last);
    if (cw_bundles_possible())
        send_ahead();
    compute(500);
    leave(400);
    return test_finish();
}
