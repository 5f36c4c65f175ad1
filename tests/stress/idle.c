// SPDX-License-Identifier: BSD-3-Clause
//
// A job of sleeping PEs uses no CPU: PEs wait for a value that comes after two seconds (PE 0 sleeps
// meanwhile); the CPU time of each process over that time must be a small part of it.
#include "outside.h"

static uint64_t go;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int pe = 0; pe < n; pe++)
        shmem_uint64_p(&go, 0, pe);  // connects before the measurement
    shmem_barrier_all();
    usleep(200000);
    double before = cpu_s();
    if (me == 0) {
        sleep(2);
        for (int pe = 1; pe < n; pe++)
            shmem_uint64_p(&go, 1, pe);
    } else {
        shmem_uint64_wait_until(&go, SHMEM_CMP_EQ, 1);
    }
    double used = (cpu_s() - before) / 2.0;
    printf("PE %d used %.2f %% of a core while idle\n", me, used * 100.0);
    int bad = used > 0.03;
    if (bad)
        printf("FAIL: PE %d is busy while it waits\n", me);
    shmem_barrier_all();
    shmem_finalize();
    return bad;
}
