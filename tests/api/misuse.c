// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong uses, one per run: misuse CASE. Each must end with a message; reaching the end of the
// program is a failure of the library.
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int word, array[64], npes;
static int last[1 << 14];  // nothing of the program lies behind it
static int far;  // a PE that does not exist: misuse CASE far PE
static long lock, sync_[SHMEM_SYNC_SIZE];
static uint64_t sig;
static int *own, *heap;         // private and symmetric memory
static char *volatile nowhere;  // NULL, unknown to the compiler

typedef struct wrong {
    const char *name;
    void (*run)(void);
} wrong_t;

#define WRONG(name, ...)            \
    static void name##_(void)       \
    {                               \
        __VA_ARGS__;                \
    }

// ---------------------------------------------------------------- PEs that do not exist
WRONG(p_pe_too_high, shmem_int_p(&word, 1, npes))
WRONG(p_pe_negative, shmem_int_p(&word, 1, -1))
WRONG(double_p_pe_too_high, static double d; shmem_double_p(&d, 1.5, npes + 3))
WRONG(g_pe_too_high, word = shmem_int_g(&word, npes))
WRONG(put_pe_too_high, shmem_int_put(array, own, 4, npes))
WRONG(get_pe_negative, shmem_int_get(own, array, 4, -2))
WRONG(iput_pe_too_high, shmem_int_iput(array, own, 2, 1, 4, npes))
WRONG(add_pe_too_high, shmem_int_atomic_add(&word, 1, npes))
WRONG(fetch_add_pe_negative, word = shmem_int_atomic_fetch_add(&word, 1, -1))
WRONG(put_signal_pe_too_high, shmem_int_put_signal(array, own, 4, &sig, 1, SHMEM_SIGNAL_SET, npes))
WRONG(pe_quiet_pe_too_high, shmem_pe_quiet(&npes, 1))
WRONG(ptr_pe_too_high, own = shmem_ptr(&word, npes))
WRONG(broadcast_root_too_high, shmem_int_broadcast(SHMEM_TEAM_WORLD, array, array, 1, npes))

// any int: misuse CASE far PE
static shmem_ctx_t mine(void);
static shmem_ctx_t of_part(void);
WRONG(far_p, shmem_int_p(&word, 1, far))
WRONG(far_char_p, shmem_char_p((char *)array, 1, far))
WRONG(far_double_p, static double d; shmem_double_p(&d, 1.5, far))
WRONG(far_longdouble_p, static long double d; shmem_longdouble_p(&d, 1.5L, far))
WRONG(far_g, word = shmem_int_g(&word, far))
WRONG(far_put, shmem_int_put(array, own, 4, far))
WRONG(far_put_nbi, shmem_int_put_nbi(array, own, 4, far))
WRONG(far_get, shmem_int_get(own, array, 4, far))
WRONG(far_iput, shmem_int_iput(array, own, 2, 1, 4, far))
WRONG(far_iget, shmem_int_iget(own, array, 2, 1, 4, far))
WRONG(far_add, shmem_int_atomic_add(&word, 1, far))
WRONG(far_fetch_add, word = shmem_int_atomic_fetch_add(&word, 1, far))
WRONG(far_put_signal, shmem_int_put_signal(array, own, 4, &sig, 1, SHMEM_SIGNAL_SET, far))
WRONG(far_pe_quiet, shmem_pe_quiet(&far, 1))
WRONG(far_root, shmem_int_broadcast(SHMEM_TEAM_WORLD, array, array + 8, 4, far))
WRONG(far_session_p, shmem_ctx_session_start(SHMEM_CTX_DEFAULT, 0, NULL, 0);
      shmem_int_p(&word, 1, far))
WRONG(far_ctx_p, shmem_ctx_int_p(mine(), &word, 1, far))
WRONG(far_ctx_g, word = shmem_ctx_int_g(mine(), &word, far))
WRONG(far_ctx_put, shmem_ctx_int_put(mine(), array, own, 4, far))
WRONG(far_ctx_iget, shmem_ctx_int_iget(mine(), own, array, 2, 1, 4, far))
WRONG(far_ctx_add, shmem_ctx_int_atomic_add(mine(), &word, 1, far))
WRONG(far_default_ctx_p, shmem_ctx_int_p(SHMEM_CTX_DEFAULT, &word, 1, far))
WRONG(far_default_ctx_get, shmem_ctx_int_get(SHMEM_CTX_DEFAULT, own, array, 4, far))
WRONG(far_part_p, shmem_ctx_int_p(of_part(), &word, 1, far))
WRONG(far_part_get, shmem_ctx_int_get(of_part(), own, array, 4, far))

