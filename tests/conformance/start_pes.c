// SPDX-License-Identifier: BSD-3-Clause
//
// The oldest form of initialization: start_pes, any number of times, and no finalize, under the
// header's oldest name.
#include <mpp/shmem.h>

#include "check.h"

static int got;

int main(void)
{
    start_pes(0);
    start_pes(7);
    check_ring();
    shmem_int_p(&got, me + 1, next);
    shmem_barrier_all();
    CHECK(got == prev + 1, "got %d", got);
    shmem_barrier_all();
    shmem_int_p(&got, -1, next);  // completed by the implicit finalize
    return checks_failed != 0;
}
