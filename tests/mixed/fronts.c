// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM, GASNet, ARMCI and DART in one program without MPI, in the order that argv[1] gives: s
// shmem_init, S shmem_finalize, g gasnet_init and gasnet_attach, c ARMCI_Init, C ARMCI_Finalize, d
// dart_init_thread, D dart_exit; as the last step X gasnet_exit, R return from main. After each
// step all initialised libraries communicate, each in its own memory. argv[2]: a call of ARMCI that
// a handler makes.
#include <gasnet.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armci_talk.h"
#include "dart_talk.h"
#include "frame/check.h"
#include "talk.h"

#ifdef GASNET_PAR
#define LEVEL 3  // several threads
#else
#define LEVEL 0
#endif

enum { ASK = MARK + 1, ANSWER, ADDRESS, LONG };
enum { SEGMENT = 4 * GASNET_PAGESIZE, BLOCK = 3 * GASNET_PAGESIZE };

static bool shmem_on, gasnet_on, armci_on, dart_on;
static int level;  // of the job
static volatile int answers, longs;
static char data[64];  // static, so symmetric where OpenSHMEM is
static void *volatile next_address;
static const char *in_handler;

static void on_ask(gasnet_token_t token)
{
    if (in_handler && !strcmp(in_handler, "put"))
        ARMCI_PutValueLong(1, segments[0].addr, 0);
    else if (in_handler && !strcmp(in_handler, "fence"))
        ARMCI_AllFence();
    else if (in_handler)
        ARMCI_Barrier();
    gasnet_AMReplyShort0(token, ANSWER);
}

static void on_answer(gasnet_token_t token)
{
    (void)token;
    answers++;
}

static void on_address(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low)
{
    (void)token;
    next_address = (void *)((uintptr_t)(uint32_t)high << 32 | (uint32_t)low);
}

static void on_long(gasnet_token_t token, void *buf, size_t nbytes)
{
    (void)token;
    CHECK(buf == data + 32 && !memcmp(buf, "long", nbytes), "the payload in static data");
    longs++;
}

// ---------------------------------------------------------------- together
/** A handler runs while its process is in a barrier of ARMCI. */
static void handlers_in_armci(void)
{
    if (me == npes - 1 && npes > 1) {
        int before = answers;
        gasnet_AMRequestShort0(0, ASK);
        GASNET_BLOCKUNTIL(answers > before);
    }
    ARMCI_Barrier();
}

static bool is_filled(const char *from, size_t nbytes, char byte)
{
    for (size_t i = 0; i < nbytes; i++)
        if (from[i] != byte)
            return false;
    return true;
}

/** Each library fills the next process's memory of its own; none writes into another's. */
static void fill_apart(void)
{
    int next = (me + 1) % npes;
    char *from = malloc(SEGMENT), *heap = shmem_malloc(BLOCK);
    void *blocks[TALK_PROCS_MOST];
    REQUIRE(from && heap && ARMCI_Malloc(blocks, BLOCK) == 0);
    memset(from, 'g', SEGMENT);
    gasnet_put((gasnet_node_t)next, segments[next].addr, from, SEGMENT);
    memset(from, 'a', BLOCK);
    ARMCI_Put(from, blocks[next], BLOCK, next);
    memset(from, 's', BLOCK);
    shmem_putmem(heap, from, BLOCK, next);
    ARMCI_Barrier();
    shmem_barrier_all();
    CHECK(is_filled(segments[me].addr, SEGMENT, 'g'), "the segment of GASNet");
    CHECK(is_filled(blocks[me], BLOCK, 'a'), "the block of ARMCI");
    CHECK(is_filled(heap, BLOCK, 's'), "the symmetric heap");
    shmem_barrier_all();
    // one's memory as the source of another's transfer
    ARMCI_Put(segments[me].addr, blocks[next], BLOCK, next);
    ARMCI_Barrier();
    gasnet_put((gasnet_node_t)next, segments[next].addr, heap, BLOCK);
    shmem_barrier_all();
    CHECK(is_filled(blocks[me], BLOCK, 'g'), "a segment put by ARMCI");
    CHECK(is_filled(segments[me].addr, BLOCK, 's'), "the heap put by GASNet");
    shmem_barrier_all();
#ifndef GASNET_SEGMENT_EVERYTHING
    memset(from, 'x', SEGMENT);
    ARMCI_Put(from, segments[next].addr, SEGMENT, next);
    ARMCI_Barrier();
    CHECK(is_filled(segments[me].addr, SEGMENT, 'x'), "a segment that ARMCI puts into");
#endif
    ARMCI_Free(blocks[me]);
    shmem_free(heap);
    free(from);
}