// ---------------------------------------------------------------- memory that is not symmetric
WRONG(p_to_private, shmem_int_p(own, 1, 0))
WRONG(p_to_stack, int here = 0; shmem_int_p(&here, 1, npes - 1))
WRONG(p_to_null, shmem_int_p((int *)(void *)nowhere, 1, 0))
WRONG(put_to_private, shmem_int_put(own, array, 4, 0))
WRONG(put_beyond_static, shmem_putmem(array, own, (size_t)1 << 40, 0))
WRONG(put_beyond_heap, shmem_putmem(shmem_malloc(400), own, (size_t)1 << 40, 0))
WRONG(put_behind_static, shmem_int_put(last + ((size_t)npes << 27), own, 4, 0))
WRONG(get_from_private, shmem_int_get(array, own, 4, npes - 1))
WRONG(iget_from_private, shmem_int_iget(array, own, 1, 1, 4, 0))
WRONG(set_private, shmem_int_atomic_set(own, 1, 0))
WRONG(swap_private, word = shmem_int_atomic_swap(own, 1, npes - 1))
WRONG(signal_private, shmem_signal_set((uint64_t *)(void *)own, 1, 0))
WRONG(put_signal_private,
      shmem_int_put_signal(array, array, 1, (uint64_t *)(void *)own, 1, SHMEM_SIGNAL_SET, 0))
WRONG(wait_private, shmem_int_wait_until(own, SHMEM_CMP_EQ, 1))
WRONG(wait_all_private, shmem_int_wait_until_all(own, 4, NULL, SHMEM_CMP_EQ, 1))
WRONG(test_private, word = shmem_int_test(own, SHMEM_CMP_EQ, 1))
WRONG(lock_private, shmem_set_lock((long *)(void *)own))
WRONG(reduce_private, shmem_int_sum_reduce(SHMEM_TEAM_WORLD, own, array, 4))
WRONG(collect_private, shmem_int_collect(SHMEM_TEAM_WORLD, array, own, 4))
WRONG(psync_private, shmem_barrier(0, 0, npes, (long *)(void *)own))

// ---------------------------------------------------------------- blocks of the heap
/** It was right to use it before, twice and on either side. */
static int *freed(void)
{
    int *block = shmem_malloc(400);
    for (int i = 0; i < 2; i++) {
        shmem_int_put(block, own, 4, npes - 1);
        shmem_int_get(block, array, 4, npes - 1);
    }
    shmem_free(block);
    return block;
}

WRONG(put_freed, shmem_int_put(freed(), array, 4, npes - 1))
WRONG(add_freed, shmem_int_atomic_add(freed(), 1, 0))
WRONG(put_unallocated, int *block = shmem_malloc(400); shmem_int_put(block + 1600, array, 4, 0))
WRONG(put_from_beyond, int *block = shmem_malloc(400); shmem_int_put(array, block + 96, 8, 0))
static int few[4];
WRONG(put_past_static, shmem_int_put(few, array, 8, 0))
WRONG(put_from_static, shmem_int_put(array, few, 8, 0))
WRONG(sum_past_static, shmem_int_sum_reduce(SHMEM_TEAM_WORLD, few, array, 8))
WRONG(get_to_freed, shmem_int_get(freed(), array, 4, 0))
WRONG(wait_freed, shmem_int_wait_until(freed(), SHMEM_CMP_EQ, 1))
WRONG(put_beyond_block, int *block = shmem_malloc(400); shmem_int_put(block + 96, array, 8, 0))
WRONG(get_into_next, char *block = shmem_malloc(100); char *next = shmem_malloc(100);
      shmem_getmem(own, block, (size_t)(next - block) + 1, 0))
WRONG(fcollect_beyond_block, int *block = shmem_malloc(4);
      shmem_int_fcollect(SHMEM_TEAM_WORLD, block, array, 1))

