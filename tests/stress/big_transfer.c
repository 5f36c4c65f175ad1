// SPDX-License-Identifier: BSD-3-Clause
//
// 64 bits everywhere: one put and one get of 5 GiB, checked at both ends, across 2 GiB and 4 GiB, and at samples.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NBYTES (5ull << 30)
#define NWORDS (NBYTES / 8)

static uint64_t value_at(uint64_t i)
{
    return i * 0x9e3779b97f4a7c15u + 1;
}

static size_t wrong_words(const uint64_t *p)
{
    static const uint64_t edges[] = {0, (2ull << 30) / 8 - 1, (2ull << 30) / 8, (4ull << 30) / 8 - 1,
                                     (4ull << 30) / 8, NWORDS - 1};
    size_t wrong = 0;
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        wrong += p[edges[e]] != value_at(edges[e]);
    for (uint64_t i = 0; i < NWORDS; i += 4093)
        wrong += p[i] != value_at(i);
    return wrong;
}

int main(void)
{
    shmem_init();
    uint64_t *symmetric = shmem_malloc(NBYTES);
    if (!symmetric) {
        printf("FAIL: no heap of 5 GiB\n");
        shmem_global_exit(1);
    }
    size_t wrong = 0;
    if (shmem_my_pe() == 0) {
        uint64_t *mine = malloc(NBYTES);
        if (!mine)
            shmem_global_exit(1);
        for (uint64_t i = 0; i < NWORDS; i++)
            mine[i] = value_at(i);
        shmem_putmem(symmetric, mine, NBYTES, 1);
        shmem_quiet();
        for (uint64_t i = 0; i < NWORDS; i++)
            mine[i] = 0;
        shmem_getmem(mine, symmetric, NBYTES, 1);
        wrong = wrong_words(mine);
        free(mine);
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 1)
        wrong = wrong_words(symmetric);
    printf("PE %d: %zu wrong words\n", shmem_my_pe(), wrong);
    if (wrong)
        printf("FAIL: a 5 GiB transfer came out wrong\n");
    shmem_barrier_all();
    shmem_finalize();
    return wrong != 0;
}
