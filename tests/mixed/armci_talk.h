// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI's part in programs of several interfaces: memory comes, every kind of operation goes to the
// next process, what came from the one before is compared, memory goes.
#ifndef ARMCI_TALK_H
#define ARMCI_TALK_H

#include <armci.h>

#include "frame/check.h"

enum { TALK_DOUBLES = 64, TALK_NBYTES = 1 << 16, TALK_PROCS_MOST = 64 };

typedef struct talk_block {
    long put, counted;
    double sum[TALK_DOUBLES];
    char rows[8][128];
    char rest[TALK_NBYTES];
} talk_block_t;

static void armci_talk_operations(talk_block_t *there, int next, long turn, int me)
{
    double addend[TALK_DOUBLES], scale = 2.0;
    char rows[8][32];
    long value = turn * 100 + me, before = -1;
    int dense = sizeof rows[0], sparse = sizeof there->rows[0], count[] = {sizeof rows[0], 8};
    for (int i = 0; i < TALK_DOUBLES; i++)
        addend[i] = (double)(value + i);
    memset(rows, (int)(value % 100) + 1, sizeof rows);
    CHECK(ARMCI_Put(&value, &there->put, sizeof value, next) == 0);
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &scale, addend, there->sum, sizeof addend, next) == 0);
    CHECK(ARMCI_PutS(rows, &dense, there->rows, &sparse, count, 1, next) == 0);
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, &there->counted, 7, next) == 0);
    CHECK(before == 0, "the counter was %ld", before);
    ARMCI_Lock(0, next);
    ARMCI_Unlock(0, next);
    CHECK(ARMCI_GetValueLong(&there->put, next) == value, "a get behind a put");
}

static void armci_talk(long turn, int me, int npes)
{
    void *blocks[TALK_PROCS_MOST];
    int next = (me + 1) % npes, prev = (me + npes - 1) % npes;
    long value = turn * 100 + prev;
    REQUIRE(npes <= TALK_PROCS_MOST && ARMCI_Malloc(blocks, sizeof(talk_block_t)) == 0);
    talk_block_t *mine = blocks[me];
    memset(mine, 0, sizeof *mine);
    CHECK(ARMCI_Create_mutexes(1) == 0);
    ARMCI_Barrier();
    armci_talk_operations(blocks[next], next, turn, me);
    ARMCI_Barrier();
    CHECK(mine->put == value, "ARMCI_Put: %ld", mine->put);
    CHECK(mine->counted == 7, "ARMCI_Rmw: %ld", mine->counted);
    for (int i = 0; i < TALK_DOUBLES; i++)
        CHECK(mine->sum[i] == 2.0 * (double)(value + i), "ARMCI_Acc: %g", mine->sum[i]);
    for (int row = 0; row < 8; row++)
        CHECK(mine->rows[row][31] == (char)(value % 100 + 1) && mine->rows[row][32] == 0,
              "ARMCI_PutS, row %d", row);
    CHECK(ARMCI_Destroy_mutexes() == 0);
    CHECK(ARMCI_Free(mine) == 0);
}

#endif
