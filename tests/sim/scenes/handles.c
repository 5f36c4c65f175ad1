// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit operations and handles of several threads: a test or wait that says of a get or put that
// it is complete is right, whatever quiets of other threads have begun or ended meanwhile.
#define GASNET_PAR 1
#include <pthread.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { ROUNDS = 20, QUIETS = 60, WORDS = 4 };
static gasnet_seginfo_t segments[2];

static long *word_of(gasnet_node_t node, int i)
{
    return (long *)segments[node].addr + i;
}

static void rest(void)
{
    for (uint32_t k = sim_draw(4); k > 0; k--)
        sim_yield();
}

static void get_implicit(long i)
{
    volatile long room = -1;
    gasnet_get_nbi((void *)(uintptr_t)&room, 1, word_of(1, (int)i), sizeof room);
    while (gasnet_try_syncnbi_gets() != GASNET_OK)
        sim_yield();
    SIM_CHECK(room == 100 + i, "an implicit get that is complete has brought %ld", room);
}

static void get_by_handle(long i)
{
    volatile long room = -1;
    gasnet_handle_t handle =
        gasnet_get_nb((void *)(uintptr_t)&room, 1, word_of(1, (int)i), sizeof room);
    while (gasnet_try_syncnb(handle) != GASNET_OK)
        sim_yield();
    SIM_CHECK(room == 100 + i, "a get whose handle is complete has brought %ld", room);
}

static void get_value(long i)
{
    gasnet_valget_handle_t handle = gasnet_get_nb_val(1, word_of(1, (int)i), sizeof(long));
    rest();
    long value = (long)gasnet_wait_syncnb_valget(handle);
    SIM_CHECK(value == 100 + i, "a value whose handle is complete is %ld", value);
}

static void put_implicit(long i, long value)
{
    long back = -1;
    gasnet_put_nbi(1, word_of(1, WORDS + (int)i), &value, sizeof value);
    while (gasnet_try_syncnbi_puts() != GASNET_OK)
        sim_yield();
    gasnet_get(&back, 1, word_of(1, WORDS + (int)i), sizeof back);
    SIM_CHECK(back == value, "a get behind an implicit put of %ld brings %ld", value, back);
}

static void wait_for_all(long i)
{
    volatile long room = -1;
    gasnet_get_nbi((void *)(uintptr_t)&room, 1, word_of(1, (int)i), sizeof room);
    gasnet_wait_syncnbi_all();
    SIM_CHECK(room == 100 + i, "an implicit get behind its wait has brought %ld", room);
}

static void use(void)
{
    for (long round = 1; round <= ROUNDS; round++) {
        rest();
        switch (sim_draw(5)) {
        case 0:
            get_by_handle(0);
            break;
        case 1:
            get_value(1);
            break;
        case 2:
            put_implicit(2, round);
            break;
        default:
            get_implicit(3);
        }
    }
}

/** A quiet that has been decided on before handlers ran, and may begin when nothing is due. */
static void wait_for_one(void)
{
    volatile long room = -1;
    gasnet_handle_t handle = gasnet_get_nb((void *)(uintptr_t)&room, 1, word_of(1, 1), sizeof room);
    gasnet_wait_syncnb_some(&handle, 1);
    SIM_CHECK(room == 101, "a get behind its wait has brought %ld", room);
}

/** Quiets that complete nothing of this thread, mostly. */
static void *wait(void *arg)
{
    (void)arg;
    for (int i = 0; i < QUIETS; i++)
        switch (sim_draw(8)) {
        case 0:
            wait_for_all(0);
            break;
        case 1:
            wait_for_one();
            break;
        default:
            gasnet_wait_syncnbi_all();
        }
    return NULL;
}

static void run(void)
{
    scene_attach(NULL, 0, 65536);
    gasnet_getSegmentInfo(segments, 2);
    for (int i = 0; i < WORDS; i++)
        *word_of(gasnet_mynode(), i) = 100 + i;
    scene_barrier();
    sim_begin();
    if (gasnet_mynode() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, wait, NULL);
        use();
        pthread_join(thread, NULL);
    }
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {.name = "handles", .npes = 2, .nnodes = 2, .run = run};
