// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of GASNET_PAR between nodes: implicit gets and puts, regions and handles of one thread,
// each complete when its own wait says so, while others wait for theirs, and request.
#define GASNET_PAR 1
#include <pthread.h>
#include <unistd.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { REQUEST = 128, REPLY, ROUNDS = 3, OTHERS = 2, SEGMENT = 65536 };
static long *words[2], replied[OTHERS];
static gasnet_node_t peer;

static void request(gasnet_token_t token, gasnet_handlerarg_t i)
{
    gasnet_AMReplyShort1(token, REPLY, i);
}

static void reply(gasnet_token_t token, gasnet_handlerarg_t i)
{
    (void)token;
    __atomic_fetch_add(&replied[i], 1, __ATOMIC_RELEASE);
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request},
                                           {REPLY, (void (*)())reply}};

static void *others(void *arg)
{
    long i = (long)arg, value = 7;
    for (long round = 1; round <= ROUNDS; round++) {
        gasnet_put_nbi(peer, words[peer] + 8 + i, &value, sizeof value);
        gasnet_AMRequestShort1(peer, REQUEST, i);
        gasnet_wait_syncnbi_all();
        GASNET_BLOCKUNTIL(__atomic_load_n(&replied[i], __ATOMIC_ACQUIRE) == round);
    }
    return NULL;
}

static void get(long expected)
{
    long seen[3] = {-1, -1, -1};
    gasnet_handle_t handle;
    gasnet_get_nbi(&seen[0], peer, words[peer], sizeof *seen);
    if (sim_draw(2))
        gasnet_wait_syncnbi_gets();
    else
        while (gasnet_try_syncnbi_all() != GASNET_OK)
            usleep(20);
    SIM_CHECK(seen[0] == expected, "an implicit get gives %ld of %ld", seen[0], expected);
    handle = gasnet_get_nb(&seen[1], peer, words[peer], sizeof *seen);
    gasnet_wait_syncnb(handle);
    SIM_CHECK(seen[1] == expected, "a get gives %ld of %ld", seen[1], expected);
    gasnet_begin_nbi_accessregion();
    gasnet_get_nbi(&seen[2], peer, words[peer], sizeof *seen);
    handle = gasnet_end_nbi_accessregion();
    while (gasnet_try_syncnb(handle) != GASNET_OK)
        usleep(20);
    SIM_CHECK(seen[2] == expected, "a region's get gives %ld of %ld", seen[2], expected);
}

static void run(void)
{
    int argc = 1;
    char *text[] = {(char *)"scene", NULL}, **argv = text;
    pthread_t threads[OTHERS];
    gasnet_init(&argc, &argv);
    gasnet_seginfo_t segments[2];
    gasnet_attach(handlers, 2, SEGMENT, 0);
    gasnet_getSegmentInfo(segments, 2);
    gasnet_node_t me = gasnet_mynode();
    peer = me ^ 1;
    for (int i = 0; i < 2; i++)
        words[i] = segments[i].addr;
    *words[me] = me + 10;
    scene_barrier();
    sim_begin();
    if (me == 0) {
        for (long i = 0; i < OTHERS; i++)
            pthread_create(&threads[i], NULL, others, (void *)i);
        for (int round = 0; round < ROUNDS; round++)
            get(peer + 10);
        for (int i = 0; i < OTHERS; i++)
            pthread_join(threads[i], NULL);
    }
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

static const char *const env[] = {"CAUSEWAY_AM_CREDITS=2", NULL};
const sim_scene_t sim_scene = {
    .name = "gasnet_threads", .npes = 2, .nnodes = 2, .run = run, .env = env};
