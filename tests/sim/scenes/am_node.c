// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two processes of a node, with two threads each and two credits: requests with a
// reply and without one. No wait for a handler, a credit or a reply ends by its time-out.
#define GASNET_PAR 1
#include <pthread.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { REQUEST = 128, REPLY, ONE_WAY, THREADS = 2, SENDS = 4 };
static int replied[THREADS], came;
static uint32_t mixture;  // of requests: 0 none with a reply

static void request(gasnet_token_t token, gasnet_handlerarg_t thread)
{
    gasnet_AMReplyShort1(token, REPLY, thread);
}

static void reply(gasnet_token_t token, gasnet_handlerarg_t thread)
{
    (void)token;
    __atomic_fetch_add(&replied[thread], 1, __ATOMIC_RELEASE);
}

static void one_way(gasnet_token_t token)
{
    (void)token;
    __atomic_fetch_add(&came, 1, __ATOMIC_RELEASE);
}

static gasnet_handlerentry_t handlers[] = {
    {REQUEST, (void (*)())request}, {REPLY, (void (*)())reply}, {ONE_WAY, (void (*)())one_way}};

static void *send(void *arg)
{
    long me = (long)arg;
    gasnet_node_t peer = gasnet_mynode() ^ 1;
    int due = 0;
    for (int i = 0; i < SENDS; i++) {
        gasnet_AMRequestShort0(peer, ONE_WAY);
        if (sim_draw(mixture + 1) == 0)
            continue;
        gasnet_AMRequestShort1(peer, REQUEST, me);
        due++;
        if (sim_draw(2))
            GASNET_BLOCKUNTIL(__atomic_load_n(&replied[me], __ATOMIC_ACQUIRE) == due);
    }
    GASNET_BLOCKUNTIL(__atomic_load_n(&replied[me], __ATOMIC_ACQUIRE) == due);
    GASNET_BLOCKUNTIL(__atomic_load_n(&came, __ATOMIC_ACQUIRE) == THREADS * SENDS);
    return NULL;
}

static void run(void)
{
    pthread_t thread;
    scene_attach(handlers, 3, 0);
    scene_barrier();
    sim_begin();
    mixture = sim_draw(3);
    pthread_create(&thread, NULL, send, (void *)1L);
    send((void *)0L);
    pthread_join(thread, NULL);
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

static const char *const env[] = {"CAUSEWAY_AM_CREDITS=2", NULL};
const sim_scene_t sim_scene = {
    .name = "am_node", .npes = 2, .nnodes = 1, .run = run, .env = env, .timeless = SIM_UNDER_SC};
