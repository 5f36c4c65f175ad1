// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads wake each other until a third one ends it: whatever priorities they have, that one
// gets its turn.
#include <pthread.h>

#include "sim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long turn;
static int over;

static void *take_turns(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
        if (turn == (long)arg) {
            turn = !turn;
            pthread_cond_broadcast(&turned);
        } else {
            pthread_cond_wait(&turned, &lock);
        }
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void run(void)
{
    pthread_t threads[2];
    sim_begin();
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take_turns, (void *)i);
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sim_end();
}

const sim_scene_t sim_scene = {.name = "hand_over", .npes = 1, .nnodes = 1, .run = run};
