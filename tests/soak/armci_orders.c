// SPDX-License-Identifier: BSD-3-Clause
//
// armci_orders ROUNDS: the order of a thread's own operations on one location, while another thread
// does nothing but one kind of call that orders or completes what all have collected: fences of one
// process and of all, barriers, waits for handles, values. What a thread has put it reads in
// whatever way it asks. A thread computes beside them, so that any may lose its processor anywhere.
#include <armci.h>
#include <message.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "frame/check.h"

enum { ISSUERS = 3, MULTIPLE = 3, PUTS = 5 };

static long **at;  // [process]: a word for each issuer of each process, then one each for orderers
static int me, nprocs, rounds;
static _Atomic int over;  // issuers that have come to the end of a scene
static _Atomic bool stop;

static long *word(int proc, int writer, int thread)
{
    return at[proc] + writer * ISSUERS + thread;
}

static long *word_of_orderer(int proc, int writer)
{
    return at[proc] + nprocs * ISSUERS + writer;
}

/** Reads it in one of the ways that go another path than small puts. */
static long read_back(int proc, long *theirs, int way)
{
    long got = -1;
    armci_hdl_t handle;
    switch (way % 4) {
    case 0:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &got, theirs, 0, proc);
        break;
    case 1:
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbGet(theirs, &got, sizeof got, proc, &handle);
        ARMCI_Wait(&handle);
        break;
    case 2:
        ARMCI_Get(theirs, &got, sizeof got, proc);
        break;
    default:
        got = ARMCI_GetValueLong(theirs, proc);
    }
    return got;
}

static void write_to(int proc, long *theirs, long *value, int way)
{
    long one = 1;
    ++*value;
    if (way % 3 == 0)
        ARMCI_NbPut(value, theirs, sizeof *value, proc, NULL);
    else if (way % 3 == 1)
        ARMCI_PutValueLong(*value, theirs, proc);
    else
        ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, theirs, sizeof one, proc);
}

static void pause_for(long us)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

static void *issuer(void *arg)
{
    int t = (int)(long)arg, proc = (me + 1 + t % (nprocs - 1)) % nprocs;
    long *theirs = word(proc, me, t), value = read_back(proc, theirs, 0);
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < PUTS; i++)
            write_to(proc, theirs, &value, r + i);
        pause_for(r * 7 % 60);  // in which the orderer may begin to send what was collected
        long got = read_back(proc, theirs, r);
        CHECK(got == value, "thread %d, way %d: %ld is read behind its own %ld", t, r % 4, got,
              value);
    }
    atomic_fetch_add(&over, 1);
    return NULL;
}

static void *compute(void *arg)
{
    for (long i = 0; !atomic_load_explicit(&stop, memory_order_relaxed); i++)
        *(volatile long *)arg = i;
    return NULL;
}

// ---------------------------------------------------------------- calls that order
/** Something of the orderer's own to every process. */
static void put_to_all(void)
{
    static long value;
    value++;
    for (int proc = 0; proc < nprocs; proc++)
        if (proc != me)
            ARMCI_NbPut(&value, word_of_orderer(proc, me), sizeof value, proc, NULL);
}

static void call_all_fence(void)
{
    put_to_all();
    ARMCI_AllFence();
}

static void call_fence(void)
{
    put_to_all();
    for (int proc = 0; proc < nprocs; proc++)
        ARMCI_Fence(proc);
}

static void call_wait_all(void)
{
    put_to_all();
    ARMCI_WaitAll();
}

static void call_rmw(void)
{
    int proc = (me + 1) % nprocs;
    long old;
    put_to_all();
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, word_of_orderer(proc, me), 0, proc);
}

static void call_barrier(void)
{
    put_to_all();
    ARMCI_Barrier();
}

static const struct scene {
    void (*call)(void);
    bool together;
} scenes[] = {{call_all_fence, false},
              {call_fence, false},
              {call_wait_all, false},
              {call_rmw, false},
              {call_barrier, true}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void play(const struct scene *s)
{
    pthread_t issuers[ISSUERS];
    atomic_store(&over, 0);
    for (long t = 0; t < ISSUERS; t++)
        pthread_create(&issuers[t], NULL, issuer, (void *)t);
    for (int calls = 0; s->together ? calls < rounds / 4 : atomic_load(&over) < ISSUERS; calls++)
        s->call();
    for (int t = 0; t < ISSUERS; t++)
        pthread_join(issuers[t], NULL);
    ARMCI_Barrier();
}

int main(int argc, char **argv)
{
    long burnt = 0;
    pthread_t beside;
    rounds = argc > 1 ? atoi(argv[1]) : 100;
    REQUIRE(ARMCI_Init_thread(MULTIPLE) == 0);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    size_t nwords = (size_t)nprocs * (ISSUERS + 1);
    at = malloc((size_t)nprocs * sizeof *at);
    REQUIRE(at && ARMCI_Malloc((void **)at, (armci_size_t)(nwords * sizeof(long))) == 0);
    for (size_t i = 0; i < nwords; i++)
        at[me][i] = 0;
    ARMCI_Barrier();
    pthread_create(&beside, NULL, compute, &burnt);
    for (int i = 0; i < SCENES; i++)
        play(&scenes[i]);
    atomic_store(&stop, true);
    pthread_join(beside, NULL);
    ARMCI_Barrier();
    ARMCI_Free(at[me]);
    free(at);
    ARMCI_Finalize();
    return check_result();
}