// ---------------------------------------------------------------- counts, strides and other values
WRONG(put_negative, shmem_int_put(array, own, (size_t)-3, 0))
WRONG(get_nbi_negative, shmem_long_get_nbi((long *)(void *)own, sync_, (size_t)-1, npes - 1))
WRONG(putmem_negative, shmem_putmem(array, own, (size_t)-100, 0))
WRONG(iput_negative, shmem_int_iput(array, own, 1, 1, (size_t)-4, npes - 1))
WRONG(iget_negative, shmem_int_iget(own, array, 2, 1, (size_t)-4, npes - 1))
WRONG(ibput_negative, shmem_int_ibput(array, own, 1, 1, (size_t)-1, 2, npes - 1))
WRONG(put_signal_negative,
      shmem_putmem_signal(array, own, (size_t)-4, &sig, 1, SHMEM_SIGNAL_ADD, 0))
WRONG(wait_all_negative, shmem_int_wait_until_all(array, (size_t)-2, NULL, SHMEM_CMP_EQ, 1))
WRONG(test_any_negative, shmem_int_test_any_vector(array, (size_t)-2, NULL, SHMEM_CMP_EQ, own))
WRONG(test_some_negative, shmem_long_test_some((long *)(void *)array, (size_t)-1,
                                               (size_t *)(void *)own, NULL, SHMEM_CMP_LT, 0))
WRONG(broadcast_negative, shmem_int_broadcast(SHMEM_TEAM_WORLD, array, array, (size_t)-5, 0))
WRONG(to_all_negative, shmem_int_sum_to_all(array, array, -2, 0, 0, npes, array, sync_))
WRONG(alltoalls_stride, shmem_int_alltoalls(SHMEM_TEAM_WORLD, array, array, 0, 1, 1))
WRONG(bad_compare, shmem_int_wait_until(&word, 99, 1))
WRONG(bad_signal_op, shmem_int_put_signal(array, own, 1, &sig, 1, 77, 0))
WRONG(bad_team, shmem_int_broadcast(SHMEM_TEAM_INVALID, array, array, 1, 0))
WRONG(stale_team, shmem_team_t t;
      shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &t); shmem_team_destroy(t);
      shmem_team_sync(t))
WRONG(destroy_world, shmem_team_destroy(SHMEM_TEAM_WORLD))
WRONG(destroy_shared, shmem_team_destroy(SHMEM_TEAM_SHARED))
WRONG(team_mask, shmem_team_config_t config = {1}; shmem_team_t t;
      shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, &config, 6, &t))
WRONG(team_no_config, shmem_team_t t;
      shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 1, &t))
WRONG(team_ptr_pe, own = shmem_team_ptr(SHMEM_TEAM_SHARED, &word, npes))
WRONG(bad_context, shmem_ctx_int_p(SHMEM_CTX_INVALID, &word, 1, 0))
static shmem_ctx_t gone(void)
{
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    shmem_ctx_destroy(ctx);
    return ctx;
}
static shmem_ctx_t mine(void)
{
    static shmem_ctx_t ctx;
    if (!ctx)
        shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx);
    return ctx;
}
/** Of a team of the last PE alone; the others wait for the end of the job. */
static shmem_ctx_t of_part(void)
{
    shmem_team_t team;
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, 1, 1, NULL, 0, &team);
    if (shmem_my_pe() == npes - 1)
        shmem_team_create_ctx(team, 0, &ctx);
    else
        shmem_barrier_all();
    return ctx;
}
static void *other_thread(void *ctx)
{
    shmem_ctx_int_p((shmem_ctx_t)ctx, &word, 1, 0);
    return NULL;
}
WRONG(ctx_p_pe_too_high, shmem_ctx_int_p(mine(), &word, 1, npes))
WRONG(ctx_get_pe_negative, shmem_ctx_int_get(mine(), own, array, 4, -3))
WRONG(ctx_add_pe_too_high, shmem_ctx_int_atomic_add(mine(), &word, 1, npes + 1))
WRONG(ctx_p_destroyed, shmem_ctx_int_p(gone(), &word, 1, 0))
WRONG(ctx_put_destroyed, shmem_ctx_int_put(gone(), array, own, 4, npes - 1))
WRONG(ctx_fetch_destroyed, word = shmem_ctx_int_atomic_fetch(gone(), &word, npes - 1))
WRONG(ctx_quiet_destroyed, shmem_ctx_quiet(gone()))
WRONG(ctx_destroy_twice, shmem_ctx_destroy(gone()))
WRONG(ctx_of_another_thread, pthread_t t; pthread_create(&t, NULL, other_thread, mine());
      pthread_join(t, NULL))
