// SPDX-License-Identifier: BSD-3-Clause
//
// Two mutexes taken in two orders: a deadlock, with both stacks.
#include <pthread.h>
#include <stdatomic.h>

#include "sim.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *first)
{
    pthread_mutex_t *second = first == &one ? &two : &one;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

static void run(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take, &one);
    pthread_create(&threads[1], NULL, take, &two);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

const sim_scene_t sim_scene = {.name = "deadlock", .npes = 1, .nnodes = 1, .run = run};
