// SPDX-License-Identifier: BSD-3-Clause
//
// A global object initialises OpenSHMEM in its constructor and finalizes in its destructor. Linked
// with the archive, that comes before what the library does when it is loaded.
#include <shmem.h>

#include "frame/check.h"

struct Job {
    Job() { shmem_init(); }
    ~Job() { shmem_finalize(); }
};

static Job job;
static int from_left;
static long sum;

int main()
{
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    shmem_int_p(&from_left, me + 1, (me + 1) % npes);
    shmem_long_atomic_add(&sum, me + 1, 0);
    shmem_barrier_all();
    CHECK(from_left == (me + npes - 1) % npes + 1, "from the left: %d", from_left);
    CHECK(shmem_long_g(&sum, 0) == npes * (npes + 1) / 2, "the sum: %ld", shmem_long_g(&sum, 0));
    shmem_barrier_all();
    return check_result();
}
