// SPDX-License-Identifier: BSD-3-Clause
//
// Each thread level may be requested first, and the level provided is one of them; argv[1] is the
// requested level.
#include "check.h"

int main(int argc, char **argv)
{
    int requested = argc > 1 ? atoi(argv[1]) : SHMEM_THREAD_SINGLE, provided = -1, said = -1;
    CHECK(shmem_init_thread(requested, &provided) == 0, "shmem_init_thread(%d)", requested);
    check_ring();
    shmem_query_thread(&said);
    CHECK(provided >= SHMEM_THREAD_SINGLE && provided <= SHMEM_THREAD_MULTIPLE, "level %d",
          provided);
    CHECK(provided == said, "shmem_init_thread said %d, shmem_query_thread %d", provided, said);
    static int got;
    shmem_int_p(&got, me, next);
    shmem_barrier_all();
    CHECK(got == prev, "got %d", got);
    return check_end();
}
