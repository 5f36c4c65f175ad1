// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads of each PE at once: puts, gets and atomics on device memory, on the default
// context and contexts of their own.
#include <pthread.h>

#include "gpu/device.h"

enum { THREADS = 3, ROUNDS = 25, NBYTES = 20000 };

static int me, npes;
static char *blocks;  // a block of each thread, symmetric, on the device
static int64_t *sum;

static void *work(void *arg)
{
    const int thread = (int)(intptr_t)arg, to = (me + 1 + thread) % npes;
    static _Thread_local char out[NBYTES], in[NBYTES];
    char *block = blocks + (size_t)thread * NBYTES;
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    if (thread > 0)
        REQUIRE(shmem_ctx_create(0, &ctx) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = round % 3 == 0 ? NBYTES : 100;
        fill_pattern(out, n, me * 100 + round);
        // to this PE's block on `to`, which no other PE has: `thread` and `to` name the sender
        shmem_ctx_putmem(ctx, block, out, n, to);
        shmem_ctx_quiet(ctx);
        memset(in, 0, n);
        shmem_ctx_getmem(ctx, in, block, n, to);
        size_t wrong = first_wrong(in, n, me * 100 + round);
        CHECK(wrong == n, "thread %d, round %d: wrong at %zu", thread, round, wrong);
        for (int pe = 0; pe < npes; pe++)
            shmem_ctx_int64_atomic_add(ctx, sum, 1, pe);
        (void)shmem_ctx_int64_atomic_fetch_add(ctx, sum + 1, 1, 0);
    }
    shmem_ctx_quiet(ctx);
    if (thread > 0)
        shmem_ctx_destroy(ctx);
    return NULL;
}

int main(void)
{
    int provided;
    REQUIRE(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0 &&
            provided == SHMEM_THREAD_MULTIPLE);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    REQUIRE(shmemx_device_heap(1 << 20) == 0);
    blocks = shmemx_device_malloc((size_t)THREADS * NBYTES);
    sum = shmemx_device_calloc(2, sizeof *sum);
    REQUIRE(blocks && sum);
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();
    CHECK(shmem_int64_g(sum, me) == (int64_t)THREADS * ROUNDS * npes);
    CHECK(shmem_int64_g(sum + 1, 0) == (int64_t)THREADS * ROUNDS * npes);
    shmem_barrier_all();
    shmemx_device_free(sum);
    shmemx_device_free(blocks);
    shmem_finalize();
    return check_result();
}
