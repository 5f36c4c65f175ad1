// SPDX-License-Identifier: BSD-3-Clause
//
// Allocates the MiB of its first argument, writes its ends, or, with a second argument, all of it;
// each PE reads the next one's.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
    size_t nbytes = argc > 1 ? (size_t)atol(argv[1]) << 20 : 1 << 20;
    char *block = shmem_malloc(nbytes);
    if (!block) {
        printf("no block\n");
        shmem_finalize();
        return 0;
    }
    if (argc > 2)
        memset(block, me + 1, nbytes);
    block[0] = block[nbytes - 1] = (char)(me + 1);
    shmem_barrier_all();
    char first = shmem_char_g(block, next), last = shmem_char_g(block + nbytes - 1, next);
    printf("PE %d %s\n", me, first == next + 1 && last == next + 1 ? "read it" : "read WRONG data");
    shmem_finalize();
    return 0;
}
