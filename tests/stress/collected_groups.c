// SPDX-License-Identifier: BSD-3-Clause
// Arguments: GROUPS OPERATIONS [BYTES]. The last PE puts to the first one, in groups with a quiet
// behind each, and adds as often, in groups of their own; with BYTES it puts so many each time, and
// then gets words in groups. collected_groups.py counts what was collected.
#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

#define LONGEST 2048

static uint64_t sum, word[64];
static unsigned char area[LONGEST];

static void puts_then_gets(uint64_t groups, uint64_t operations, size_t nbytes)
{
    static unsigned char bytes[LONGEST];
    uint64_t got[64];
    REQUIRE(nbytes <= LONGEST, "%zu bytes", nbytes);
    memset(bytes, 7, sizeof bytes);
    for (uint64_t group = 0; group < groups; group++) {
        for (uint64_t i = 0; i < operations; i++)
            shmem_putmem_nbi(area, bytes, nbytes, 0);
        shmem_quiet();
    }
    shmem_putmem(word, bytes, sizeof word, 0);
    shmem_quiet();
    for (uint64_t group = 0; group < groups; group++) {
        memset(got, 0, sizeof got);
        for (uint64_t i = 0; i < operations; i++)
            shmem_getmem_nbi(&got[i % 64], &word[i % 64], sizeof *got, 0);
        shmem_quiet();
        CHECK(memcmp(got, bytes, sizeof got) == 0, "what was got in group %llu",
              (unsigned long long)group);
    }
}

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    REQUIRE(argc == 3 || argc == 4, "GROUPS OPERATIONS [BYTES]");
    uint64_t groups = strtoull(argv[1], NULL, 0), operations = strtoull(argv[2], NULL, 0);
    if (argc == 4) {
        if (me == npes - 1)
            puts_then_gets(groups, operations, strtoull(argv[3], NULL, 0));
        shmem_finalize();
        return check_result();
    }
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
