// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of the heap and a lock that are not released.
#include <shmem.h>
#include <stdio.h>

static long lock;

__attribute__((noinline)) void *allocate_here(size_t nbytes)
{
    void *p = shmem_malloc(nbytes);
    __asm__ volatile("" ::: "memory");  // not a tail call: the report must name this caller
    return p;
}

int main(int argc, char **argv)
{
    shmem_init();
    int clean = argc > 1 && argv[1][0] == 'c', me = shmem_my_pe();
    void *kept = allocate_here(1000), *freed = shmem_malloc(500);
    void *more[8];
    for (int i = 0; i < 8; i++)
        more[i] = shmem_calloc(3, 8);
    shmem_free(freed);
    if (me == 0)
        shmem_set_lock(&lock);
    if (clean) {
        shmem_free(kept);
        for (int i = 0; i < 8; i++)
            shmem_free(more[i]);
        if (me == 0)
            shmem_clear_lock(&lock);
    }
    if (me == 0)
        puts("leaks done");
    shmem_finalize();
    return 0;
}
