// SPDX-License-Identifier: BSD-3-Clause
// Arguments: GROUPS OPERATIONS. The last PE puts to the first one, in groups with a quiet behind
// each, and adds as often, in groups of their own. collected_groups.py counts what was collected.
#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>

#include "frame/check.h"

static uint64_t sum, word[64];

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    REQUIRE(argc == 3, "GROUPS OPERATIONS");
    uint64_t groups = strtoull(argv[1], NULL, 0), operations = strtoull(argv[2], NULL, 0);
    for (uint64_t group = 1; me == npes - 1 && group <= groups; group++) {
        for (uint64_t i = 0; i < operations; i++)
            shmem_putmem_nbi(&word[i % 64], &group, sizeof group, 0);
        shmem_quiet();
        for (uint64_t i = 0; i < operations; i++)
            shmem_uint64_atomic_add(&sum, 1, 0);
        shmem_quiet();
    }
    shmem_barrier_all();
    if (me == 0) {
        CHECK(sum == groups * operations, "%llu additions", (unsigned long long)sum);
        for (uint64_t i = 0; i < operations && i < 64; i++)
            CHECK(word[i] == groups, "word %llu is %llu", (unsigned long long)i,
                  (unsigned long long)word[i]);
    }
    shmem_finalize();
    return check_result();
}
