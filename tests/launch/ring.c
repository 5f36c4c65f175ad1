// SPDX-License-Identifier: BSD-3-Clause
//
// A token travels round the ring of all PEs and gathers a count; PE 0 prints whether it came back
// right.
#include <shmem.h>
#include <stdio.h>

static long token;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    if (me > 0)
        shmem_long_wait_until(&token, SHMEM_CMP_NE, 0);
    shmem_long_p(&token, (me ? token : 0) + 1, (me + 1) % npes);
    if (me == 0) {
        shmem_long_wait_until(&token, SHMEM_CMP_NE, 0);
        printf("ring of %d PEs: %s\n", npes, token == npes ? "ok" : "WRONG");
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
