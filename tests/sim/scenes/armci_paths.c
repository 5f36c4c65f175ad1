// SPDX-License-Identifier: BSD-3-Clause
//
// Strided puts with a flag, notifications, and transfers that are waited for later, to a process of
// the own node and to one of another: what was put before a flag or a notification is there, a get
// under way reads what was before the put behind it. In checking mode, too.
#include <armci.h>
#include <message.h>
#include <stdlib.h>

#include "sim.h"

enum { PROCESSES = 3, ROUNDS = 2, ROWS = 3, ROW = 2, LONGS = 64, FLAG = 60, OWN = 50, PART = 16 };
static long *at[PROCESSES];
static int me;

/** Where process `from` writes in another one: a section of ROWS rows, four longs apart. */
static long *section(int proc, int from)
{
    return at[proc] + PART * from;
}

static int *flag(int proc, int from)
{
    return (int *)(at[proc] + FLAG) + from;
}

static void put_section(int proc, long value, int how)
{
    long source[ROWS * ROW];
    int stride = 4 * sizeof(long), dense = ROW * sizeof(long),
        count[2] = {ROW * sizeof(long), ROWS};
    armci_hdl_t handle;
    for (int i = 0; i < ROWS * ROW; i++)
        source[i] = value;
    switch (how) {
    case 0:
        ARMCI_PutS_flag(source, &dense, section(proc, me), &stride, count, 1, flag(proc, me),
                        (int)value, proc);
        return;
    case 1:
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPutS(source, &dense, section(proc, me), &stride, count, 1, proc, &handle);
        ARMCI_Wait(&handle);
        break;
    default:
        ARMCI_PutS(source, &dense, section(proc, me), &stride, count, 1, proc);
    }
    ARMCI_Put_flag(&value, section(proc, me) + PART - 1, sizeof value, flag(proc, me), (int)value,
                   proc);
}

static void check_section(const long *of, int stride, long value, const char *what)
{
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < ROW; i++)
            SIM_CHECK(of[stride * row + i] == value, "%s brings %ld instead of %ld", what,
                      of[stride * row + i], value);
}

static void await_flag(int from, int value)
{
    while (__atomic_load_n(flag(me, from), __ATOMIC_ACQUIRE) != value)
        sim_look_again();
    check_section(section(me, from), 4, value, "a put before a flag");
}

/** The section, which stays as it is until this process says so. */
static void get_section(int proc, long value)
{
    long seen[ROWS * ROW] = {0};
    int stride = 4 * sizeof(long), dense = ROW * sizeof(long),
        count[2] = {ROW * sizeof(long), ROWS};
    if (sim_draw(2)) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbGetS(section(proc, me), &stride, seen, &dense, count, 1, proc, &handle);
        while (ARMCI_Test(&handle))
            sim_look_again();
    } else {
        ARMCI_GetS(section(proc, me), &stride, seen, &dense, count, 1, proc);
    }
    check_section(seen, ROW, value, "a strided get");
}

/** A get that is under way when the word is written. */
static void overtake(int proc, long value)
{
    long seen = -1, next = value + 1, last = -1;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_Put(&value, at[proc] + OWN + me, sizeof value, proc);
    ARMCI_NbGet(at[proc] + OWN + me, &seen, sizeof seen, proc, &handle);
    ARMCI_Put(&next, at[proc] + OWN + me, sizeof next, proc);
    ARMCI_Wait(&handle);
    SIM_CHECK(seen == value, "a get before a put of %ld brings %ld", next, seen);
    ARMCI_Fence(proc);
    ARMCI_Get(at[proc] + OWN + me, &last, sizeof last, proc);
    SIM_CHECK(last == next, "a get behind a put of %ld brings %ld", next, last);
}

static void notify(int to, int from, long value)
{
    int waited = 0;
    ARMCI_Put(&value, section(to, me) + PART - 2, sizeof value, to);
    armci_notify(to);
    armci_notify_wait(from, &waited);
    ARMCI_Access_begin(at[me]);
    SIM_CHECK(section(me, from)[PART - 2] == value, "%ld is there behind notification %d, not %ld",
              section(me, from)[PART - 2], waited, value);
    ARMCI_Access_end(at[me]);
}

static void run(void)
{
    if (sim_setting(0, 2))
        setenv("CAUSEWAY_CHECK", "1", 1);
    setenv("CAUSEWAY_AGGREGATE", sim_setting(1, 2) ? "on" : "off", 1);
    ARMCI_Init();
    me = armci_msg_me();
    ARMCI_Malloc((void **)at, LONGS * sizeof(long));
    for (int i = 0; i < LONGS; i++)
        at[me][i] = 0;
    ARMCI_Barrier();
    sim_begin();
    for (int round = 1; round <= ROUNDS; round++) {
        int to = (me + 1 + round % 2) % PROCESSES, from = (me + 2 - round % 2) % PROCESSES;
        put_section(to, 10 * round, (int)sim_draw(3));
        await_flag(from, 10 * round);
        get_section(to, 10 * round);
        overtake(to, 10 * round);
        notify(to, from, 10 * round);
    }
    void *more[PROCESSES];
    SIM_CHECK(ARMCI_Malloc(more, (armci_size_t)1 << 60) && !more[me], "there is too much memory");
    ARMCI_Malloc(more, 64);
    ARMCI_Put(&(long){7}, more[(me + 1) % PROCESSES], sizeof(long), (me + 1) % PROCESSES);
    ARMCI_Barrier();
    SIM_CHECK(*(long *)more[me] == 7, "%ld is in the new block", *(long *)more[me]);
    ARMCI_Free(more[me]);
    sim_end();
    ARMCI_Free(at[me]);
    ARMCI_Finalize();
}

const sim_scene_t sim_scene = {
    .name = "armci_paths", .npes = PROCESSES, .nnodes = 2, .run = run, .most_steps = 64000000};
