// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads add to a word without an atomic: an update is lost in every model.
#include <pthread.h>
#include <stdatomic.h>

#include "sim.h"

static int word;

static void *add(void *arg)
{
    word = word + 1;
    return arg;
}

static void run(void)
{
    pthread_t threads[2];
    word = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    SIM_CHECK(word == 2, "the word is %d", word);
}

const sim_scene_t sim_scene = {.name = "lost_update", .npes = 1, .nnodes = 1, .run = run};