static void *cancel(void *thread)
{
    usleep(50000);
    pthread_cancel(*(pthread_t *)thread);
    return NULL;
}
WRONG(cancelled, static pthread_t me; me = pthread_self(); pthread_t t;
      pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
      pthread_create(&t, NULL, cancel, &me); shmem_int_wait_until(&word, SHMEM_CMP_EQ, 77))
WRONG(destroy_default, shmem_ctx_destroy(SHMEM_CTX_DEFAULT))
WRONG(set_too_large, shmem_barrier(0, 1, npes, sync_))
WRONG(set_of_broadcast, shmem_broadcast64(array, array + 8, 1, 0, 0, 0, npes + 2, sync_))
WRONG(set_of_reduce, shmem_int_sum_to_all(array, array + 8, 1, 1, 0, npes, array + 16, sync_))
WRONG(set_of_collect, shmem_fcollect32(array, array + 8, 1, -1, 0, 1, sync_))
WRONG(set_of_alltoalls, shmem_alltoalls32(array, array + 8, 1, 1, 1, 0, 31, npes, sync_))
WRONG(set_empty, shmem_sync(0, 0, 0, sync_))
WRONG(set_without_me, if (shmem_my_pe() == 1) shmem_barrier(0, 0, 1, sync_); shmem_barrier_all())
WRONG(clear_free_lock, shmem_clear_lock(&lock))

// ---------------------------------------------------- memory that overlaps, is nowhere, or crooked
WRONG(put_overlaps, shmem_int_put(array, array + 3, 4, shmem_my_pe()))
WRONG(put_to_itself, shmem_putmem(array, array, 16, shmem_my_pe()))
WRONG(get_overlaps, shmem_int_get_nbi(array + 1, array, 4, shmem_my_pe()))
WRONG(put_from_peer, shmem_int_put(array, shmem_ptr(array + 2, npes - 1), 4, npes - 1))
WRONG(put_null, shmem_putmem(array, nowhere, 8, npes - 1))
WRONG(get_null, shmem_int_get((int *)(void *)nowhere, array, 4, 0))
WRONG(iput_null, shmem_int_iput(array, (int *)(void *)nowhere, 1, 1, 4, 0))
WRONG(fetch_nbi_null, shmem_int_atomic_fetch_nbi((int *)(void *)nowhere, &word, 0))
WRONG(wait_null, shmem_int_wait_until((int *)(void *)nowhere, SHMEM_CMP_EQ, 1))
WRONG(query_null, shmem_query_thread((int *)(void *)nowhere))
WRONG(iput_stride_zero, shmem_int_iput(array, own, 0, 1, 4, 0))
WRONG(iget_stride_negative, shmem_int_iget(own, array, 1, -2, 4, 0))
WRONG(ibput_stride_small, shmem_int_ibput(array, own, 2, 3, 3, 2, 0))
WRONG(add_crooked, shmem_long_atomic_add((long *)(void *)((char *)sync_ + 4), 1, 0))
WRONG(swap_crooked, word = shmem_int_atomic_swap((int *)(void *)((char *)array + 1), 1, npes - 1))
WRONG(wait_crooked, shmem_int_wait_until((int *)(void *)((char *)array + 2), SHMEM_CMP_EQ, 1))
WRONG(test_all_crooked,
      word = shmem_int_test_all((int *)(void *)((char *)array + 2), 3, NULL, SHMEM_CMP_EQ, 1))
WRONG(lock_crooked, shmem_set_lock((long *)(void *)((char *)sync_ + 2)))
WRONG(signal_inside,
      shmem_putmem_signal(sync_, own, 64, (uint64_t *)(void *)(sync_ + 1), 1, SHMEM_SIGNAL_SET, 0))

WRONG(broadcast_overlaps, shmem_int_broadcast(SHMEM_TEAM_WORLD, array, array + 1, 4, 0))
WRONG(fcollect_overlaps, shmem_int_fcollect(SHMEM_TEAM_WORLD, array, array, 4))
WRONG(reduce_overlaps, shmem_int_max_reduce(SHMEM_TEAM_WORLD, array + 2, array, 4))

