// SPDX-License-Identifier: BSD-3-Clause
//
// Progress of a process that blocks in one library while others need it through another. Even
// processes block, each odd one works on the one before it.
//   MPI_Barrier          puts, gets and atomics of GASNet and OpenSHMEM are served; handlers of
//                        messages wait
//   shmem_barrier_all,   handlers run
//   shmem_wait_until
//   MPI_Ibarrier, tested between polls: handlers run
//   MPI_Recv, another thread polls (GASNET_PAR): handlers run
#include <mpi.h>
//
#include <gasnet.h>
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

enum { ASK = 200, REPLY, ROUNDS = 20, WORDS = 512 };

static long flag, sum;
static int me;
static volatile int asked, replied, stop;
static gasnet_seginfo_t segments[64];

static void ask(gasnet_token_t token, gasnet_handlerarg_t wants_reply)
{
    asked++;
    if (wants_reply)
        gasnet_AMReplyShort0(token, REPLY);
}

static void reply(gasnet_token_t token)
{
    (void)token;
    replied++;
}

static void ask_and_wait(gasnet_node_t node)
{
    int before = replied;
    gasnet_AMRequestShort1(node, ASK, 1);
    GASNET_BLOCKUNTIL(replied > before);
}

/** Without any help of the target's program. */
static void reach_into(int target)
{
    long out[WORDS], in[WORDS], *there = segments[target].addr;
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++)
            out[i] = 1000L * round + i;
        gasnet_put((gasnet_node_t)target, there, out, sizeof out);
        gasnet_get(in, (gasnet_node_t)target, there, sizeof in);
        CHECK(memcmp(in, out, sizeof in) == 0, "what was put does not come back");
        CHECK(shmem_long_atomic_fetch_add(&sum, 1, target) == round - 1, "an atomic add");
    }
}

static void in_mpi_barrier(void)
{
    if (me % 2) {
        reach_into(me - 1);
        gasnet_AMRequestShort1((gasnet_node_t)(me - 1), ASK, 0);
    }
    int before = asked;  // the odd process may have been faster than this one's last call of GASNet
    MPI_Barrier(MPI_COMM_WORLD);
    if (me % 2 == 0) {
        CHECK(sum == ROUNDS, "atomics while in MPI_Barrier");
        CHECK(asked == before, "a handler ran inside of MPI_Barrier");
        GASNET_BLOCKUNTIL(asked == 1);
    }
}

static void in_shmem_waits(void)
{
    if (me % 2) {
        ask_and_wait((gasnet_node_t)(me - 1));
        shmem_long_atomic_set(&flag, 1, me - 1);
        ask_and_wait((gasnet_node_t)(me - 1));
    } else {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    }
    shmem_barrier_all();
    CHECK(me % 2 || asked >= 3, "handlers in waits of OpenSHMEM");
}

static void between_tests(void)
{
    MPI_Request request;
    int over = 0;
    if (me % 2)
        ask_and_wait((gasnet_node_t)(me - 1));
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!over) {
        gasnet_AMPoll();
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    }
    CHECK(me % 2 || asked >= 4, "handlers between tests of MPI_Ibarrier");
}

#ifdef GASNET_PAR
static void *poll_until_stopped(void *arg)
{
    GASNET_BLOCKUNTIL(stop);
    return arg;
}

static void ring(gasnet_token_t token)
{
    (void)token;
    stop = 1;
}
#define MORE_HANDLERS , {202, (void (*)())ring}

static void beside_a_thread(void)
{
    pthread_t poller;
    int word = 0;
    if (me % 2) {
        ask_and_wait((gasnet_node_t)(me - 1));
        MPI_Send(&word, 1, MPI_INT, me - 1, 3, MPI_COMM_WORLD);
        return;
    }
    CHECK(pthread_create(&poller, NULL, poll_until_stopped, NULL) == 0, "a thread");
    MPI_Recv(&word, 1, MPI_INT, me + 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(asked == 5, "a handler in another thread while this one is in MPI_Recv");
    // to this process itself: wakes the sleeping thread
    gasnet_AMRequestShort0((gasnet_node_t)me, 202);
    pthread_join(poller, NULL);
}
enum { LEVEL_MPI = MPI_THREAD_MULTIPLE, LEVEL_SHMEM = SHMEM_THREAD_MULTIPLE };
#else
#define MORE_HANDLERS
static void beside_a_thread(void)
{
}
enum { LEVEL_MPI = MPI_THREAD_SINGLE, LEVEL_SHMEM = SHMEM_THREAD_SINGLE };
#endif

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{ASK, (void (*)())ask},
                                     {REPLY, (void (*)())reply} MORE_HANDLERS};
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    int level;
    if (argc > 1 && rank)
        setenv("CAUSEWAY_NODE", atoi(rank) % 2 ? "odd" : "even", 1);
    MPI_Init_thread(&argc, &argv, LEVEL_MPI, &level);
    GASNET_Safe(gasnet_init(&argc, &argv));
    shmem_init_thread(LEVEL_SHMEM, &level);
    GASNET_Safe(gasnet_attach(table, (int)(sizeof table / sizeof *table), 4 * GASNET_PAGESIZE, 0));
    me = (int)gasnet_mynode();
    check_as("process", me, gasnet_nodes());
    CHECK(gasnet_nodes() % 2 == 0 && gasnet_nodes() <= 64, "an even number of processes");
    GASNET_Safe(gasnet_getSegmentInfo(segments, 64));
    in_mpi_barrier();
    shmem_barrier_all();
    in_shmem_waits();
    between_tests();
    shmem_barrier_all();
    beside_a_thread();
    shmem_barrier_all();
    if (me == 0)
        printf("progress seen\n");
    shmem_finalize();
    MPI_Finalize();
    gasnet_exit(checks_failed != 0);
}
