// SPDX-License-Identifier: BSD-3-Clause
//
// A try never waits for the network: on a slow one (CAUSEWAY_DELAY) it returns "not ready" again
// and again, until the operations that it is about are done. That holds, too, for a node that
// issues more operations between the tries. With an argument the network is known to be slow, and
// then some tries must have been too early.
#define EVERY_MAIN
#include "every.h"

#include <sched.h>

enum { ROUNDS = 40, SLOW_ROUNDS = 10, MANY = 8, MOST_TRIES = 50000000 };
static long early;

/** Repeats `attempt` until its result is not GASNET_ERR_NOT_READY. */
#define TRY(attempt)                                                          \
    do {                                                                      \
        int result;                                                           \
        for (long n = 0; (result = (attempt)) == GASNET_ERR_NOT_READY; n++) { \
            early++;                                                          \
            CHECK(n < MOST_TRIES, "never ready");                             \
            sched_yield();                                                    \
        }                                                                     \
        CHECK(result == GASNET_OK, "result %d", result);                      \
    } while (0)

static uint64_t remote(size_t i)
{
    uint64_t value = 0;
    gasnet_get(&value, next, theirs + 8 * i, 8);
    return value;
}

static void implicit(uint64_t round)
{
    uint64_t value = round * 3 + 1, back = 0, block[8] = {round, round + 1};
    gasnet_put_nbi(next, theirs, &value, 8);
    gasnet_put_nbi_bulk(next, theirs + 64, block, sizeof block);
    TRY(gasnet_try_syncnbi_puts());
    CHECK(remote(0) == value && remote(8) == round && remote(9) == round + 1, "round %d",
          (int)round);
    gasnet_get_nbi(&back, next, theirs, 8);
    TRY(gasnet_try_syncnbi_gets());
    CHECK(back == value, "round %d", (int)round);
    gasnet_put_nbi_val(next, theirs, value + 1, 8);
    gasnet_get_nbi(&back, next, theirs + 64, 8);
    TRY(gasnet_try_syncnbi_all());
    CHECK(back == round && remote(0) == value + 1, "round %d", (int)round);
}

static void explicit(uint64_t round)
{
    uint64_t value = round * 5 + 2, back = 0;
    gasnet_handle_t put = gasnet_put_nb(next, theirs, &value, 8);
    TRY(gasnet_try_syncnb(put));
    CHECK(remote(0) == value, "round %d", (int)round);
    gasnet_handle_t get = gasnet_get_nb(&back, next, theirs, 8);
    TRY(gasnet_try_syncnb(get));
    CHECK(back == value, "round %d", (int)round);
}

static void arrays(uint64_t round)
{
    uint64_t values[MANY];
    gasnet_handle_t handles[MANY];
    for (size_t i = 0; i < MANY; i++) {
        values[i] = round * 7 + i;
        handles[i] = gasnet_put_nb_bulk(next, theirs + 8 * i, &values[i], 8);
    }
    TRY(gasnet_try_syncnb_some(handles, MANY));
    TRY(gasnet_try_syncnb_all(handles, MANY));
    for (size_t i = 0; i < MANY; i++)
        CHECK(handles[i] == GASNET_INVALID_HANDLE && remote(i) == values[i], "handle %zu", i);
}

/** A younger operation is always in flight. */
static void without_pause(uint64_t round)
{
    uint64_t value = round * 11 + 3;
    gasnet_handle_t first = gasnet_put_nb(next, theirs, &value, 8);
    long n = 0;
    for (; gasnet_try_syncnb(first) != GASNET_OK; n++) {
        early++;
        CHECK(n < MOST_TRIES, "never ready");
        gasnet_put_nbi(next, theirs + 128, &n, sizeof n);
        sched_yield();
    }
    CHECK(remote(0) == value, "round %d", (int)round);
    gasnet_put_nbi(next, theirs, &value, 8);
    for (n = 0; gasnet_try_syncnbi_puts() != GASNET_OK; n++) {
        early++;
        CHECK(n < MOST_TRIES, "never ready");
        gasnet_put_nbi(next, theirs + 128, &n, sizeof n);
        sched_yield();
    }
    CHECK(remote(0) == value, "round %d", (int)round);
}

int main(int argc, char **argv)
{
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(NULL, 0, SEGMENT);
    for (uint64_t round = 0; round < (argc > 1 ? SLOW_ROUNDS : ROUNDS); round++) {
        implicit(round);
        explicit(round);
        arrays(round);
        without_pause(round);
    }
    CHECK(argc < 2 || early > 0, "no try was too early");
    barrier();
    printf("node %u: split: %d checks, %d failed, %ld times too early\n", (unsigned)me, checks_done,
           checks_failed, early);
    gasnet_exit(checks_failed != 0);
}