// ---------------------------------------------------------------- locks
WRONG(
    set_twice, if (shmem_my_pe() == 0) {
        shmem_set_lock(&lock);
        shmem_set_lock(&lock);
    } shmem_barrier_all())
WRONG(
    test_twice, if (shmem_my_pe() == 0) {
        word = shmem_test_lock(&lock);
        word = shmem_test_lock(&lock);
    } shmem_barrier_all())
WRONG(clear_of_another, if (shmem_my_pe() == 0) shmem_set_lock(&lock); shmem_barrier_all();
      if (shmem_my_pe() == 1) shmem_clear_lock(&lock); shmem_barrier_all())
WRONG(
    clear_twice, if (shmem_my_pe() == 1) {
        shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
        shmem_clear_lock(&lock);
    } shmem_barrier_all())

// ---------------------------------------------------------------- the heap
WRONG(inner_realloc, own = shmem_realloc(heap + 4, 100))
WRONG(double_free, shmem_free(heap); shmem_free(heap))
WRONG(foreign_free, shmem_free(own))
WRONG(static_free, shmem_free(array))
WRONG(inner_free, shmem_free(heap + 1))
WRONG(foreign_realloc, own = shmem_realloc(own, 100))
WRONG(bad_alignment, own = shmem_align(24, 100))

// ---------------------------------------------------------------- outside of init and finalize
WRONG(call_p, shmem_int_p(&word, 1, 0))
WRONG(call_g, word = shmem_int_g(&word, 0))
WRONG(call_put, shmem_int_put(array, array + 32, 4, 0))
WRONG(call_get_nbi, shmem_int_get_nbi(array, array + 32, 4, 0))
WRONG(call_iput, shmem_int_iput(array, array + 32, 1, 1, 4, 0))
WRONG(call_add, shmem_int_atomic_add(&word, 1, 0))
WRONG(call_fetch_nbi, shmem_int_atomic_fetch_nbi(array, &word, 0))
WRONG(call_put_signal, shmem_int_put_signal(array, array + 32, 4, &sig, 1, SHMEM_SIGNAL_SET, 0))
WRONG(call_signal_fetch, sig = shmem_signal_fetch(&sig))
WRONG(call_quiet, shmem_quiet())
WRONG(call_fence, shmem_fence())
WRONG(call_wait, shmem_int_wait_until(&word, SHMEM_CMP_EQ, 0))
WRONG(call_test_any, array[0] = (int)shmem_int_test_any(array, 4, NULL, SHMEM_CMP_EQ, 0))
WRONG(call_lock, shmem_set_lock(&lock))
WRONG(call_malloc, own = shmem_malloc(8))
WRONG(call_free, shmem_free(array))
WRONG(call_barrier, shmem_barrier_all())
WRONG(call_reduce, shmem_int_sum_reduce(SHMEM_TEAM_WORLD, array, array, 4))
WRONG(call_my_pe, word = shmem_my_pe())
WRONG(call_n_pes, word = shmem_n_pes())
WRONG(call_ptr, own = shmem_ptr(&word, 0))
WRONG(call_finalize, shmem_finalize())
WRONG(call_query_thread, shmem_query_thread(&word))
WRONG(call_ctx_create, shmem_ctx_t ctx; shmem_ctx_create(0, &ctx))

