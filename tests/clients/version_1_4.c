// SPDX-License-Identifier: BSD-3-Clause
//
// A program of OpenSHMEM 1.4: threads, contexts, the atomic names, bitwise atomics, sync, test,
// calloc.
#include <shmem.h>

#include "frame/check.h"

static long sync_room[SHMEM_SYNC_SIZE];
static uint64_t present;
static int mail[2], state;
static size_t sizes;

int main(void)
{
    int provided, again;
    if (shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided) || provided < SHMEM_THREAD_SERIALIZED)
        return 1;
    shmem_query_thread(&again);
    CHECK(again == provided, "thread level");
    const int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes,
              prev = (me + npes - 1) % npes;
    check_as("PE", me, npes);
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_room[i] = SHMEM_SYNC_VALUE;
    long *zeros = shmem_calloc(10, sizeof(long));
    CHECK(zeros && zeros[9] == 0, "calloc");

    shmem_ctx_t ctx;
    if (shmem_ctx_create(SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE, &ctx))
        ctx = SHMEM_CTX_DEFAULT;
    shmem_ctx_int_p(ctx, &mail[0], me + 1, next);
    shmem_ctx_fence(ctx);
    shmem_p(ctx, &mail[1], 1, next);
    while (!shmem_int_test(&mail[1], SHMEM_CMP_EQ, 1))
        continue;
    CHECK(mail[0] == prev + 1, "put on a context");
    shmem_ctx_quiet(ctx);
    if (ctx != SHMEM_CTX_DEFAULT)
        shmem_ctx_destroy(ctx);

    shmem_uint64_atomic_or(&present, UINT64_C(1) << me, 0);
    shmem_atomic_add(&sizes, (size_t)2, 0);
    (void)shmem_atomic_fetch_inc(&state, 0);
    shmem_quiet();
    shmem_sync_all();
    shmem_sync(0, 0, npes, sync_room);
    CHECK(shmem_atomic_fetch(&present, 0) == (UINT64_C(1) << npes) - 1, "bitwise atomics");
    CHECK(shmem_atomic_fetch(&sizes, 0) == 2 * (size_t)npes &&
              shmem_atomic_fetch(&state, 0) == npes,
          "atomics");
    shmem_barrier_all();
    if (me == npes - 1)
        CHECK(shmem_atomic_compare_swap(&state, npes, -1, 0) == npes &&
                  shmem_atomic_swap(&state, 3, 0) == -1,
              "swaps");
    shmem_barrier_all();
    if (me == 0)
        shmem_wait_until(&state, SHMEM_CMP_EQ, 3);
    shmem_set_cache_inv();  // and what 1.5 removed
    shmem_set_cache_line_inv(&state);
    shmem_clear_cache_inv();
    shmem_clear_cache_line_inv(&state);
    shmem_udcflush();
    shmem_udcflush_line(&state);
    shmem_pcontrol(1);
    shmem_free(zeros);
    shmem_finalize();
    return checks_failed != 0;
}
