// SPDX-License-Identifier: BSD-3-Clause
//
// Registered memory of ARMCI's blocks.
//
//     blocks MIB ROUNDS    Each round allocates a block of that size in each process; the next
//                          process, on another node, writes a byte at its begin and end; the block
//                          is freed. Small blocks come and go beside it.
//     blocks MIB fall      Two blocks of that size, one after the other and not in the same place;
//                          all of each is used. The first one's memory must be gone.
//     blocks MIB passed    The first two of three processes make blocks and free them; the third
//                          one, to which they pass the addresses, uses them as well, twice.
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "frame/check.h"

enum { PROCS_MOST = 16, SMALL = 1000, PAGE = 4096 };

static int me, nprocs, next, prev;
static void *small[PROCS_MOST], *large[PROCS_MOST];

/** Pages of the range that have memory. */
static size_t pages_in_use(char *at, size_t nbytes)
{
    size_t used = 0, n = nbytes / PAGE;
    unsigned char *is_there = malloc(n);
    REQUIRE(is_there && mincore(at, n * PAGE, is_there) == 0);
    for (size_t i = 0; i < n; i++)
        used += is_there[i] & 1;
    free(is_there);
    return used;
}

/** Writes all over the block of the next process, and looks at what came into mine. */
static void use_all(size_t nbytes, char value)
{
    for (size_t at = 0; at < nbytes; at += 16 * PAGE)
        ARMCI_Put(&value, (char *)large[next] + at, 1, next);
    ARMCI_Barrier();
    size_t bad = 0;
    for (size_t at = 0; at < nbytes; at += 16 * PAGE)
        bad += ((char *)large[me])[at] != value;
    CHECK(bad == 0, "%zu places without what was put", bad);
    ARMCI_Barrier();
}

static void fall(size_t nbytes)
{
    REQUIRE(ARMCI_Malloc(large, (armci_size_t)nbytes) == 0);
    REQUIRE(ARMCI_Malloc(small, SMALL) == 0);  // keeps the next large block from this one's place
    use_all(nbytes, 1);
    char *first = (char *)(((uintptr_t)large[me] + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    ARMCI_Free(large[me]);
    size_t left = pages_in_use(first, nbytes - PAGE);
    CHECK(left * PAGE < nbytes / 4, "%zu pages of a freed block have memory", left);
    REQUIRE(ARMCI_Malloc(large, (armci_size_t)nbytes + (1 << 20)) == 0);
    CHECK((char *)large[me] + nbytes < first || (char *)large[me] > first);
    use_all(nbytes, 2);
    ARMCI_Free(large[me]);
    REQUIRE(ARMCI_Malloc(large, (armci_size_t)nbytes) == 0);
    CHECK((uintptr_t)large[me] <= (uintptr_t)first, "the first place serves again");
    use_all(nbytes, 3);
    ARMCI_Free(large[me]);
    ARMCI_Free(small[me]);
}

/** Process 2 holds keys of blocks that are freed without it. */
static void passed(size_t nbytes)
{
    ARMCI_Group pair;
    int members[2] = {0, 1};
    ARMCI_Group_create(2, members, &pair);
    for (char round = 1; round <= 3; round++) {
        if (me < 2)
            REQUIRE(ARMCI_Malloc_group(large, (armci_size_t)nbytes, &pair) == 0);
        armci_msg_bcast(large, 2 * sizeof *large, 0);
        for (size_t at = 0; me != 0 && at < nbytes; at += 16 * PAGE)
            ARMCI_Put(&round, (char *)large[0] + at + me, 1, 0);
        ARMCI_Barrier();
        const char *mine = large[0];
        size_t bad = 0;
        for (size_t at = 0; me == 0 && at < nbytes; at += 16 * PAGE)
            bad += mine[at + 1] != round || mine[at + 2] != round;
        CHECK(bad == 0, "%zu places without what was put in round %d", bad, round);
        ARMCI_Barrier();
        if (me < 2)
            ARMCI_Free_group(large[me], &pair);
    }
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 3 && ARMCI_Init() == 0);
    armci_size_t nbytes = (armci_size_t)atoi(argv[1]) << 20;
    me = armci_msg_me(), nprocs = armci_msg_nproc(), next = (me + 1) % nprocs,
    prev = (me + nprocs - 1) % nprocs;
    check_as("process", me, nprocs);
    if (strcmp(argv[2], "fall") == 0)
        fall((size_t)nbytes);
    else if (strcmp(argv[2], "passed") == 0)
        passed((size_t)nbytes);
    for (int round = 0; round < atoi(argv[2]); round++) {
        char byte = (char)(round * 16 + me + 1), was = (char)(round * 16 + prev + 1);
        REQUIRE(ARMCI_Malloc(small, SMALL) == 0 && ARMCI_Malloc(large, nbytes) == 0);
        ARMCI_Put(&byte, small[next], 1, next);
        ARMCI_Put(&byte, large[next], 1, next);
        ARMCI_Put(&byte, (char *)large[next] + nbytes - 1, 1, next);
        ARMCI_Barrier();
        char *mine = large[me];
        CHECK(*(char *)small[me] == was && mine[0] == was && mine[nbytes - 1] == was,
              "what process %d put in round %d", prev, round);
        ARMCI_Free(large[me]);
        ARMCI_Free(small[me]);
    }
    if (checks_failed == 0 && me == 0)
        printf("blocks done\n");
    ARMCI_Finalize();
    return checks_failed != 0;
}
