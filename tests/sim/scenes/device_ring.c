// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels of a PE that ask for what their device does not reach: more of them than the ring has
// places, so that each waits for room; puts, gets, values, atomics, fences and quiets to a PE of
// another node, whose processor adds to the same words.
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>

#include "device.h"

enum { KERNELS = 3, ROUNDS = 3, WORDS = 4 };
static cwd_world_t world;
static uint64_t sum, all, words[KERNELS][WORDS], flags[KERNELS], signals[KERNELS];
static uint64_t *near, *far;  // on the device, [KERNELS][WORDS]
static int me, other;

static uint64_t value_of(long i, uint64_t round, int k)
{
    return 10000 * ((uint64_t)i + 1) + 100 * round + (uint64_t)k;
}

/** What a kernel reads behind its quiet, and in its own memory behind a get. */
static void write_and_read(long i, uint64_t round)
{
    uint64_t *mine = near + i * WORDS;
    for (int k = 0; k < WORDS; k++)
        mine[k] = value_of(i, round, k);
    if (sim_draw(2))
        cwd_put(&world, words[i], mine, sizeof words[i], other);
    else
        cwd_put_nbi(&world, words[i], mine, sizeof words[i], other);
    cwd_uint64_p(&world, &words[i][0], round, other);
    cwd_quiet(&world);
    // one that nothing orders behind the ring's own, and one of the ring
    uint64_t seen = shmem_uint64_g(&words[i][sim_draw(2)], other), of_ring;
    of_ring = cwd_uint64_g(&world, &words[i][0], other);
    SIM_CHECK((seen == round || seen == value_of(i, round, 1)) && of_ring == round,
              "kernel %ld, round %d: %d, %d behind its quiet", i, (int)round, (int)seen,
              (int)of_ring);
    mine[0] = mine[1] = 0;
    cwd_get(&world, mine, words[i], sizeof words[i], other);
    SIM_CHECK(mine[0] == round && mine[1] == value_of(i, round, 1),
              "kernel %ld, round %d: a get gives %d, %d", i, (int)round, (int)mine[0],
              (int)mine[1]);
}

/** The sum of numbers that each fetch of one takes once. */
static void count(long i, uint64_t round)
{
    uint64_t old = cwd_uint64_atomic_fetch_inc(&world, &sum, other);
    cwd_uint64_atomic_add(&world, &all, old + 1, other);
    SIM_CHECK(old < 2 * (KERNELS * ROUNDS) + 2 * ROUNDS, "kernel %ld, round %d: %d", i, (int)round,
              (int)old);
}

/** Data, a fence, a flag; and a signal behind its data: the target's processor looks. */
static void tell(long i, uint64_t round)
{
    uint64_t *mine = near + i * WORDS;
    cwd_put_nbi(&world, far + i * WORDS, mine, WORDS * sizeof *far, other);
    cwd_fence(&world);
    cwd_uint64_p(&world, &flags[i], round, other);
    cwd_put_signal(&world, far + i * WORDS, mine, 2 * sizeof *far, &signals[i], 1, CWD_SIGNAL_ADD,
                   other);
}

static void *kernel(void *arg)
{
    const long i = (long)arg;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        write_and_read(i, round);
        count(i, round);
        tell(i, round);
        cwd_quiet(&world);
    }
    return NULL;
}

static void *processor(void *arg)
{
    (void)arg;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t old = shmem_uint64_atomic_fetch_inc(&sum, me);
        shmem_uint64_atomic_add(&all, old + 1, me);
        const int i = (int)round % KERNELS;
        shmem_uint64_wait_until(&flags[i], SHMEM_CMP_GE, round);
        uint64_t seen = shmem_uint64_g(&far[i * WORDS + 1], me);
        SIM_CHECK(seen >= value_of(i, round, 1), "flag %d of kernel %d, but %d", (int)round, i,
                  (int)seen);
        shmem_signal_wait_until(&signals[i], SHMEM_CMP_GE, round);
    }
    return NULL;
}

static void open_all(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    other = !me;
    SIM_CHECK(shmemx_device_heap(65536) == 0 && shmemx_device_world(&world) == 0, "no device");
    near = shmemx_device_malloc(KERNELS * WORDS * sizeof *near);
    far = shmemx_device_calloc(KERNELS * WORDS, sizeof *far);
    shmem_barrier_all();
}

static void run(void)
{
    pthread_t threads[KERNELS + 1];
    open_all();
    sim_begin();
    const long kernels = me == 0 ? KERNELS : 0;
    for (long i = 0; i < kernels; i++)
        pthread_create(&threads[i], NULL, kernel, (void *)i);
    if (me == 1)
        processor(NULL);
    for (long i = 0; i < kernels; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();
    const uint64_t n = KERNELS * ROUNDS + ROUNDS;
    if (me == 1)
        SIM_CHECK(sum == n && all == n * (n + 1) / 2, "%d fetches, and %d", (int)sum, (int)all);
    shmem_barrier_all();
    sim_end();
    shmemx_device_world_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_DEVICE_RING=4", NULL};
const sim_scene_t sim_scene = {
    .name = "device_ring", .npes = 2, .nnodes = 2, .run = run, .env = env};
