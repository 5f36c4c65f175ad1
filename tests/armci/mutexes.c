// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes: a counter that only the lock protects; grants in the order of the queue; several held at
// a time, near and far; sets of libraries, tried and taken.
#include <armci.h>
#include <armcix.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

enum { PROCS_MOST = 64, TURNS = 40, HELD = 200 };

static int me, nprocs;
static void *blocks[PROCS_MOST];

/** Get, add, put: lost where two processes are inside. Process p offers p % 3 + 1 mutexes. */
static void counters(void)
{
    REQUIRE(ARMCI_Create_mutexes(me % 3 + 1) == 0);
    memset(blocks[me], 0, 4096);
    ARMCI_Barrier();
    for (int turn = 0; turn < TURNS; turn++)
        for (int owner = 0; owner < nprocs; owner += nprocs / 2 ? nprocs / 2 : 1) {
            int mutex = turn % (owner % 3 + 1);
            long *counter = (long *)blocks[owner] + 8 * mutex;
            ARMCI_Lock(mutex, owner);
            long value = ARMCI_GetValueLong(counter, owner);
            ARMCI_PutValueLong(value + 1, counter, owner);
            ARMCI_Unlock(mutex, owner);
        }
    ARMCI_Barrier();
    if (me % (nprocs / 2 ? nprocs / 2 : 1) == 0) {
        long sum = 0;
        for (int mutex = 0; mutex <= me % 3; mutex++)
            sum += ((long *)blocks[me])[8 * mutex];
        CHECK(sum == (long)TURNS * nprocs, "%ld of %d", sum, TURNS * nprocs);
    }
    ARMCI_Barrier();
    CHECK(ARMCI_Destroy_mutexes() == 0);
}

/** Process 0 holds the mutex; the others join the queue one after the other, each when the one
 *  before it has had so long to ask. Do they get it in that order? */
static bool in_order(unsigned pause_us)
{
    long *next = blocks[0], *granted = next + 8, *astray = next + 16;
    REQUIRE(ARMCI_Create_mutexes(me == nprocs - 1) == 0);
    memset(blocks[me], 0, 4096);
    ARMCI_Barrier();
    if (me == 0) {
        ARMCI_Lock(0, nprocs - 1);
        ARMCI_PutValueLong(1, next, 0);
        while (ARMCI_GetValueLong(next, 0) < nprocs)
            usleep(200);
        usleep(pause_us);  // the last one asks
    } else {
        while (ARMCI_GetValueLong(next, 0) != me)
            usleep(200);
        usleep(pause_us);  // the one before asks
        ARMCI_PutValueLong(me + 1, next, 0);
        ARMCI_Lock(0, nprocs - 1);
    }
    long place = ARMCI_GetValueLong(granted, 0);
    ARMCI_PutValueLong(place + 1, granted, 0);
    if (place != me)
        ARMCI_PutValueLong(1, astray, 0);
    ARMCI_Unlock(0, nprocs - 1);
    ARMCI_Barrier();
    bool good = ARMCI_GetValueLong(astray, 0) == 0;
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    return good;
}

/** Beside other load a process may not have asked after the first pauses; after the last one it
 *  has. */
static void order(void)
{
    bool good = false;
    for (unsigned pause_us = 30000; !good && pause_us < 1000000; pause_us *= 5)
        good = in_order(pause_us);
    CHECK(good, "granted in another order than asked for");
}

/** Many at a time, always in the same order of mutexes. */
static void several(void)
{
    REQUIRE(ARMCI_Create_mutexes(HELD) == 0);
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < HELD; i++)
            ARMCI_Lock(i, i % nprocs);
        for (int i = 0; i < HELD; i++)
            ARMCI_Unlock(turn == 1 ? HELD - 1 - i : i, (turn == 1 ? HELD - 1 - i : i) % nprocs);
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
}

static void sets(void)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    armcix_mutex_hdl_t a = ARMCIX_Create_mutexes_hdl(1, &world),
                       b = ARMCIX_Create_mutexes_hdl(me == 0 ? 2 : 0, &world);
    REQUIRE(ARMCI_Create_mutexes(1) == 0);
    long *counter = blocks[0];
    memset(blocks[me], 0, 4096);
    ARMCI_Barrier();
    int owner = nprocs - 1, tries = 0;
    for (int turn = 0; turn < 10; turn++) {
        while (ARMCIX_Trylock_hdl(b, 1, 0))
            tries++;
        ARMCIX_Lock_hdl(a, 0, owner);
        ARMCI_Lock(0, owner);
        ARMCI_PutValueLong(ARMCI_GetValueLong(counter, 0) + 1, counter, 0);
        ARMCI_Unlock(0, owner);
        ARMCIX_Unlock_hdl(a, 0, owner);
        ARMCIX_Unlock_hdl(b, 1, 0);
        ARMCIX_Progress();
    }
    ARMCI_Barrier();
    CHECK(me != 0 || *counter == 10 * nprocs);
    if (me == 0)
        ARMCIX_Lock_hdl(a, 0, owner);
    armci_msg_barrier();
    CHECK(me == 0 || ARMCIX_Trylock_hdl(a, 0, owner) != 0);
    armci_msg_barrier();
    if (me == 0)
        ARMCIX_Unlock_hdl(a, 0, owner);
    ARMCIX_Destroy_mutexes_hdl(b);
    ARMCI_Destroy_mutexes();
    ARMCIX_Destroy_mutexes_hdl(a);
}

int main(void)
{
    REQUIRE(ARMCI_Init() == 0);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    REQUIRE(ARMCI_Malloc(blocks, 4096) == 0);
    counters();
    order();
    several();
    sets();
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return check_result();
}
