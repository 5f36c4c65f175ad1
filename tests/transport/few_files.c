// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs put to all others.
#include <shmem.h>
#include <stdio.h>

#include "frame/check.h"

static long words[64];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    for (int round = 1; round <= 3; round++) {
        for (int d = 1; d < npes; d++)
            shmem_long_p(&words[me], round, (me + d) % npes);
        shmem_barrier_all();
        for (int pe = 0; pe < npes; pe++)
            REQUIRE(pe == me || words[pe] == round, "word of PE %d", pe);
        shmem_barrier_all();
    }
    if (me == 0)
        printf("all done\n");
    shmem_finalize();
    return 0;
}
