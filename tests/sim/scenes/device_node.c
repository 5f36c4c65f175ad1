// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels of two PEs of a node beside processors: atomics on one word of the host, by requests, and
// on one of a device; data and flags by stores, behind requests, both ways; a processor that
// sleeps on a word that a kernel stores.
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>

#include "device.h"

enum { KERNELS = 2, ROUNDS = 2, EACH = ROUNDS * (KERNELS + 1) * 2 };
#define LATE_NS 4000000u  // naps of the thread that looks: 1 ms
static cwd_world_t world;
static uint64_t sum, all, swapped, behind, flag, data[4], signal, echo, reply, stamp;
static uint64_t *far, *near;  // on the device
static int me, other;

/** Behind what has ordered it, however weakly it is loaded. */
static uint64_t at(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/** Each old value is seen once, so the sum of all is known. */
static void count(uint64_t *word, uint64_t *sums, int pe)
{
    uint64_t old = cwd_uint64_atomic_fetch_inc(&world, word, pe);
    cwd_uint64_atomic_add(&world, sums, old, pe);
}

static void count_here(uint64_t *word, uint64_t *sums, int pe)
{
    uint64_t old = shmem_uint64_atomic_fetch_inc(word, pe);
    shmem_uint64_atomic_add(sums, old, pe);
}

static void swap(uint64_t *word, int pe)
{
    uint64_t old = cwd_uint64_atomic_fetch(&world, word, pe), now;
    while ((now = cwd_uint64_atomic_compare_swap(&world, word, old, old + 1, pe)) != old)
        old = now;
}

/** A store that rings no bell, on which a processor sleeps. */
static void store_alone(void)
{
    usleep(30000);
    cwd_uint64_p(&world, &stamp, sim_now_ns(), other);
}

static void sleep_on_it(void)
{
    shmem_uint64_wait_until(&stamp, SHMEM_CMP_NE, 0);
    const uint64_t late = sim_now_ns() - at(&stamp);
    SIM_CHECK(late < LATE_NS, "a processor sees a kernel's store after %d us", (int)(late / 1000));
}

static void *kernel(void *arg)
{
    const long i = (long)arg;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        count(&sum, &all, 0);
        count(far, far + 1, 1);
        swap(&swapped, 0);
        if (i > 0)
            continue;
        for (uint64_t k = 0; k < 4; k++)
            near[k] = 10 * round + k;
        cwd_uint64_atomic_add(&world, &behind, 1, other);
        cwd_put(&world, data, near, sizeof data, other);
        cwd_fence(&world);
        cwd_uint64_p(&world, &flag, round, other);
        cwd_uint64_wait_until(&world, &reply, CWD_GE, round);
        SIM_CHECK(at(&echo) == 7 * round, "reply %d, but %d", (int)round, (int)at(&echo));
        near[0] = round;
        cwd_put_signal(&world, far + 2, near, 16, &signal, 1, CWD_SIGNAL_ADD, other);
    }
    if (i == 0)
        store_alone();
    cwd_quiet(&world);
    return NULL;
}

static void processor(void)
{
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        count_here(&sum, &all, 0);
        count_here(far, far + 1, 1);
        (void)shmem_uint64_atomic_fetch_inc(&swapped, 0);
        shmem_uint64_wait_until(&flag, SHMEM_CMP_GE, round);
        SIM_CHECK(at(&behind) == round, "flag %d, but %d added before it", (int)round,
                  (int)at(&behind));
        for (uint64_t k = 0; k < 4; k++)
            SIM_CHECK(at(&data[k]) == 10 * round + k, "flag %d, but word %d is %d", (int)round,
                      (int)k, (int)at(&data[k]));
        shmem_uint64_p(&echo, 7 * round, other);
        shmem_fence();
        shmem_uint64_p(&reply, round, other);
        shmem_signal_wait_until(&signal, SHMEM_CMP_GE, round);
        uint64_t seen = shmem_uint64_g(far + 2, me);
        SIM_CHECK(seen == round, "signal %d, but %d", (int)round, (int)seen);
    }
    sleep_on_it();
}

/** Another thread whose atomics on the device are kernels, too. */
static void *second(void *arg)
{
    (void)arg;
    for (uint64_t round = 1; round <= ROUNDS; round++)
        count_here(far, far + 1, 1);
    return NULL;
}

static void run(void)
{
    pthread_t threads[KERNELS + 1];
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    other = !me;
    SIM_CHECK(shmemx_device_heap(65536) == 0 && shmemx_device_world(&world) == 0, "no device");
    near = shmemx_device_malloc(4 * sizeof *near);
    far = shmemx_device_calloc(4, sizeof *far);
    shmem_barrier_all();
    sim_begin();
    for (long i = 0; i < KERNELS; i++)
        pthread_create(&threads[i], NULL, kernel, (void *)i);
    pthread_create(&threads[KERNELS], NULL, second, NULL);
    processor();
    for (long i = 0; i <= KERNELS; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();
    const uint64_t n = EACH, more = n + ROUNDS * 2;
    if (me == 0)
        SIM_CHECK(sum == n && all == n * (n - 1) / 2 && swapped == n, "%d, %d, %d on the host",
                  (int)sum, (int)all, (int)swapped);
    if (me == 1)
        SIM_CHECK(shmem_uint64_g(far, me) == more &&
                      shmem_uint64_g(far + 1, me) == more * (more - 1) / 2,
                  "%d on the device", (int)shmem_uint64_g(far, me));
    shmem_barrier_all();
    sim_end();
    shmemx_device_world_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_DEVICE_RING=4", NULL};
const sim_scene_t sim_scene = {
    .name = "device_node", .npes = 2, .nnodes = 1, .run = run, .env = env};
