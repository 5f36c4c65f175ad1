// SPDX-License-Identifier: BSD-3-Clause
//
// Four threads add to a word under a mutex, some thousand steps: nothing is lost. It also measures
// the simulator's speed (README.md).
#include <pthread.h>

#include "sim.h"

enum { THREADS = 4, ROUNDS = 50 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int word;

static void *add(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        word++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void run(void)
{
    pthread_t threads[THREADS - 1];
    sim_begin();
    for (int i = 0; i < THREADS - 1; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    add(NULL);
    for (int i = 0; i < THREADS - 1; i++)
        pthread_join(threads[i], NULL);
    sim_end();
    SIM_CHECK(word == THREADS * ROUNDS, "the word is %d", word);
}

const sim_scene_t sim_scene = {.name = "counter", .npes = 1, .nnodes = 1, .run = run};
