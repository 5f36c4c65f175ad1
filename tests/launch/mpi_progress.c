// SPDX-License-Identifier: BSD-3-Clause
//
// One library makes progress while the other blocks: the PEs of the even node are in MPI_Barrier,
// which cannot end before the odd ones enter it, and those do so only after they have put, got,
// added and signalled there, and seen the effect. With "multiple" an even PE has a second thread
// that waits in OpenSHMEM meanwhile.
#include <mpi.h>
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

enum { ROUNDS = 50, WORDS = 4096 };

static long cells[WORDS], sums, swapped;
static uint64_t flag;

static void drive(int me, int target)
{
    static long out[WORDS], in[WORDS];
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++)
            out[i] = (long)me * 1000000 + round * 10000 + i;
        shmem_long_put(cells, out, WORDS, target);
        shmem_quiet();
        shmem_long_get(in, cells, WORDS, target);
        CHECK(!memcmp(in, out, sizeof in), "what was put does not come back");
        CHECK(shmem_long_atomic_fetch_add(&sums, 1, target) == round - 1, "an atomic add");
        CHECK(shmem_long_atomic_compare_swap(&swapped, round - 1, round, target) == round - 1,
              "a compare and swap");
    }
    shmem_uint64_atomic_set(&flag, ROUNDS, target);
    shmem_quiet();
}

static void *wait_for_flag(void *arg)
{
    (void)arg;
    shmem_uint64_wait_until(&flag, SHMEM_CMP_EQ, ROUNDS);
    CHECK(sums == ROUNDS && swapped == ROUNDS, "the second thread sees what came before the flag");
    return NULL;
}

int main(int argc, char **argv)
{
    int multiple = argc > 1 && !strcmp(argv[1], "multiple"), level, got;
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    setenv("CAUSEWAY_NODE", rank && atoi(rank) % 2 ? "odd" : "even", 1);
    MPI_Init_thread(NULL, NULL, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    shmem_init_thread(multiple ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &got);
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    CHECK(npes % 2 == 0, "an even number of PEs");
    pthread_t waiter;
    if (me % 2 == 0 && multiple)
        CHECK(pthread_create(&waiter, NULL, wait_for_flag, NULL) == 0, "a thread");
    if (me % 2 == 1)
        drive(me, me - 1);
    CHECK(MPI_Barrier(MPI_COMM_WORLD) == 0, "MPI_Barrier");
    if (me % 2 == 0 && multiple)
        pthread_join(waiter, NULL);
    CHECK(me % 2 == 1 || (sums == ROUNDS && swapped == ROUNDS &&
                          cells[7] == (me + 1) * 1000000L + ROUNDS * 10000 + 7),
          "what came while this PE was in MPI_Barrier");
    shmem_barrier_all();
    if (me == 0)
        printf("progress seen\n");
    shmem_finalize();
    MPI_Finalize();
    return checks_failed != 0;
}