#define LIST                                                                                      \
    C(p_pe_too_high) C(p_pe_negative) C(double_p_pe_too_high) C(g_pe_too_high) C(put_pe_too_high) \
    C(get_pe_negative) C(iput_pe_too_high) C(add_pe_too_high) C(fetch_add_pe_negative)            \
    C(put_signal_pe_too_high) C(pe_quiet_pe_too_high) C(ptr_pe_too_high)                          \
    C(broadcast_root_too_high) C(p_to_private) C(p_to_stack) C(p_to_null) C(put_to_private)       \
    C(put_behind_static) C(put_beyond_heap)                                                       \
    C(put_beyond_static) C(get_from_private) C(iget_from_private) C(set_private) C(swap_private)  \
    C(signal_private) C(put_signal_private) C(wait_private) C(wait_all_private) C(test_private)   \
    C(lock_private) C(reduce_private) C(collect_private) C(psync_private) C(put_freed)            \
    C(add_freed) C(wait_freed) C(put_beyond_block) C(get_into_next) C(fcollect_beyond_block)      \
    C(put_unallocated) C(put_from_beyond) C(get_to_freed) C(put_past_static) C(put_from_static)   \
    C(sum_past_static) C(put_negative)                                                            \
    C(get_nbi_negative) C(putmem_negative) C(iput_negative) C(put_signal_negative)                \
    C(iget_negative) C(ibput_negative) C(test_any_negative) C(test_some_negative)                 \
    C(wait_all_negative) C(broadcast_negative) C(to_all_negative) C(alltoalls_stride)             \
    C(bad_compare) C(bad_signal_op) C(bad_team) C(bad_context) C(ctx_p_pe_too_high)               \
    C(ctx_get_pe_negative) C(ctx_add_pe_too_high) C(ctx_p_destroyed) C(ctx_put_destroyed)         \
    C(ctx_fetch_destroyed) C(ctx_quiet_destroyed) C(ctx_destroy_twice) C(ctx_of_another_thread)   \
    C(cancelled)                                                                                  \
    C(destroy_default) C(put_overlaps) C(put_to_itself) C(get_overlaps) C(put_from_peer)          \
    C(put_null) C(get_null) C(iput_null) C(fetch_nbi_null) C(wait_null) C(query_null)             \
    C(iput_stride_zero) C(iget_stride_negative) C(ibput_stride_small) C(add_crooked)              \
    C(swap_crooked) C(wait_crooked) C(test_all_crooked) C(lock_crooked) C(signal_inside)          \
    C(set_twice) C(test_twice) C(clear_of_another) C(clear_twice) C(inner_realloc)                \
    C(broadcast_overlaps) C(fcollect_overlaps) C(reduce_overlaps) C(stale_team) C(destroy_world)  \
    C(destroy_shared) C(team_mask) C(team_no_config) C(team_ptr_pe) C(set_too_large)              \
    C(set_of_broadcast) C(set_of_reduce) C(set_of_collect) C(set_of_alltoalls) C(set_empty)        \
    C(set_without_me) C(clear_free_lock) C(double_free) C(foreign_free) C(static_free)            \
    C(inner_free) C(foreign_realloc) C(bad_alignment) C(call_p) C(call_g) C(call_put)             \
    C(call_get_nbi) C(call_iput) C(call_add) C(call_fetch_nbi) C(call_put_signal)                 \
    C(call_signal_fetch) C(call_quiet) C(call_fence) C(call_wait) C(call_test_any) C(call_lock)   \
    C(call_malloc) C(call_free) C(call_barrier) C(call_reduce) C(call_my_pe) C(call_n_pes)        \
    C(call_ptr) C(call_finalize) C(call_query_thread) C(call_ctx_create)                          \
    C(far_p) C(far_char_p) C(far_double_p) C(far_longdouble_p) C(far_g) C(far_put)                \
    C(far_put_nbi) C(far_get) C(far_iput) C(far_iget) C(far_add) C(far_fetch_add)                 \
    C(far_put_signal) C(far_pe_quiet) C(far_root) C(far_session_p) C(far_ctx_p) C(far_ctx_g)      \
    C(far_ctx_put) C(far_ctx_iget) C(far_ctx_add) C(far_default_ctx_p) C(far_default_ctx_get)     \
    C(far_part_p) C(far_part_get)
#define C(name) {#name, name##_},
static const wrong_t all[] = {LIST};

/** misuse CASE, misuse CASE before (init) [PE], misuse CASE after (finalize) [PE], misuse CASE far
 *  PE */
int main(int argc, char **argv)
{
    const char *when = argc > 2 ? argv[2] : "between";
    own = calloc(64, sizeof(int));
    far = argc > 3 ? atoi(argv[3]) : 0;
    if (strcmp(when, "before")) {
        shmem_init();
        npes = shmem_n_pes();
        heap = shmem_malloc(64 * sizeof(int));
        shmem_barrier_all();
        if (!strcmp(when, "after"))
            shmem_finalize();
    }
    for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(all[0]); i++)
        if (!strcmp(all[i].name, argv[1])) {
            all[i].run();
            printf("%s went through\n", argv[1]);
            return 0;
        }
    printf("no such case\n");
    return 0;
}
