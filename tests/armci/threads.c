// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads of each process use ARMCI at once: puts and gets in places of their own, with and
// without handles, sections and vectors; accumulates, fetch-and-adds and mutexes on shared ones.
// threads [THREADS [ROUNDS]]. WITH_MPI: the thread level is that of MPI.
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <armci.h>
#include <message.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

enum { PROCS_MOST = 16, THREADS_MOST = 8, WORDS = 512, SHARED = 64, MUTEXES = 2 };

/** What each process has: a place for each thread of each process, and what all share. */
typedef struct block {
    long own[PROCS_MOST][THREADS_MOST][WORDS];
    double sums[SHARED];
    long tickets;
    int swapped;
    long guarded[MUTEXES];
    int taken[PROCS_MOST * THREADS_MOST * 512];
} block_t;

static int me, nprocs, nthreads = 2, rounds = 20;
static void *blocks[PROCS_MOST];

static block_t *block_of(int proc)
{
    return blocks[proc];
}

static void fill(long *words, int proc, int thread, int round)
{
    for (int i = 0; i < WORDS; i++)
        words[i] = ((long)me * 1000 + proc * 100 + thread) * 1000000 + round * 1000 + i;
}

static void put_and_get(int proc, int thread, int round)
{
    long out[WORDS], in[WORDS], *there = block_of(proc)->own[me][thread];
    fill(out, proc, thread, round);
    memset(in, 0, sizeof in);
    armci_hdl_t handle;
    int half = sizeof out / 2, row = 64, count[] = {row, half / row}, stride = row;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_Put(out, there, half, proc);
    if (round % 2)
        ARMCI_PutS(out + WORDS / 2, &stride, there + WORDS / 2, &stride, count, 1, proc);
    else
        ARMCI_NbPut(out + WORDS / 2, there + WORDS / 2, half, proc, &handle);
    if (round % 2 == 0)
        ARMCI_Wait(&handle);
    // one thread's operations on one location come in order
    CHECK(ARMCI_GetValueLong(there, proc) == out[0], "thread %d: %ld", thread, *there);
    if (round % 3)
        ARMCI_Get(there, in, sizeof in, proc);
    else
        ARMCI_NbGet(there, in, sizeof in, proc, &handle);
    if (round % 3 == 0)
        ARMCI_Wait(&handle);
    CHECK(memcmp(in, out, sizeof in) == 0, "thread %d of process %d, at process %d in round %d",
          thread, me, proc, round);
}

/** A section goes by a request, a put and a get of a block directly; none overtakes the other. */
static void overtake(int proc, int thread, int round)
{
    long out[16], last[16], in[16] = {0}, *there = block_of(proc)->own[me][thread];
    int stride = 2 * sizeof(long), count[] = {sizeof(long), 8};
    for (int i = 0; i < 16; i++) {
        out[i] = -round * 100 - i - 1;
        last[i] = round * 100 + i;
    }
    ARMCI_PutS(out, &stride, there, &stride, count, 1, proc);
    ARMCI_Put(last, there, sizeof last, proc);
    ARMCI_PutS(out, &stride, there + 1, &stride, count, 1, proc);
    ARMCI_Get(there, in, sizeof in, proc);
    for (int i = 0; i < 16; i++)
        CHECK(in[i] == (i % 2 ? out[i - 1] : last[i]), "word %d is %ld in round %d", i, in[i],
              round);
}

static void share(int proc)
{
    double ones[SHARED], scale = 0.5;
    long ticket = -1, value;
    for (int i = 0; i < SHARED; i++)
        ones[i] = 2 * (i + 1);
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones, block_of(proc)->sums, sizeof ones, proc);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, &block_of(proc)->tickets, 1, proc);
    CHECK(ticket >= 0 && ticket < (long)nprocs * nthreads * rounds, "ticket %ld", ticket);
    ARMCI_PutValueInt(1, &block_of(proc)->taken[ticket], proc);
    int mutex = (int)ticket % MUTEXES;
    ARMCI_Lock(mutex, proc);
    value = ARMCI_GetValueLong(&block_of(proc)->guarded[mutex], proc);
    ARMCI_PutValueLong(value + 1, &block_of(proc)->guarded[mutex], proc);
    ARMCI_Unlock(mutex, proc);
}

static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < nprocs; i++) {
            int proc = (me + thread + i) % nprocs;
            put_and_get(proc, thread, round);
            overtake(proc, thread, round);
            share(proc);
            if (round % 5 == 4)
                ARMCI_Fence(proc);
        }
    return NULL;
}

static void verify(void)
{
    const block_t *mine = block_of(me);
    long all = (long)nprocs * nthreads * rounds;
    for (int i = 0; i < SHARED; i++)
        CHECK(mine->sums[i] == (double)(all * (i + 1)), "sum %d is %g", i, mine->sums[i]);
    CHECK(mine->tickets == all, "%ld tickets", mine->tickets);
    for (long i = 0; i < all; i++)
        CHECK(mine->taken[i] == 1, "ticket %ld was given to no thread", i);
    CHECK(mine->guarded[0] + mine->guarded[1] == all, "%ld and %ld under the mutexes",
          mine->guarded[0], mine->guarded[1]);
}

/** With MPI: its level, of two nodes. */
static int join(int *argc, char ***argv)
{
#ifdef WITH_MPI
    int level;
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    setenv("CAUSEWAY_NODE", number ? number : "0", 1);
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    return level < MPI_THREAD_MULTIPLE || ARMCI_Init();
#else
    (void)argc, (void)argv;
    return ARMCI_Init_thread(3);
#endif
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MOST];
    if (argc > 1)
        nthreads = atoi(argv[1]);
    if (argc > 2)
        rounds = atoi(argv[2]);
    REQUIRE(join(&argc, &argv) == 0);
    me = armci_msg_me(), nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    REQUIRE(nthreads <= THREADS_MOST && nprocs <= PROCS_MOST && rounds <= 512);
    REQUIRE(ARMCI_Malloc(blocks, sizeof(block_t)) == 0 && ARMCI_Create_mutexes(MUTEXES) == 0);
    memset(blocks[me], 0, sizeof(block_t));
    ARMCI_Barrier();
    for (int i = 0; i < nthreads; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < nthreads; i++)
        pthread_join(threads[i], NULL);
    ARMCI_Barrier();
    verify();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(blocks[me]);
    int failed = checks_failed;
    armci_msg_igop(&failed, 1, (char *)"+");
    if (me == 0)
        check_result();
    ARMCI_Finalize();
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return failed != 0;
}
