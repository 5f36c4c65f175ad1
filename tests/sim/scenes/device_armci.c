// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI's blocks on a device: two threads of each process use one that stays, beside one of the
// host: fetch-and-adds and accumulates on it see each old value once, a thread's own operations
// keep their order, and buffers of the device serve transfers of either kind. The main thread makes
// others meanwhile, some of them of the host or empty, uses and frees them, and leaves groups,
// whose blocks are freed before or stay. Two processes are of one node, and the third asks their
// node's server; now and then the device lends nothing, and owners copy.
#include <armci.h>
#include <message.h>
#include <pthread.h>
#include <stdlib.h>

#include "device.h"

enum { PROCESSES = 3, THREADS = 2, COUNTS = 2, ROUNDS = 12, LONGS = 24 };
enum { COUNT, SUM, ORDER, BUFFER = ORDER + PROCESSES * THREADS };  // words of the block that stays
static long *stays[PROCESSES], *plain[PROCESSES];
static int me;

static long get(long *from, int proc)
{
    long seen = -1;
    ARMCI_Get(from, &seen, sizeof seen, proc);
    return seen;
}

static long *own(long **blocks, int proc, long thread)
{
    return blocks[proc] + ORDER + THREADS * me + thread;
}

/** Each old value is seen once, so the sum of all is known. */
static void count(int proc)
{
    long old = -1, once = 1;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, stays[proc] + COUNT, 1, proc);
    ARMCI_Acc(ARMCI_ACC_LNG, &once, &old, stays[proc] + SUM, sizeof old, proc);
}

static void keep_order(int proc, long thread, long value)
{
    long old = -1, once = 1, *word = own(stays, proc, thread);
    ARMCI_NbPut(&value, word, sizeof value, proc, NULL);
    ARMCI_NbAcc(ARMCI_ACC_LNG, &once, &value, word, sizeof value, proc, NULL);
    if (sim_draw(2))
        old = get(word, proc);
    else
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, word, 0, proc);
    SIM_CHECK(old == 2 * value, "process %d reads %ld of process %d behind its put and sum of %ld",
              me, old, proc, 2 * value);
}

/** From the device here to the host there, and back. */
static void use_buffer(int proc, long thread, long value)
{
    long seen = -1, *buffer = stays[me] + BUFFER + thread, *there = own(plain, proc, thread);
    ARMCI_Copy(&value, buffer, sizeof value);
    ARMCI_Put(buffer, there, sizeof value, proc);
    SIM_CHECK(get(there, proc) == value, "a put from the device brings %ld, not %ld",
              get(there, proc), value);
    ARMCI_PutValueLong(value + 1, there, proc);
    ARMCI_Get(there, buffer, sizeof value, proc);
    ARMCI_Copy(buffer, &seen, sizeof seen);
    SIM_CHECK(seen == value + 1, "a get to the device brings %ld, not %ld", seen, value + 1);
}

static void *use(void *arg)
{
    const long thread = (long)arg;
    for (long i = 0; i < COUNTS; i++) {
        const int proc = (int)(me + thread + i) % PROCESSES;
        count(0);
        keep_order(proc, thread, 100 * me + i + 1);
        use_buffer(proc, thread, 1000 * me + i + 1);
        count(2);
    }
    return NULL;
}

static long mark(int from, long round)
{
    return 1000 * round + 10 + from;
}

/** Each member writes a word of each other member's, if it has a block. */
static void look(long **blocks, const size_t *nbytes, int n, long round)
{
    for (int proc = PROCESSES - n; proc < PROCESSES; proc++)
        if (nbytes[proc])
            ARMCI_PutValueLong(mark(me, round), blocks[proc - (PROCESSES - n)] + me, proc);
    for (int proc = PROCESSES - n; proc < PROCESSES; proc++) {
        if (!nbytes[proc])
            continue;
        long seen = get(blocks[proc - (PROCESSES - n)] + me, proc);
        SIM_CHECK(seen == mark(me, round), "process %d has %ld of process %d in round %ld", proc,
                  seen, me, round);
    }
}

