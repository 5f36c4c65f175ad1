// SPDX-License-Identifier: BSD-3-Clause
//
// A correct job, or one that reads behind a block of malloc (argument "read"), that loses one
// ("leak"), or that puts to one ("put").
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static int word;
static void *kept;

int main(int argc, char **argv)
{
    const char *fault = argc > 1 ? argv[1] : "";
    shmem_init();
    int *heap = shmem_malloc(4096), peer = (shmem_my_pe() + 1) % shmem_n_pes();
    kept = malloc(100);
    shmem_int_p(&word, 1, peer);
    shmem_int_p(heap, 1, peer);
    shmem_barrier_all();
    volatile char *block = calloc(1, 10);
    if (!block || !heap)
        return 1;
    if (!strcmp(fault, "put"))
        shmem_int_put(kept, heap, 16, peer);
    int result = block[strcmp(fault, "read") ? 9 : 10 + word - *heap];
    if (strcmp(fault, "leak"))
        free((void *)block);
    block = NULL;
    shmem_free(heap);
    shmem_finalize();
    return result && kept ? 3 : 0;
}
