// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics on device memory: every kind once with its result, and sums of all PEs at once, exact
// among calls from the node and from another one; results in device memory.
#include "gpu/device.h"

enum { ROUNDS = 60 };

static driver d;
static int me, npes;
static int64_t *words;    // symmetric, on the device
static int32_t *narrow;   // the same
static int64_t *on_host;  // symmetric

static void kinds(int pe)
{
    int64_t *w = words + 8 + me;
    shmem_int64_atomic_set(w, 40, pe);
    shmem_quiet();
    CHECK(shmem_int64_atomic_fetch(w, pe) == 40);
    CHECK(shmem_int64_atomic_fetch_add(w, 2, pe) == 40);
    CHECK(shmem_int64_atomic_swap(w, 7, pe) == 42);
    CHECK(shmem_int64_atomic_compare_swap(w, 6, 100, pe) == 7);
    CHECK(shmem_int64_atomic_compare_swap(w, 7, 8, pe) == 7);
    CHECK(shmem_int64_atomic_fetch_inc(w, pe) == 8);
    shmem_int64_atomic_inc(w, pe);
    shmem_int64_atomic_add(w, -3, pe);
    shmem_quiet();
    CHECK(shmem_int64_atomic_fetch_xor(w, 0xff, pe) == 7);
    CHECK(shmem_int64_atomic_fetch_and(w, 0xf0, pe) == 0xf8);
    CHECK(shmem_int64_atomic_fetch_or(w, 3, pe) == 0xf0);
    CHECK(shmem_int64_g(w, pe) == 0xf3);
    int32_t *n = narrow + 2 * me, neighbour = -1;
    shmem_int32_p(n + 1, -1, pe);
    shmem_int32_atomic_set(n, -5, pe);
    shmem_quiet();
    CHECK(shmem_int32_atomic_fetch_add(n, 1, pe) == -5);
    CHECK(shmem_int32_atomic_swap(n, 9, pe) == -4);
    shmem_int32_get(&neighbour, n + 1, 1, pe);
    CHECK(neighbour == -1, "the word beside it");
    float *f = (float *)(void *)n;
    shmem_float_atomic_set(f, 1.5f, pe);
    shmem_quiet();
    CHECK(shmem_float_atomic_swap(f, 2.5f, pe) == 1.5f);
    CHECK(shmem_float_atomic_fetch(f, pe) == 2.5f);
}

static void nonblocking(int pe, void *mine)
{
    int64_t *w = words + 8 + me, old = -1;
    shmem_int64_atomic_set(w, 5, pe);
    shmem_quiet();
    shmem_int64_atomic_fetch_add_nbi(&old, w, 4, pe);
    shmem_quiet();
    CHECK(old == 5);
    shmem_int64_atomic_fetch_nbi(mine, w, pe);  // to memory of the device
    shmem_quiet();
    shmem_int64_p(words + 4, 0, me);
    shmem_putmem(words + 4, mine, sizeof *words, me);
    CHECK(shmem_int64_g(words + 4, me) == 9);
    on_host[1] = 77;
    shmem_barrier_all();
    shmem_int64_atomic_fetch_nbi(mine, on_host + 1, pe);  // from a host's to the device's
    shmem_quiet();
    shmem_putmem(words + 4, mine, sizeof *words, me);
    CHECK(shmem_int64_g(words + 4, me) == 77);
    shmem_barrier_all();
}

/** All PEs on one word of each PE, by every kind of add. */
static void sums(void)
{
    for (int i = 0; i < ROUNDS; i++)
        for (int pe = 0; pe < npes; pe++) {
            shmem_int64_atomic_add(words, 1, pe);
            (void)shmem_int64_atomic_fetch_add(words, 2, pe);
            shmem_int64_atomic_inc(words + 1, pe);
            shmem_int32_atomic_add(narrow + 100, 1, pe);
        }
    shmem_barrier_all();
    CHECK(shmem_int64_g(words, me) == 3 * ROUNDS * npes, "%lld",
          (long long)shmem_int64_g(words, me));
    CHECK(shmem_int64_g(words + 1, me) == ROUNDS * npes);
    CHECK(shmem_int32_g(narrow + 100, me) == ROUNDS * npes);
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    REQUIRE(shmemx_device_heap(100) == 0);  // rounded up
    driver_find(&d);
    words = shmemx_device_calloc(200, sizeof *words);
    narrow = shmemx_device_calloc(200, sizeof *narrow);
    on_host = shmem_calloc(4, sizeof *on_host);
    void *mine = driver_alloc(&d, 64);
    REQUIRE(words && narrow && on_host);
    for (int pe = 0; pe < npes; pe++) {
        kinds(pe);
        nonblocking(pe, mine);
    }
    shmem_barrier_all();
    sums();
    driver_free(&d, mine);
    shmem_free(on_host);
    shmemx_device_free(narrow);
    shmemx_device_free(words);
    shmem_finalize();
    return check_result();
}
