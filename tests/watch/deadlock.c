// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs that stand still, or seem to: deadlock CASE. An alarm ends those that would wait for ever.
#include <limits.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int flag, flags[8];
static uint64_t sig;
static long lock_a, lock_b;
static int me, npes;

static void never(void)
{
    shmem_int_wait_until(&flag, SHMEM_CMP_GE, 7);
}

static void never_on_heap(void)
{
    long *word = shmem_malloc(4096);
    word[10] = -5;
    shmem_barrier_all();
    shmem_long_wait_until(word + 10, SHMEM_CMP_NE, -5);
}

static void never_all(void)
{
    flags[0] = flags[1] = 1;
    shmem_int_wait_until_all(flags, 8, NULL, SHMEM_CMP_EQ, 1);
}

static void lock_cycle(void)
{
    long *first = me == 0 ? &lock_a : &lock_b, *second = me == 0 ? &lock_b : &lock_a;
    if (me < 2)
        shmem_set_lock(first);
    shmem_barrier_all();
    shmem_set_lock(me < 2 ? second : &lock_a);
}

/** PE 1 takes a lock that it has, behind PE 0, which has joined the queue. */
static void lock_twice(void)
{
    if (me == 1)
        shmem_set_lock(&lock_a);
    shmem_barrier_all();
    if (me == 1)
        shmem_long_wait_until(&lock_a, SHMEM_CMP_NE, LONG_MIN);  // PE 0 has written itself into it
    shmem_set_lock(&lock_a);
}

/** As lock_cycle, while the others do something else for a time. */
static void part_cycle(void)
{
    if (me < 2)
        lock_cycle();
    shmem_barrier_all();
    sleep(20);
}

/** PE 1 holds a lock and is in a barrier, PE 0 waits for the lock, the last one does something. */
static void lock_and_barrier(void)
{
    if (me == 1)
        shmem_set_lock(&lock_a);
    shmem_barrier_all();
    if (me == npes - 1)
        sleep(20);
    if (me == 0)
        shmem_set_lock(&lock_a);
    shmem_barrier_all();
}

/** The last PE waits for a signal that no PE sends. */
static void missing(void)
{
    if (me == npes - 1)
        shmem_signal_wait_until(&sig, SHMEM_CMP_GT, 3);
    shmem_barrier_all();
}

/** PE 1 ends one barrier early. */
static void ended(void)
{
    if (me != 1)
        shmem_barrier_all();
    shmem_finalize();
    exit(0);
}

/** The last PE does something outside of the library for a long time, then arrives: no deadlock. */
static void slow(void)
{
    if (me == npes - 1)
        sleep(4);
    shmem_barrier_all();
}

static void slow_first(void)
{
    if (me == 0)
        sleep(4);
    shmem_barrier_all();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"never", never},
             {"never_on_heap", never_on_heap},
             {"never_all", never_all},
             {"lock_cycle", lock_cycle},
             {"lock_twice", lock_twice},
             {"part_cycle", part_cycle},
             {"lock_and_barrier", lock_and_barrier},
             {"missing", missing},
             {"slow", slow},
             {"slow_first", slow_first},
             {"ended", ended}};

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            alarm(argc > 2 ? (unsigned)atoi(argv[2]) : 60);
            cases[i].run();
        }
    shmem_barrier_all();
    if (me == 0)
        puts("went on");
    shmem_finalize();
    return 0;
}
