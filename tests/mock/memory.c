// SPDX-License-Identifier: BSD-3-Clause
//
// What registration needs of memory: memory MODE [MIB].
//
//   sleep      joins and asks nothing of the network
//   use MIB    allocates so much, and uses it from another node before its owner has touched it
//   cross      transfers of every kind across the borders of chunks, which are multiples of 4 MiB
//              from somewhere: around every MiB
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

#define MIB ((size_t)1 << 20)

static int me, npes;

static unsigned char pattern(size_t i, int salt)
{
    return (unsigned char)(i * 7 + i / 253 + (size_t)salt * 29);
}

static void use(size_t nbytes)
{
    unsigned char *heap = shmem_malloc(nbytes);
    REQUIRE(heap, "no %zu bytes", nbytes);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    for (size_t at = 0; at < nbytes; at += MIB) {
        unsigned char byte = pattern(at, me);
        shmem_putmem(heap + at, &byte, 1, to);
    }
    shmem_barrier_all();
    for (size_t at = 0; at < nbytes; at += MIB)
        CHECK(heap[at] == pattern(at, from), "the byte at %zu", at);
    shmem_barrier_all();
    shmem_free(heap);
}

enum { SPAN = 10, SIZES = 7 };

static const size_t sizes[SIZES] = {2, 8, 100, 4000, 16384, 70000, 2500000};

// Around each border: before it, on it and behind it.
static size_t start_of(size_t border, size_t nbytes)
{
    return border - nbytes / 2 - 1;
}

static void check_there(const unsigned char *heap, size_t at, size_t nbytes, int salt,
                        const char *what)
{
    for (size_t i = 0; i < nbytes; i++)
        if (heap[at + i] != pattern(i, salt)) {
            CHECK(0, "%s of %zu bytes at %zu differs at %zu", what, nbytes, at, i);
            return;
        }
    check_done();
}

// Kinds 0..2: a put, one that is not waited for, one with a signal.
static void put(int kind, unsigned char *heap, size_t at, const unsigned char *mine, size_t nbytes,
                uint64_t *signal, int pe)
{
    if (kind == 0)
        shmem_putmem(heap + at, mine, nbytes, pe);
    else if (kind == 1)
        shmem_putmem_nbi(heap + at, mine, nbytes, pe);
    else
        shmem_putmem_signal(heap + at, mine, nbytes, signal, 1, SHMEM_SIGNAL_ADD, pe);
}

static void cross_puts(unsigned char *heap, unsigned char *mine, uint64_t *signal)
{
    static const char *const names[] = {"a put", "a put that is not waited for",
                                        "a put with a signal"};
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    uint64_t signals = 0;
    for (int k = 0; k < 3 * SIZES; k++) {
        size_t n = sizes[k / 3];
        int apart = n > MIB / 2 ? 4 : 1;  // do not overlap
        for (size_t i = 0; i < n; i++)
            mine[i] = pattern(i, me + k);
        for (int b = 2; b < SPAN; b += apart)
            put(k % 3, heap, start_of((size_t)b * MIB, n), mine, n, signal, to);
        shmem_quiet();
        for (int b = 2; b < SPAN && k % 3 == 2; b += apart)
            signals++;
        shmem_signal_wait_until(signal, SHMEM_CMP_EQ, signals);
        shmem_barrier_all();
        for (int b = 2; b < SPAN; b += apart)
            check_there(heap, start_of((size_t)b * MIB, n), n, from + k, names[k % 3]);
        shmem_barrier_all();
    }
}

static void cross_gets(unsigned char *heap, unsigned char *mine)
{
    int to = (me + 1) % npes;
    for (size_t i = 0; i < (SPAN + 2) * MIB; i++)
        heap[i] = pattern(i, me);
    shmem_barrier_all();
    for (int k = 0; k < 2 * SIZES; k++) {
        size_t n = sizes[k / 2];
        for (int b = 2; b < SPAN; b++) {
            size_t at = start_of((size_t)b * MIB, n), wrong = 0;
            memset(mine, 0, n);
            if (k % 2)
                shmem_getmem_nbi(mine, heap + at, n, to);
            else
                shmem_getmem(mine, heap + at, n, to);
            shmem_quiet();
            for (size_t i = 0; i < n; i++)
                wrong += mine[i] != pattern(at + i, to);
            CHECK(wrong == 0, "get of %zu bytes at %zu: %zu are wrong", n, at, wrong);
        }
    }
    shmem_barrier_all();
}

// Scalars, strided and atomic.
static void cross_words(unsigned char *heap)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    memset(heap, 0, SPAN * MIB);
    shmem_barrier_all();
    long strip[64];
    for (int i = 0; i < 64; i++)
        strip[i] = me * 1000 + i;
    for (int b = 2; b < SPAN; b++) {
        unsigned char *border = heap + (size_t)b * MIB;
        shmem_long_p((long *)(void *)border + 70, me + 1, to);
        shmem_long_atomic_add((long *)(void *)border, me + 2, to);
        shmem_long_iput((long *)(void *)(border - 32 * 2 * 8) + 1, strip, 2, 1, 64, to);
    }
    shmem_barrier_all();
    for (int b = 2; b < SPAN; b++) {
        long *border = (long *)(void *)(heap + (size_t)b * MIB);
        CHECK(border[70] == from + 1, "a scalar at %d MiB: %ld", b, border[70]);
        CHECK(*border == from + 2, "an atomic at %d MiB: %ld", b, *border);
        for (int i = 0; i < 64; i++) {
            long *at = border - 64 + 1 + 2 * i;
            CHECK(*at == from * 1000 + i, "a strip's word %d at %d MiB: %ld", i, b, *at);
        }
    }
    shmem_barrier_all();
}

static void cross(void)
{
    unsigned char *heap = shmem_malloc(SPAN * MIB + 2 * MIB), *mine = malloc(SPAN * MIB);
    uint64_t *signal = shmem_calloc(1, sizeof *signal);
    REQUIRE(heap && mine && signal, "no memory");
    cross_puts(heap, mine, signal);
    cross_gets(heap, mine);
    cross_words(heap);
    free(mine);
    shmem_free(signal);
    shmem_free(heap);
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    REQUIRE(argc > 1, "a mode is missing");
    if (strcmp(argv[1], "sleep") == 0)
        sleep(60);
    else if (strcmp(argv[1], "use") == 0 && argc > 2)
        use((size_t)atol(argv[2]) * MIB);
    else if (strcmp(argv[1], "cross") == 0)
        cross();
    else
        REQUIRE(0, "no mode %s", argv[1]);
    if (me == 0)
        printf("memory done\n");
    shmem_finalize();
    return check_result();
}
