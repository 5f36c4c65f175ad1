// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM, GASNet, ARMCI, DART and MPI in one program, in the order that argv[1] gives: s
// shmem_init, S shmem_finalize, g gasnet_init and gasnet_attach, c ARMCI_Init, C ARMCI_Finalize, d
// dart_init_thread, D dart_exit, m MPI_Init, M MPI_Finalize; as the last step X gasnet_exit, R
// return from main, E shmem_global_exit, A MPI_Abort; x, e, a: only the last process does so, the
// others wait in MPI_Barrier or gasnet_barrier_wait. After each step all initialised libraries
// communicate. Words in argv[2] and later:
//   nodes     PEs belong to two nodes in turn
//   status=N  the status of the last step (default 0)
#include <mpi.h>
//
#include <gasnet.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armci_talk.h"
#include "dart_talk.h"
#include "frame/check.h"
#include "talk.h"

#define LEVEL(model) (GASNET_THREADS ? model##_THREAD_MULTIPLE : model##_THREAD_SINGLE)
#ifdef GASNET_PAR
#define GASNET_THREADS 1
#else
#define GASNET_THREADS 0
#endif

enum { SEGMENT = 4 * GASNET_PAGESIZE };

static int status;
static bool shmem_on, gasnet_on, armci_on, dart_on, mpi_on, job_multiple;

// ---------------------------------------------------------------- each library on its own
static void mpi_talk(void)
{
    int rank, n, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    CHECK(rank == me && n == npes, "rank of this process");
    CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == 0 &&
              sum == n * (n - 1) / 2,
          "MPI_Allreduce");
}

// --------------------------------------------------------------- what one has, given to the others
/** MPI sends out of and into the GASNet segment and the symmetric heap; GASNet and OpenSHMEM reach
 *  each other's. */
