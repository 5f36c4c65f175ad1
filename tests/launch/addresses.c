// SPDX-License-Identifier: BSD-3-Clause
//
// Uses each way between hosts once: a put and a get, values that two PEs send in turn (the link of
// the servers), an atomic, a sum, a barrier. Argument "leaves": PE 1 ends its process instead, and
// PE 0 waits for it without a connection.
#include <shmem.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

enum { TURNS = 300 };

static long turn, gone, block[1000], other[1000];

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), to = (me + 1) % npes;
    check_as("PE", me, npes);
    if (argc > 1 && strcmp(argv[1], "leaves") == 0) {
        if (me == 1) {
            sleep(1);  // until nodes watch each other
            _exit(0);
        }
        shmem_long_wait_until(&gone, SHMEM_CMP_NE, 0);
    }
    shmem_barrier_all();
    for (long i = 0; i < 1000; i++)
        block[i] = i + me;
    shmem_barrier_all();
    shmem_getmem(other, block, sizeof block, to);
    CHECK(other[999] == 999 + to);
    shmem_barrier_all();
    for (long i = 1; i <= TURNS && me < 2; i++) {
        if (me == 1)
            shmem_long_wait_until(&turn, SHMEM_CMP_GE, i);
        shmem_long_p(&turn, i, 1 - me);
        if (me == 0)
            shmem_long_wait_until(&turn, SHMEM_CMP_GE, i);
    }
    shmem_long_atomic_add(&gone, me + 1, to);
    shmem_barrier_all();
    CHECK(gone == (me + npes - 1) % npes + 1);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, other, block, 10);
    CHECK(other[0] == (long)npes * (npes - 1) / 2);
    shmem_finalize();
    if (me == 0 && checks_failed == 0)
        printf("all ways work\n");
    return check_result();
}
