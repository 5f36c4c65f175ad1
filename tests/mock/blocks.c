// SPDX-License-Identifier: BSD-3-Clause
//
// Registered memory of ARMCI's blocks: blocks MIB ROUNDS. Each round allocates a block of that size
// in each process; the next process, on another node, writes a byte at its begin and end; the block
// is freed. Small blocks come and go beside it.
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/check.h"

enum { PROCS_MOST = 16, SMALL = 1000 };

int main(int argc, char **argv)
{
    REQUIRE(argc == 3 && ARMCI_Init() == 0);
    armci_size_t nbytes = (armci_size_t)atoi(argv[1]) << 20;
    int me = armci_msg_me(), nprocs = armci_msg_nproc(), next = (me + 1) % nprocs,
        prev = (me + nprocs - 1) % nprocs;
    check_as("process", me, nprocs);
    void *small[PROCS_MOST], *large[PROCS_MOST];
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
