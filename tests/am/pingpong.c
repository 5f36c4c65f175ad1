// SPDX-License-Identifier: BSD-3-Clause
//
//     pingpong [ROUNDS]
//
// PE 0 and PE 1: round trips of short messages, beside two bare flags (within a node: stores into
// each other's memory; between nodes: puts), and a flood of one-way shorts. Prints medians; checks
// only that all messages arrive.
#include "am_test.h"
#include "base/clock.h"

enum { PING = 1, PONG, ONEWAY, BATCHES = 21 };

static _Atomic uint64_t pongs, oneways;
static uint64_t *flag;

static void ping(cw_am_msg_t *msg, uint32_t n)
{
    cw_am_reply_short(msg, HEAD(PONG, 1), &n);
}

static void pong(cw_am_msg_t *msg, uint32_t n)
{
    (void)msg, (void)n;
    atomic_fetch_add_explicit(&pongs, 1, memory_order_relaxed);
}

static void oneway(cw_am_msg_t *msg, uint32_t n)
{
    (void)msg, (void)n;
    atomic_fetch_add_explicit(&oneways, 1, memory_order_relaxed);
}

static void await_flag(uint64_t value)
{
    cw_wait_t w = CW_WAIT_FOR("flag", flag, sizeof *flag);
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

/** Without the library's waiting: the least time that two flags take. */
static void spin_flag(uint64_t value)
{
    if (cw_world.nnodes > 1) {
        await_flag(value);
        return;
    }
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
        cwu_cpu_pause();
}

static void set_flag(int pe, uint64_t value)
{
    cw_put_scalar(&cw_ctx_default, flag, value, sizeof *flag, pe);
}

static double median(double *v)
{
    for (int i = 1; i < BATCHES; i++)
        for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
            double t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
    return v[BATCHES / 2];
}

static double flags(int rounds)
{
    static uint64_t at;
    double ns[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = cwu_now_ns();
        for (int i = 0; i < rounds; i++) {
            at++;
            if (cw_world.pe == 0)
                set_flag(1, at);
            spin_flag(at);
            if (cw_world.pe == 1)
                set_flag(0, at);
        }
        ns[b] = (double)(cwu_now_ns() - start) / rounds;
    }
    return median(ns);
}

static double messages(int rounds)
{
    double ns[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = cwu_now_ns();
        for (uint32_t i = 0; i < (uint32_t)rounds; i++) {
            uint64_t until = atomic_load_explicit(&pongs, memory_order_relaxed) + 1;
            cw_am_request_short(1, HEAD(PING, 1), &i, 0);
            await(&pongs, until);
        }
        ns[b] = (double)(cwu_now_ns() - start) / rounds;
    }
    return median(ns);
}

static double flood(int rounds)
{
    double ns[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = cwu_now_ns();
        for (uint32_t i = 0; i < (uint32_t)rounds; i++)
            cw_am_request_short(1, HEAD(ONEWAY, 1), &i, 0);
        ns[b] = (double)(cwu_now_ns() - start) / rounds;
    }
    return median(ns);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    test_begin(CW_THREAD_SINGLE);
    cw_am_register(TEST_AM_CLIENT, PING, (cw_am_handler_t)ping);
    cw_am_register(TEST_AM_CLIENT, PONG, (cw_am_handler_t)pong);
    cw_am_register(TEST_AM_CLIENT, ONEWAY, (cw_am_handler_t)oneway);
    flag = cw_heap_malloc(64, sizeof *flag);
    *flag = 0;
    cw_barrier(cw_group_world);
    double bare = cw_world.pe < 2 ? flags(rounds) : 0, am = 0, one = 0;
    cw_barrier(cw_group_world);
    if (cw_world.pe == 0) {
        am = messages(rounds);
        one = flood(rounds);
    }
    cw_barrier(cw_group_world);
    uint64_t all = (uint64_t)rounds * BATCHES;
    if (cw_world.pe == 1)
        await(&oneways, all);
    if (cw_world.pe == 0)
        printf("round trip: flags %.0f ns, short request and reply %.0f ns (%.2f); one-way short "
               "%.0f ns\n",
               bare, am, am / bare, one);
    CHECK(cw_world.pe != 0 || atomic_load(&pongs) == all);
    CHECK(cw_world.pe != 1 || atomic_load(&oneways) == all);
    return test_finish();
}
