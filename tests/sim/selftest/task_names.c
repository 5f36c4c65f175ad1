// SPDX-License-Identifier: BSD-3-Clause
//
// A process's threads in /proc/self/task have the numbers of the run: the system's have more or
// fewer digits, and what is read then lies at other places.
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 2 };

/** How many threads it names; their sum. */
static int count(long *sum)
{
    int found = 0;
    DIR *dir = opendir("/proc/self/task");
    SIM_CHECK(dir, "no directory");
    for (struct dirent64 *entry; (entry = readdir64(dir));)
        if (entry->d_name[0] != '.') {
            SIM_CHECK(strlen(entry->d_name) == 4, "thread %s", entry->d_name);
            found++;
            *sum += strtol(entry->d_name, NULL, 10);
        }
    closedir(dir);
    return found;
}

static void *other(void *arg)
{
    *(long *)arg = gettid();
    long sum = 0;
    int found = count(&sum);
    SIM_CHECK(found == 2, "two threads see %d", found);
    return NULL;
}

static void run(void)
{
    pthread_t thread;
    long theirs, sum = 0;
    sim_begin();
    int found = count(&sum);
    SIM_CHECK(found == 1 && sum == gettid(), "the thread %d sees %d, in all %ld", gettid(), found,
              sum);
    pthread_create(&thread, NULL, other, &theirs);
    pthread_join(thread, NULL);
    sum = 0;
    found = count(&sum);
    SIM_CHECK(found == 1 && sum == gettid() && theirs != gettid(), "behind its end %d", found);
    sim_end();
}

const sim_scene_t sim_scene = {.name = "task_names", .npes = PES, .nnodes = 1, .run = run};
