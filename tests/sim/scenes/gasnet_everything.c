// SPDX-License-Identifier: BSD-3-Clause
//
// All memory of processes takes part: threads put to, set and get from static memory of processes
// of their own node and of another, which copy it themselves, by handles, regions and implicitly.
// A get behind a put that is complete brings what was put, a long message comes behind its bytes.
#define GASNET_PAR 1
#define GASNET_SEGMENT_EVERYTHING 1
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { LONG = 128, DONE, PROCESSES = 3, THREADS = 2, ROUNDS = 2, WORDS = 8, ROWS = 3 };
// at one address in all processes, since they are forks; by writer
static long own[PROCESSES][THREADS][WORDS];
static int replied[THREADS];

static void on_long(gasnet_token_t token, void *buffer, size_t nbytes, int thread, int value)
{
    const long *words = buffer;
    for (size_t i = 0; i < nbytes / sizeof *words; i++)
        SIM_CHECK(words[i] == value, "a long message of %d brings %ld", value, words[i]);
    gasnet_AMReplyShort1(token, DONE, thread);
}

static void on_done(gasnet_token_t token, int thread)
{
    (void)token;
    __atomic_fetch_add(&replied[thread], 1, __ATOMIC_RELEASE);
}

static gasnet_handlerentry_t handlers[] = {{LONG, (void (*)())on_long},
                                           {DONE, (void (*)())on_done}};

static void wait_somehow(gasnet_handle_t handle)
{
    if (sim_draw(2))
        gasnet_wait_syncnb(handle);
    else
        while (gasnet_try_syncnb(handle) != GASNET_OK)
            sim_look_again();
}

/** Every other word of the first six. */
static void put_strided(gasnet_node_t to, long *there, const long *from)
{
    const size_t stride = 2 * sizeof *from, count[2] = {sizeof *from, ROWS};
    gasnet_puts_bulk(to, there, &stride, (void *)(uintptr_t)from, &stride, count, 1);
    gasnet_puts_bulk(to, there + 1, &stride, (void *)(uintptr_t)(from + 1), &stride, count, 1);
    gasnet_put(to, there + 2 * ROWS, (void *)(uintptr_t)(from + 2 * ROWS),
               (WORDS - 2 * ROWS) * sizeof *from);
}

static void put(gasnet_node_t to, long *there, long value)
{
    long from[WORDS];
    for (int i = 0; i < WORDS; i++)
        from[i] = value;
    switch (sim_draw(6)) {
    case 0:
        gasnet_put(to, there, from, sizeof from);
        break;
    case 1:
        wait_somehow(gasnet_put_nb_bulk(to, there, from, sizeof from));
        break;
    case 2:
        gasnet_put_nbi(to, there, from, sizeof from);
        gasnet_wait_syncnbi_puts();
        break;
    case 3:
        gasnet_begin_nbi_accessregion();
        for (int i = 0; i < WORDS; i++)
            gasnet_put_nbi_val(to, there + i, (gasnet_register_value_t)value, sizeof value);
        wait_somehow(gasnet_end_nbi_accessregion());
        break;
    case 4:
        put_strided(to, there, from);
        break;
    default:
        wait_somehow(gasnet_put_nb(to, there, from, sizeof from));
    }
}

/** The same the other way. */
static void get_strided(long *to, gasnet_node_t of, long *there)
{
    const size_t stride = 2 * sizeof *to, count[2] = {sizeof *to, ROWS};
    gasnet_get(to + 2 * ROWS, of, there + 2 * ROWS, (WORDS - 2 * ROWS) * sizeof *to);
    gasnet_gets_bulk(to, &stride, of, there, &stride, count, 1);
    gasnet_gets_bulk(to + 1, &stride, of, there + 1, &stride, count, 1);
}

static void get(gasnet_node_t of, long *there, long value)
{
    long seen[WORDS] = {0};
    switch (sim_draw(5)) {
    case 0:
        gasnet_get(seen, of, there, sizeof seen);
        break;
    case 1:
        wait_somehow(gasnet_get_nb(seen, of, there, sizeof seen));
        break;
    case 2:
        gasnet_get_nbi(seen, of, there, sizeof seen);
        while (gasnet_try_syncnbi_gets() != GASNET_OK)
            sim_look_again();
        break;
    case 3:
        get_strided(seen, of, there);
        break;
    default:
        for (int i = 0; i < WORDS; i++)
            seen[i] = (long)gasnet_get_val(of, there + i, sizeof *there);
    }
    for (int i = 0; i < WORDS; i++)
        SIM_CHECK(seen[i] == value, "a get brings %ld behind a put of %ld", seen[i], value);
}

static void set(gasnet_node_t to, long *there)
{
    long ones;
    memset(&ones, 0x11, sizeof ones);
    if (sim_draw(2))
        gasnet_memset(to, there, 0x11, WORDS * sizeof *there);
    else
        wait_somehow(gasnet_memset_nb(to, there, 0x11, WORDS * sizeof *there));
    get(to, there, ones);
}

static void *use(void *arg)
{
    int thread = (int)(long)arg, me = (int)gasnet_mynode();
    for (int round = 1; round <= ROUNDS; round++) {
        gasnet_node_t to = (gasnet_node_t)(me + 1 + (int)sim_draw(PROCESSES - 1)) % PROCESSES;
        long *there = own[me][thread], value = 10 * round + thread, from[WORDS];
        put(to, there, value);
        get(to, there, value);
        set(to, there);
        for (int i = 0; i < WORDS; i++)
            from[i] = value;
        gasnet_AMRequestLong2(to, LONG, from, sizeof from, there, thread, (int)value);
        GASNET_BLOCKUNTIL(__atomic_load_n(&replied[thread], __ATOMIC_ACQUIRE) == round);
    }
    return NULL;
}

static void run(void)
{
    pthread_t thread;
    if (sim_setting(0, 4) == 0)
        setenv("CAUSEWAY_CHECK", "1", 1);
    scene_attach(handlers, 2, 0);
    scene_barrier();
    sim_begin();
    pthread_create(&thread, NULL, use, (void *)1L);
    use((void *)0L);
    pthread_join(thread, NULL);
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {.name = "gasnet_everything",
                               .npes = PROCESSES,
                               .nnodes = 2,
                               .run = run,
                               .most_steps = 64000000};
