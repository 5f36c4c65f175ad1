// SPDX-License-Identifier: BSD-3-Clause
//
// What OpenSHMEM and GASNet do in programs of several interfaces: a word and a message go to the
// next process, and what came from the one before is compared.
#ifndef TALK_H
#define TALK_H

#include <gasnet.h>
#include <shmem.h>

#include "frame/check.h"

enum { MARK = 200 };  // the handler `mark`

static long word;
static int me = -1, npes;
static gasnet_seginfo_t *segments;
static volatile int marks;
static int turns;

static void mark(gasnet_token_t token, gasnet_handlerarg_t turn)
{
    gasnet_node_t from;
    gasnet_AMGetMsgSource(token, &from);
    CHECK((int)from == (me + npes - 1) % npes && turn >= 0, "the source of the message");
    marks++;
}

static void shmem_talk(long turn)
{
    CHECK(me == shmem_my_pe() && npes == shmem_n_pes(), "number of this PE");
    shmem_long_p(&word, turn * 100 + me, (me + 1) % npes);
    shmem_barrier_all();
    CHECK(word == turn * 100 + (me + npes - 1) % npes, "a put did not arrive");
    shmem_barrier_all();
}

static void gasnet_talk(long turn)
{
    gasnet_node_t next = (gasnet_node_t)((me + 1) % npes);
    CHECK(me == (int)gasnet_mynode() && npes == (int)gasnet_nodes(), "number of this node");
    gasnet_put_val(next, segments[next].addr, (gasnet_register_value_t)(turn * 100 + me), 8);
    gasnet_AMRequestShort1(next, MARK, (gasnet_handlerarg_t)turn);
    turns++;  // the neighbour's message may have arrived in an earlier wait
    GASNET_BLOCKUNTIL(marks >= turns);
    gasnet_barrier_notify((int)turn, 0);
    CHECK(gasnet_barrier_wait((int)turn, 0) == GASNET_OK, "the barrier");
    CHECK(*(long *)segments[me].addr == turn * 100 + (me + npes - 1) % npes,
          "gasnet_put_val did not arrive");
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

#endif
