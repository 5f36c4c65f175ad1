// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit puts by an owner's words: a flood to one node, in the middle of which another node is
// reached first, by one thread or by several. What was put is there behind the wait.
#define GASNET_PAR 1
#include <pthread.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { NODES = 3, FLOOD = 20, THREADS = 2 };
static gasnet_seginfo_t segments[NODES];

static long *word_of(gasnet_node_t node, long i)
{
    return (long *)segments[node].addr + i;
}

static void *flood(void *arg)
{
    long mine = (long)arg, first = sim_draw(FLOOD);
    for (long i = 0; i < FLOOD; i++) {
        gasnet_node_t node = i == first ? 2 : 1;
        long value = 1000 * mine + i;
        gasnet_put_nbi(node, word_of(node, mine * FLOOD + i), &value, sizeof value);
    }
    gasnet_wait_syncnbi_puts();
    for (long i = 0; i < FLOOD; i += FLOOD - 1) {
        gasnet_node_t node = i == first ? 2 : 1;
        long value = -1;
        gasnet_get(&value, node, word_of(node, mine * FLOOD + i), sizeof value);
        SIM_CHECK(value == 1000 * mine + i, "word %ld of node %u is %ld behind its put", i, node,
                  value);
    }
    return NULL;
}

static void run(void)
{
    scene_attach(NULL, 0, 65536);
    gasnet_getSegmentInfo(segments, NODES);
    scene_barrier();
    sim_begin();
    if (gasnet_mynode() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, flood, (void *)1L);
        flood((void *)0L);
        pthread_join(thread, NULL);
    }
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=on", NULL};
const sim_scene_t sim_scene = {
    .name = "late_contacts", .npes = NODES, .nnodes = NODES, .run = run, .env = env};
