// SPDX-License-Identifier: BSD-3-Clause
//
// A process of two on a node waits for a handler by calls that are complete at once: tests and
// waits for operations, blocking puts and gets. Each must run the handler in the end. Two threads
// do so, where the program has them.
#define GASNET_PAR 1
#include <pthread.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { REQUEST = 128, KINDS = 8, SEGMENT = 65536 };
static int asked;
static gasnet_seginfo_t segments[2];

static void request(gasnet_token_t token)
{
    (void)token;
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELEASE);
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request}};

static int kind;
static gasnet_node_t peer;

static void call(void)
{
    gasnet_handle_t none = GASNET_INVALID_HANDLE;
    switch (kind) {
    case 0:
        gasnet_try_syncnb(none);
        break;
    case 1:
        gasnet_wait_syncnb(none);
        break;
    case 2:
        gasnet_try_syncnbi_all();
        break;
    case 3:
        gasnet_wait_syncnbi_all();
        break;
    case 4:
        gasnet_try_syncnb_all(&none, 1);
        break;
    case 5:
        gasnet_put(peer, segments[peer].addr, &(long){1}, sizeof(long));
        break;
    case 6:
        gasnet_get(&(long){0}, peer, segments[peer].addr, sizeof(long));
        break;
    default:
        gasnet_put_val(peer, segments[peer].addr, 1, sizeof(long));
    }
}

static void *spin(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE))
        call();
    return NULL;
}

static void run(void)
{
    pthread_t thread;
    scene_attach(handlers, 1, SEGMENT);
    gasnet_getSegmentInfo(segments, 2);
    peer = gasnet_mynode() ^ 1;
    scene_barrier();
    sim_begin();
    if (gasnet_mynode() == 0) {
        gasnet_AMRequestShort0(1, REQUEST);
    } else {
        kind = (int)sim_draw(KINDS);
        pthread_create(&thread, NULL, spin, NULL);
        spin(NULL);
        pthread_join(thread, NULL);
    }
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "gasnet_spins", .npes = 2, .nnodes = 1, .run = run, .most_steps = 2000000};
