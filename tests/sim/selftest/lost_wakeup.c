// SPDX-License-Identifier: BSD-3-Clause
//
// A futex whose sleeper counts itself too late: the wake-up is lost, and only the time-out helps.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

static _Atomic unsigned word, sleepers, bell;

static void *wait_for_word(void *arg)
{
    struct timespec limit = {1, 0};
    while (!atomic_load(&word)) {
        unsigned seen = atomic_load(&bell);
        atomic_store(&sleepers, 1);  // the word is not looked at again
        syscall(SYS_futex, &bell, FUTEX_WAIT, seen, &limit, NULL, 0);
    }
    return arg;
}

static void run(void)
{
    pthread_t thread;
    word = sleepers = 0;
    sim_begin();
    pthread_create(&thread, NULL, wait_for_word, NULL);
    atomic_store(&word, 1);
    if (atomic_load(&sleepers)) {
        atomic_fetch_add(&bell, 1);
        syscall(SYS_futex, &bell, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    pthread_join(thread, NULL);
    sim_end();
}

const sim_scene_t sim_scene = {
    .name = "lost_wakeup", .npes = 1, .nnodes = 1, .run = run, .timeless = SIM_UNDER_ALL};
