// SPDX-License-Identifier: BSD-3-Clause
//
// A node dies that others' requests travel through, and that they get from: the job ends with a
// message, and no PE waits for ever. The argument names the PE that dies.
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>

enum { BEFORE = 300, MANY = 8192 };

static long word, from[2 * MANY], to[MANY];

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), victim = argc > 1 ? atoi(argv[1]) : 0;
    shmem_barrier_all();
    for (long i = 0;; i++) {
        if (me == victim && i == BEFORE)
            raise(SIGKILL);
        shmem_long_atomic_fetch_add(&word, 1, (me + 3) % npes);
        shmem_long_atomic_add(&word, 1, (me + 1) % npes);
        if (i % 50 == 0)
            shmem_quiet();
        if (i % 10 == 5)
            shmem_long_iget(to, from, 1, 2, MANY, (me + 1) % npes);  // staged
    }
}
