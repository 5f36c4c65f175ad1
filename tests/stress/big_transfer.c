// SPDX-License-Identifier: BSD-3-Clause
//
// 64 bits everywhere: one put of 4.1 GiB and one get of 2.1 GiB, checked at the edges of 2 and 4
// GiB and at samples. The put's source is one window of memory mapped repeatedly, so that only the
// target costs real pages.
#define _GNU_SOURCE
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PUT_NBYTES ((4ull << 30) + (96ull << 20))
#define GET_NBYTES ((2ull << 30) + (96ull << 20))
#define WINDOW (32ull << 20)
#define GET_FROM 12345u  // words into the target, so that nothing is aligned by accident

static uint64_t value_at(uint64_t i)
{
    return (i % (WINDOW / 8)) * 0x9e3779b97f4a7c15u + 1;
}

static uint64_t *repeated_source(void)
{
    int fd = memfd_create("window", 0);
    char *at =
        mmap(NULL, PUT_NBYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fd < 0 || ftruncate(fd, (off_t)WINDOW) || at == MAP_FAILED)
        return NULL;
    for (uint64_t off = 0; off < PUT_NBYTES; off += WINDOW)
        if (mmap(at + off, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
            MAP_FAILED)
            return NULL;
    uint64_t *words = (uint64_t *)at;
    for (uint64_t i = 0; i < WINDOW / 8; i++)
        words[i] = value_at(i);
    return words;
}

static size_t wrong_words(const uint64_t *p, uint64_t first, uint64_t nwords)
{
    const uint64_t edges[] = {
        0,         (2ull << 30) / 8 - 1, (2ull << 30) / 8, (4ull << 30) / 8 - 1, (4ull << 30) / 8,
        nwords - 1};
    size_t wrong = 0;
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        if (edges[e] < nwords)
            wrong += p[edges[e]] != value_at(first + edges[e]);
    for (uint64_t i = 0; i < nwords; i += 4093)
        wrong += p[i] != value_at(first + i);
    return wrong;
}

int main(void)
{
    shmem_init();
    uint64_t *target = shmem_malloc(PUT_NBYTES);
    if (!target) {
        printf("FAIL: no heap of 4.1 GiB\n");
        shmem_global_exit(1);
    }
    size_t wrong = 0;
    if (shmem_my_pe() == 0) {
        uint64_t *source = repeated_source(), *back = malloc(GET_NBYTES);
        if (!source || !back)
            shmem_global_exit(1);
        shmem_putmem(target, source, PUT_NBYTES, 1);
        shmem_quiet();
        shmem_getmem(back, target + GET_FROM, GET_NBYTES, 1);
        wrong = wrong_words(back, GET_FROM, GET_NBYTES / 8);
        free(back);
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 1)
        wrong = wrong_words(target, 0, PUT_NBYTES / 8);
    printf("PE %d: %zu wrong words\n", shmem_my_pe(), wrong);
    if (wrong)
        printf("FAIL: a transfer of several GiB came out wrong\n");
    shmem_barrier_all();
    shmem_finalize();
    return wrong != 0;
}
