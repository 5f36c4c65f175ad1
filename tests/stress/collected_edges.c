// SPDX-License-Identifier: BSD-3-Clause
// Arguments: put|get GROUPS OPERATIONS BYTES. The last PE puts so many bytes to the first one, or
// gets them, in groups with a quiet behind each. collected_edges.py counts how they travelled.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame/check.h"

#define LONGEST 16384

static unsigned char area[LONGEST], bytes[LONGEST];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void flood(int puts, long groups, long operations, size_t nbytes)
{
    memset(bytes, 7, sizeof bytes);
    shmem_putmem(area, bytes, sizeof bytes, 0);
    shmem_quiet();
    double began = now();
    for (long group = 0; group < groups; group++) {
        if (!puts)
            memset(bytes, 0, nbytes);
        for (long i = 0; i < operations; i++) {
            if (puts)
                shmem_putmem_nbi(area, bytes, nbytes, 0);
            else
                shmem_getmem_nbi(bytes, area, nbytes, 0);
        }
        shmem_quiet();
        CHECK(bytes[0] == 7 && bytes[nbytes - 1] == 7, "what came in group %ld", group);
    }
    printf("%s %zu: %.0f ns\n", puts ? "put" : "get", nbytes,
           (now() - began) / (double)(groups * operations));
}

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    REQUIRE(argc == 5, "put|get GROUPS OPERATIONS BYTES");
    size_t nbytes = strtoul(argv[4], NULL, 0);
    REQUIRE(nbytes > 0 && nbytes <= LONGEST, "%zu bytes", nbytes);
    if (me == npes - 1)
        flood(strcmp(argv[1], "put") == 0, atol(argv[2]), atol(argv[3]), nbytes);
    shmem_finalize();
    return check_result();
}