/** GASNet reaches static data by its address in the target, here the same. */
static void fill_data(void)
{
    gasnet_node_t next = (gasnet_node_t)((me + 1) % npes);
    int before = longs;
    shmem_barrier_all();
    gasnet_put(next, data, "put", 4);
    gasnet_AMRequestLong0(next, LONG, "long", 4, data + 32);
    GASNET_BLOCKUNTIL(longs > before);
    shmem_barrier_all();
    CHECK(!strcmp(data, "put"), "static data that GASNet puts into");
    memset(data, 0, sizeof data);
}

static void communicate(long turn)
{
    if (me < 0 && shmem_on)
        me = shmem_my_pe(), npes = shmem_n_pes();
    else if (me < 0 && gasnet_on)
        me = (int)gasnet_mynode(), npes = (int)gasnet_nodes();
    else if (me < 0 && armci_on)
        me = armci_msg_me(), npes = armci_msg_nproc();
    else if (me < 0)
        me = dart_talk_number(&npes);
    check_as("process", me, npes);
    if (shmem_on)
        shmem_talk(turn);
    if (gasnet_on)
        gasnet_talk(turn);
    if (armci_on)
        armci_talk(turn, me, npes);
    if (dart_on)
        dart_talk(turn, me, npes);
    if (gasnet_on && armci_on)
        handlers_in_armci();
    if (shmem_on && gasnet_on)
        fill_data();
    if (shmem_on && gasnet_on && armci_on)
        fill_apart();
}

// ---------------------------------------------------------------- steps
#ifdef GASNET_SEGMENT_EVERYTHING
/** Memory is where each process has it: it tells the process before it. */
static void name_segment(void)
{
    uintptr_t mine = (uintptr_t)malloc(SEGMENT);
    segments[me].addr = (void *)mine;
    gasnet_AMRequestShort2((gasnet_node_t)((me + npes - 1) % npes), ADDRESS,
                           (gasnet_handlerarg_t)(mine >> 32), (gasnet_handlerarg_t)mine);
    GASNET_BLOCKUNTIL(next_address != NULL);
    segments[(me + 1) % npes].addr = next_address;
}
#endif

static void start_gasnet(int *argc, char ***argv)
{
    gasnet_handlerentry_t table[] = {{MARK, (void (*)())mark},
                                     {ASK, (void (*)())on_ask},
                                     {ANSWER, (void (*)())on_answer},
                                     {ADDRESS, (void (*)())on_address},
                                     {LONG, (void (*)())on_long}};
    CHECK(gasnet_init(argc, argv) == GASNET_OK, "gasnet_init");
    me = (int)gasnet_mynode(),
    npes = (int)gasnet_nodes();  // handlers may run before gasnet_attach returns
    CHECK(gasnet_attach(table, 5, SEGMENT, 0) == GASNET_OK, "gasnet_attach");
    segments = calloc(gasnet_nodes(), sizeof *segments);
    gasnet_getSegmentInfo(segments, (int)gasnet_nodes());
#ifdef GASNET_SEGMENT_EVERYTHING
    name_segment();
#endif
    gasnet_on = true;
}

static void start_shmem(void)
{
    int got;
    CHECK(shmem_init_thread(LEVEL, &got) == 0 && got >= LEVEL, "shmem_init_thread");
}

static int last_step(char step)
{
    if (me == 0)
        printf("process %d of %d is here, %d failures\n", me, npes, checks_failed);
    int code = checks_failed ? 99 : 0;
    if (step == 'X')
        gasnet_exit(code);
    return code;
}

int main(int argc, char **argv)
{
    const char *order = argc > 1 ? argv[1] : "sgcCSX";
    in_handler = argc > 2 ? argv[2] : NULL;
    for (long turn = 1; *order && *order != 'X'; turn++, order++) {
        if (!shmem_on && !gasnet_on && !armci_on && !dart_on)
            level = *order == 'd' ? 3 : LEVEL;
        if (*order == 's')
            start_shmem();
        else if (*order == 'S')
            shmem_finalize();
        else if (*order == 'g')
            start_gasnet(&argc, &argv);
        else if (*order == 'c')
            CHECK(ARMCI_Init_thread(LEVEL) == 0, "ARMCI_Init_thread");
        else if (*order == 'C')
            CHECK(ARMCI_Finalize() == 0, "ARMCI_Finalize");
        else if (*order == 'd')
            dart_talk_init(level == 3);
        else if (*order == 'D')
            CHECK(dart_exit() == DART_OK, "dart_exit");
        shmem_on = *order == 's' || (shmem_on && *order != 'S');
        armci_on = *order == 'c' || (armci_on && *order != 'C');
        dart_on = *order == 'd' || (dart_on && *order != 'D');
        int initialized = -1;
        shmem_query_initialized(&initialized);
        CHECK((initialized != 0) == shmem_on, "initialized: %d", initialized);
        if (shmem_on || gasnet_on || armci_on || dart_on)
            communicate(turn);
    }
    return last_step(*order);
}