static const char *name_of(int proc, long round)
{
    return (proc + round) % 3 ? "cuda" : "host";
}

static size_t size_of(int proc, long round)
{
    return (proc + 2 * round) % 4 ? LONGS * sizeof(long) : 0;
}

/** Blocks of the world: two at a time, which are freed in one order or the other. */
static void come_and_go(long round)
{
    long *blocks[2][PROCESSES];
    size_t nbytes[2][PROCESSES];
    for (int i = 0; i < 2; i++) {
        for (int proc = 0; proc < PROCESSES; proc++)
            nbytes[i][proc] = size_of(proc, round + i);
        SIM_CHECK(ARMCI_Malloc_memdev((void **)blocks[i], nbytes[i][me], name_of(me, round + i)) ==
                      0,
                  "no block in round %ld", round + i);
        look(blocks[i], nbytes[i], PROCESSES, round + i);
    }
    const int last = round % 2;
    ARMCI_Free_memdev(blocks[!last][me]);
    look(blocks[last], nbytes[last], PROCESSES, round + 2);
    ARMCI_Free_memdev(blocks[last][me]);
}

/** Of the last n processes, of which this is one. */
static ARMCI_Group group_of(int n)
{
    int members[PROCESSES];
    ARMCI_Group group;
    for (int i = 0; i < n; i++)
        members[i] = PROCESSES - n + i;
    ARMCI_Group_create(n, members, &group);
    return group;
}

static void *use_group(ARMCI_Group *group, int n, long round, const char *name)
{
    long *blocks[PROCESSES];
    size_t nbytes[PROCESSES];
    for (int proc = 0; proc < PROCESSES; proc++)
        nbytes[proc] = LONGS * sizeof(long);
    SIM_CHECK(ARMCI_Malloc_group_memdev((void **)blocks, nbytes[me], group, name) == 0,
              "no block of a group");
    look(blocks, nbytes, n, round);
    return blocks[me - (PROCESSES - n)];
}

/** A group leaves its block; a smaller one may then be where that one was, on its members only, and
 *  the next one of all there on the others. */
static void leave_groups(long round)
{
    ARMCI_Group all = group_of(PROCESSES), some;
    use_group(&all, PROCESSES, round, "cuda");
    ARMCI_Group_free(&all);
    if (me > 0) {
        some = group_of(PROCESSES - 1);
        ARMCI_Free_group(use_group(&some, PROCESSES - 1, round + 1, name_of(me, round)), &some);
    }
    all = group_of(PROCESSES);
    ARMCI_Free_group(use_group(&all, PROCESSES, round + 2, "host"), &all);
    ARMCI_Group_free(&all);
    if (me > 0)
        ARMCI_Group_free(&some);
}

/** All counts are there. */
static void end(void)
{
    const long n = PROCESSES * THREADS * COUNTS;
    ARMCI_Barrier();
    if (me != 1)
        SIM_CHECK(get(stays[me] + COUNT, me) == n && get(stays[me] + SUM, me) == n * (n - 1) / 2,
                  "%ld counts with the sum %ld", get(stays[me] + COUNT, me),
                  get(stays[me] + SUM, me));
    ARMCI_Free_memdev(stays[me]);
    sim_end();
}

static void run(void)
{
    const long round = 1 + (long)sim_setting(1, ROUNDS);
    long zeros[LONGS] = {0};
    pthread_t threads[THREADS];
    if (sim_setting(0, 4) == 0)
        setenv("SIM_DEVICE_KEEPS", "1", 1);
    ARMCI_Init_thread(3);
    me = armci_msg_me();
    ARMCI_Malloc_memdev((void **)stays, sizeof zeros, "cuda");
    ARMCI_Malloc((void **)plain, sizeof zeros);
    ARMCI_Copy(zeros, stays[me], sizeof zeros);
    ARMCI_Barrier();
    sim_begin();
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, (void *)i);
    if (sim_setting(2, 2))
        leave_groups(round);
    else
        come_and_go(round);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    end();
    ARMCI_Finalize();
}

const sim_scene_t sim_scene = {.name = "device_armci", .npes = PROCESSES, .nnodes = 2, .run = run};
