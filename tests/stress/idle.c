// SPDX-License-Identifier: BSD-3-Clause
//
// A job of sleeping PEs uses no CPU: PEs wait for a value that comes after two seconds (PE 0 sleeps
// meanwhile); the CPU time of each process over that time must be a small part of it. Those that
// wait in a barrier for their node sleep longer and longer, so that thousands of them leave
// the processors to the ones that still come. In their end they do nothing dear for a report that
// is not made: the library's own symbol tables were read there once, page by page.
#include "outside.h"

#include <stdbool.h>
#include <sys/resource.h>

static uint64_t go;

static struct rusage used_so_far(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used;
}

/** PE 0 comes two seconds late to a barrier. Returns false if another one, that has nothing to do
 *  but wait for its node, sleeps often. */
static bool sleeps_seldom(int me, bool only_waits)
{
    shmem_barrier_all();
    if (me == 0)
        sleep(2);
    long before = used_so_far().ru_nvcsw;
    shmem_barrier_all();
    long slept = used_so_far().ru_nvcsw - before;
    if (me == 0 || !only_waits || slept <= 10)  // 5; 20 if they did not grow
        return true;
    printf("FAIL: PE %d slept %ld times in two seconds\n", me, slept);
    return false;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    bool one_node = shmem_team_n_pes(SHMEM_TEAM_SHARED) == n;
    // The lowest PE of a node serves it, and PEs with connections look whether they are lost.
    bool bad = !sleeps_seldom(me, one_node || shmem_team_my_pe(SHMEM_TEAM_SHARED) != 0);
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
    if (used > 0.03) {
        printf("FAIL: PE %d is busy while it waits\n", me);
        bad = true;
    }
    bad |= !sleeps_seldom(me, one_node);
    shmem_barrier_all();
    if (me == 0)
        usleep(300000);
    const long faults = used_so_far().ru_minflt;
    shmem_finalize();
    const long more = used_so_far().ru_minflt - faults;
    if (more > 50) {  // 1 to 6; 100 if it looks for the name of what it waits in
        printf("FAIL: PE %d touched %ld pages while it waited for the last one's end\n", me, more);
        bad = true;
    }
    return bad;
}
