// SPDX-License-Identifier: BSD-3-Clause
//
// Waits where a yield gives a time slice away, as it does beside programs that compute: this
// program's sched_yield takes 2 ms. Whatever waits, a thread yields at most once in 50 ms. Yields
// of an MPI below it are the MPI's own.
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>
#include <gasnet.h>
#include <shmem.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"
#include "frame/usage.h"

enum {
    ROUNDS = 100,
    THREADS = 4,
    ASK = 200,
    ANSWER
};  // threads: of a process, those that may yield

static _Atomic long yields;
static volatile int answers;
static int me, npes, last;
static long turn, word;
static long lock;

int sched_yield(void)
{
    Dl_info caller;
    if (!dladdr(__builtin_return_address(0), &caller) || strstr(caller.dli_fname, "causeway"))
        atomic_fetch_add(&yields, 1);
    usleep(2000);
    return 0;
}

static void on_ask(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, ANSWER);
}

static void on_answer(gasnet_token_t token)
{
    (void)token;
    answers++;
}

static void barriers(void)
{
    for (int i = 0; i < ROUNDS; i++)
        shmem_barrier_all();
}

/** The first and the last PE take turns; how they wait for theirs is the caller's. */
static void take_turns(void (*wait)(long want))
{
    for (long i = 1; i <= ROUNDS; i++) {
        if (me == 0)
            shmem_long_p(&turn, i, last);
        if (me == 0 || me == last)
            wait(i);
        if (me == last)
            shmem_long_p(&turn, i, 0);
    }
    shmem_barrier_all();
    turn = 0;
    shmem_barrier_all();
}

static void wait_until(long want)
{
    shmem_long_wait_until(&turn, SHMEM_CMP_EQ, want);
}

static void test_often(long want)
{
    while (!shmem_long_test(&turn, SHMEM_CMP_EQ, want)) {
    }
}

static void ask(long want)
{
    (void)want;
    if (me == 0)
        return;
    int before = answers;
    gasnet_AMRequestShort0(0, ASK);
    while (answers == before)
        gasnet_AMPoll();
}

static void ask_often(void)
{
    for (int i = 0; i < ROUNDS; i++)
        ask(0);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    while (gasnet_barrier_try(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_ERR_NOT_READY) {
    }
}

static void round_trips(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        shmem_long_atomic_fetch_inc(&word, last);
        shmem_long_p(&turn, 0, last);
        shmem_quiet();
    }
    shmem_barrier_all();
    if (me == last)
        CHECK(word == (long)ROUNDS * npes, "%ld", word);
}

static void locks(void)
{
    for (int i = 0; i < ROUNDS / 10; i++) {
        while (shmem_test_lock(&lock)) {
        }
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {{ASK, (void (*)(void))on_ask},
                                        {ANSWER, (void (*)(void))on_answer}};
    shmem_init();
    REQUIRE(gasnet_init(&argc, &argv) == GASNET_OK);
    REQUIRE(gasnet_attach(handlers, 2, GASNET_PAGESIZE, 0) == GASNET_OK);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    last = npes - 1;
    check_as("PE", me, npes);
    double start_s = now_s();
    long before = atomic_load(&yields);
    barriers();
    take_turns(wait_until);
    take_turns(test_often);
    ask_often();
    round_trips();
    locks();
    long most = (long)(THREADS * (1 + (now_s() - start_s) / 50e-3)), n = yields - before;
    CHECK(n <= most, "%ld yields, at most %ld were to be expected", n, most);
    shmem_finalize();
    return check_result();
}
