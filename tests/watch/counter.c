// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs add to two counters of the last PE, many at a time: each number comes back once.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 300, AT_A_TIME = 20, MOST = 64 * EACH };

static unsigned long wide;
static unsigned narrow = 4294967000u;  // wraps
static unsigned seen_wide[MOST], seen_narrow[MOST];

int main(void)
{
    static unsigned long got[AT_A_TIME];
    static unsigned got_narrow[AT_A_TIME];
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), last = npes - 1;
    unsigned first = narrow, wrong = 0;
    shmem_barrier_all();
    for (int i = 0; i < EACH; i += AT_A_TIME) {
        for (int k = 0; k < AT_A_TIME; k++) {
            shmem_ulong_atomic_fetch_add_nbi(&got[k], &wide, 1, last);
            shmem_uint_atomic_fetch_add_nbi(&got_narrow[k], &narrow, 1, last);
        }
        shmem_quiet();
        for (int k = 0; k < AT_A_TIME; k++)
            if (got[k] >= MOST || got_narrow[k] - first >= MOST) {
                wrong++;
            } else {
                shmem_uint_atomic_add(&seen_wide[got[k]], 1, 0);
                shmem_uint_atomic_add(&seen_narrow[got_narrow[k] - first], 1, 0);
            }
    }
    shmem_barrier_all();
    for (int i = 0; i < MOST && me == 0; i++)
        wrong += seen_wide[i] != (i < npes * EACH) || seen_narrow[i] != (i < npes * EACH);
    if (wrong)
        printf("PE %d: %u numbers came back wrong\n", me, wrong);
    shmem_finalize();
    return wrong != 0;
}