static void share(void)
{
    int next = (me + 1) % npes, prev = (me + npes - 1) % npes;
    long *segment = segments[me].addr, *heap = shmem_malloc(4 * sizeof *heap);
    for (int i = 0; i < 4; i++)
        segment[i] = heap[i] = -1;
    shmem_barrier_all();
    segment[1] = 1000 + me;
    MPI_Sendrecv(&segment[1], 1, MPI_LONG, next, 7, &heap[1], 1, MPI_LONG, prev, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(heap[1] == 1000 + prev, "MPI from a segment into the heap");
    // GASNet names memory by its owner's addresses, which MPI exchanges.
    uintptr_t mine = (uintptr_t)heap, theirs = 0;
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, prev, 8, &theirs, sizeof theirs, MPI_BYTE, next, 8,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    long value = 2000 + me;
    gasnet_put((gasnet_node_t)next, (long *)theirs + 2, &value, sizeof value);
    // OpenSHMEM by the PE's own address: segments are at the same place in all slices.
    shmem_long_p(&segment[2], 3000 + me, next);
    shmem_barrier_all();
    CHECK(heap[2] == 2000 + prev, "GASNet into the symmetric heap");
    CHECK(segment[2] == 3000 + prev, "OpenSHMEM into the segment");
    long *near = shmem_ptr(segment, next);
    CHECK(!near || near[2] == 3000 + me, "shmem_ptr of the segment");
    shmem_free(heap);
}

// ---------------------------------------------------------------- steps
static void start_shmem(void)
{
    int got;
    CHECK(shmem_init_thread(LEVEL(SHMEM), &got) == 0 && got >= LEVEL(SHMEM), "shmem_init_thread");
    shmem_on = true;
}

static void start_gasnet(int *argc, char ***argv)
{
    gasnet_handlerentry_t table[] = {{MARK, (void (*)())mark}};
    CHECK(gasnet_init(argc, argv) == GASNET_OK, "gasnet_init");
    me = (int)gasnet_mynode(),
    npes = (int)gasnet_nodes();  // handlers may run before gasnet_attach returns
    CHECK(gasnet_attach(table, 1, SEGMENT, 0) == GASNET_OK, "gasnet_attach");
    segments = calloc(gasnet_nodes(), sizeof *segments);
    gasnet_getSegmentInfo(segments, (int)gasnet_nodes());
    gasnet_on = true;
}

static void start_mpi(void)
{
    int got = -1;
    CHECK(MPI_Init_thread(NULL, NULL, LEVEL(MPI), &got) == 0 && got >= LEVEL(MPI),
          "MPI_Init_thread");
    mpi_on = true;
}

static void wait_in_vain(void)
{
    if (mpi_on)
        MPI_Barrier(MPI_COMM_WORLD);
    gasnet_barrier_notify(7, 0);
    gasnet_barrier_wait(7, 0);
    CHECK(false, "the last process did not end the job");
}

static int last_step(char step)
{
    printf("process %d is here, %d failures\n", me, checks_failed);
    fflush(stdout);
    int code = checks_failed ? 99 : status;
    if (strchr("xea", step) && me != npes - 1)
        wait_in_vain();
    switch (step | 32) {
    case 'x':
        gasnet_exit(code);
        break;
    case 'e':
        shmem_global_exit(code);
        break;
    case 'a':
        MPI_Abort(MPI_COMM_WORLD, code);
        break;
    default:
        break;
    }
    return code;
}

static void communicate(long turn)
{
    if (me < 0 && shmem_on)
        me = shmem_my_pe(), npes = shmem_n_pes();
    if (me < 0 && gasnet_on)
        me = (int)gasnet_mynode(), npes = (int)gasnet_nodes();
    if (me < 0 && armci_on)
        me = armci_msg_me(), npes = armci_msg_nproc();
    if (me < 0 && dart_on)
        me = dart_talk_number(&npes);
    if (me < 0) {
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
        MPI_Comm_size(MPI_COMM_WORLD, &npes);
    }
    check_as("process", me, npes);
    if (shmem_on)
        shmem_talk(turn);
    if (gasnet_on)
        gasnet_talk(turn);
    if (armci_on)
        armci_talk(turn, me, npes);
    if (dart_on)
        dart_talk(turn, me, npes);
    if (mpi_on)
        mpi_talk();
    if (shmem_on && gasnet_on && mpi_on)
        share();
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "nodes") && rank)
            setenv("CAUSEWAY_NODE", atoi(rank) % 2 ? "odd" : "even", 1);
        else if (!strncmp(argv[i], "status=", 7))
            status = atoi(argv[i] + 7);
    }
    const char *order = argv[1];
    for (long turn = 1; *order; turn++, order++) {
        if (!shmem_on && !gasnet_on && !armci_on && !dart_on)
            job_multiple = *order == 'd' || GASNET_THREADS;
        switch (*order) {
        case 's':
            start_shmem();
            break;
        case 'S':
            shmem_finalize();
            shmem_on = false;
            break;
        case 'g':
            start_gasnet(&argc, &argv);
            break;
        case 'c':
            CHECK(ARMCI_Init_thread(LEVEL(MPI)) == 0, "ARMCI_Init_thread");
            armci_on = true;
            break;
        case 'C':
            CHECK(ARMCI_Finalize() == 0, "ARMCI_Finalize");
            armci_on = false;
            break;
        case 'd':
            dart_talk_init(job_multiple);
            dart_on = true;
            break;
        case 'D':
            CHECK(dart_exit() == DART_OK, "dart_exit");
            dart_on = false;
            break;
        case 'm':
            start_mpi();
            break;
        case 'M':
            CHECK(MPI_Finalize() == 0, "MPI_Finalize");
            mpi_on = false;
            break;
        default:
            return last_step(*order);
        }
        if (shmem_on || gasnet_on || armci_on || dart_on || mpi_on)
            communicate(turn);
    }
    return last_step('R');
}
