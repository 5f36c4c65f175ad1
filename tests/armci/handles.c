// SPDX-License-Identifier: BSD-3-Clause
//
// Handles: zero bytes are one, a handle that is used again without a wait, aggregates that change
// process and kind, overflow or leave early, values, completion by process and of all; single
// words: swap, fetch-and-add, notifications.
#include <armci.h>
#include <time.h>

#include "frame/check.h"

enum { WORDS = 6000, PROCS_MOST = 64, LARGE = 200000 };

static int me, nprocs;
static void *blocks[PROCS_MOST];

/** The words of `owner` that this process writes. */
static long *words_of(int owner)
{
    return (long *)blocks[owner] + (size_t)me * WORDS;
}

static int read_back(int owner, long *to)
{
    memset(to, 0x77, WORDS * sizeof *to);
    return ARMCI_Get(words_of(owner), to, WORDS * sizeof *to, owner);
}

static void reuse(void)
{
    static long src[WORDS], got[WORDS], small[8];
    armci_hdl_t hdl;
    memset(&hdl, 0, sizeof hdl);
    CHECK(ARMCI_Test(&hdl) == 0 && ARMCI_Wait(&hdl) == 0);
    for (int proc = 0; proc < nprocs; proc++) {
        for (int i = 0; i < WORDS; i++)
            src[i] = 1000L * me + i;
        ARMCI_NbPut(src, words_of(proc), sizeof src, proc, &hdl);  // large: the source is in use
        for (int i = 0; i < 8; i++)
            small[i] = -i;
        ARMCI_NbPut(small, words_of(proc) + 100, sizeof small, proc, &hdl);  // and again
        CHECK(ARMCI_Wait(&hdl) == 0 && ARMCI_Test(&hdl) == 0);
        memset(src, 0, sizeof src);
        memset(small, 0, sizeof small);
        read_back(proc, got);
        size_t bad = 0;
        for (int i = 0; i < WORDS; i++)
            bad += got[i] != (i >= 100 && i < 108 ? 100 - i : 1000L * me + i);
        CHECK(bad == 0, "%zu words of process %d", bad, proc);
    }
}

/** A get that is under way reads before what is put later. */
static void get_then_put(void)
{
    static long got[WORDS], zero[WORDS];
    armci_hdl_t hdl = {0};
    for (int round = 1; round <= 20; round++)
        for (int proc = 0; proc < nprocs; proc++) {
            long *there = words_of(proc);
            for (int i = 0; i < WORDS; i++)
                zero[i] = round;
            ARMCI_Put(zero, there, sizeof zero, proc);
            memset(got, 0, sizeof got);
            ARMCI_NbGet(there, got, sizeof got, proc, &hdl);
            ARMCI_PutValueLong(-1, there + WORDS - 1, proc);
            ARMCI_PutValueLong(-1, there, proc);
            ARMCI_Wait(&hdl);
            CHECK(got[0] == round && got[WORDS - 1] == round, "%ld %ld in round %d", got[0],
                  got[WORDS - 1], round);
        }
}

static void aggregates(void)
{
    static long src[WORDS], got[WORDS], model[WORDS];
    armci_hdl_t hdl = {0};
    ARMCI_SET_AGGREGATE_HANDLE(&hdl);
    memset(model, 0, sizeof model);
    for (int proc = 0; proc < nprocs; proc++)
        ARMCI_Put(model, words_of(proc), sizeof model, proc);
    for (int i = 0; i < WORDS; i++)
        src[i] = i + 1;
    // more pieces than a list takes, small and large, to all processes in turns; the same words
    // several times
    for (int i = 0; i < 3000; i++) {
        int at = (i * 37) % (WORDS - 600), n = i % 50 ? 1 + i % 7 : 300;
        for (int proc = 0; proc < nprocs; proc++) {
            if (i % 3)
                ARMCI_NbPut(src + i, words_of(proc) + at, n * (int)sizeof *src, proc, &hdl);
            else
                ARMCI_NbPutValueLong(-i, words_of(proc) + at, proc, &hdl);
        }
        if (i % 3)
            memcpy(model + at, src + i, (size_t)n * sizeof *src);
        else
            model[at] = -i;
    }
    CHECK(ARMCI_Wait(&hdl) == 0);
    for (int proc = 0; proc < nprocs; proc++) {
        read_back(proc, got);
        CHECK(memcmp(got, model, sizeof got) == 0, "process %d", proc);
        memset(got, 0, sizeof got);
        for (int i = 0; i < WORDS; i += 3)
            ARMCI_NbGet(words_of(proc) + i, got + i, 3 * sizeof *got, proc, &hdl);
        CHECK(ARMCI_Wait(&hdl) == 0);
        CHECK(memcmp(got, model, sizeof got) == 0, "gets of process %d", proc);
        // a put, then a get of the same word through one handle
        long value = 0;
        ARMCI_NbPutValueLong(proc + 5, words_of(proc) + 7, proc, &hdl);
        ARMCI_NbGet(words_of(proc) + 7, &value, sizeof value, proc, &hdl);
        ARMCI_UNSET_AGGREGATE_HANDLE(&hdl);
        ARMCI_Wait(&hdl);
        CHECK(value == proc + 5, "%ld", value);
        ARMCI_SET_AGGREGATE_HANDLE(&hdl);
    }
    ARMCI_UNSET_AGGREGATE_HANDLE(&hdl);
}

/** What a handle has collected leaves with a fence, and with a barrier. */
static void aggregates_left(void)
{
    long value = 0;
    for (int proc = 0; proc < nprocs; proc++)
        for (int way = 0; way < 3; way++) {
            armci_hdl_t hdl = {0};
            ARMCI_SET_AGGREGATE_HANDLE(&hdl);
            ARMCI_NbPutValueLong(way - 9, words_of(proc) + way, proc, &hdl);
            if (way == 0)
                ARMCI_Fence(proc);
            else if (way == 1)
                ARMCI_Barrier();
            else
                ARMCI_WaitAll();
            ARMCI_Get(words_of(proc) + way, &value, sizeof value, proc);
            CHECK(value == way - 9, "%ld at %d by way %d", value, proc, way);
            ARMCI_UNSET_AGGREGATE_HANDLE(&hdl);
        }
}

/** A fence of one process, or a wait for it, sends what is for others, too: the handle has to wait
 *  for that. */
static void aggregates_sent(void)
{
    static long got[WORDS], expected[WORDS];
    for (int i = 0; i < WORDS; i++)
        expected[i] = i + 11;
    for (int round = 0; round < 200; round++) {
        int proc = round % nprocs;
        ARMCI_Put(expected, words_of(proc), sizeof expected, proc);
        memset(got, 0, sizeof got);
        armci_hdl_t hdl = {0};
        ARMCI_SET_AGGREGATE_HANDLE(&hdl);
        for (int i = 0; i < 20; i++)
            ARMCI_NbGet(words_of(proc) + i, got + i, sizeof *got, proc, &hdl);
        ARMCI_NbGet(words_of(proc) + 20, got + 20, sizeof got - 20 * sizeof *got, proc, &hdl);
        if (round & 1)
            ARMCI_Fence(me);
        else
            ARMCI_WaitProc(me);
        ARMCI_Wait(&hdl);
        CHECK(memcmp(got, expected, sizeof got) == 0, "process %d, round %d", proc, round);
    }
}

static void values(void)
{
    armci_hdl_t hdl = {0};
    for (int proc = 0; proc < nprocs; proc++) {
        char *there = (char *)words_of(proc);
        ARMCI_NbPutValueInt(me + 3, there, proc, &hdl);
        ARMCI_NbPutValueLong(me - 3L, there + 8, proc, NULL);
        ARMCI_NbPutValueFloat((float)me + 0.25f, there + 16, proc, &hdl);
        ARMCI_NbPutValueDouble(me + 0.125, there + 24, proc, NULL);
        CHECK(ARMCI_Wait(&hdl) == 0 && ARMCI_WaitProc(proc) == 0);
        CHECK(ARMCI_GetValueInt(there, proc) == me + 3);
        CHECK(ARMCI_GetValueLong(there + 8, proc) == me - 3);
        CHECK(ARMCI_GetValueFloat(there + 16, proc) == (float)me + 0.25f);
        CHECK(ARMCI_GetValueDouble(there + 24, proc) == me + 0.125);
    }
    CHECK(ARMCI_WaitAll() == 0);
}

/** Every value of a counter is seen once; a token is in one place. */
static void counters(void)
{
    static unsigned char seen[PROCS_MOST * 400];
    int *counter = (int *)blocks[0];
    long *wide = (long *)blocks[nprocs - 1] + 1, *token = (long *)blocks[nprocs / 2] + 2;
    ARMCI_Barrier();
    if (me == 0)
        memset(blocks[0], 0, 64);
    ARMCI_Barrier();
    if (me == nprocs - 1)
        *wide = 1L << 40;
    if (me == nprocs / 2)
        *token = 77;
    ARMCI_Barrier();
    int mine = 0, before = -1;
    long last = 0, held = 0, found = 0;
    for (int i = 0; i < 400; i++) {
        int got = -1;
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &got, counter, 1, 0) == 0);
        mine += got > before && got < 400 * nprocs;
        before = got;
        seen[got]++;
        long was = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &was, wide, -3, nprocs - 1);
        CHECK(was <= 1L << 40 && (i == 0 || was < last));
        last = was;
        ARMCI_Rmw(ARMCI_SWAP_LONG, &held, token, 0, nprocs / 2);
        found += held == 77;
        if (held)  // and back
            ARMCI_Rmw(ARMCI_SWAP_LONG, &held, token, 0, nprocs / 2);
        CHECK(held == 0, "%ld", held);
    }
    CHECK(mine == 400, "%d values rose", mine);
    ARMCI_Barrier();
    if (me == 0)
        CHECK(*counter == 400 * nprocs);
    CHECK(ARMCI_GetValueLong(wide, nprocs - 1) == (1L << 40) - 3L * 400 * nprocs);
    CHECK(ARMCI_GetValueLong(token, nprocs / 2) == 77 && (nprocs > 1 || found == 400));
    int local = 5, other = 6;  // own memory of any kind
    ARMCI_Rmw(ARMCI_SWAP, &other, &local, 0, me);
    CHECK(local == 6 && other == 5);
    ARMCI_Barrier();
}

/** Rings: the data is there when the notification is. Receivers wait for longer than they spin. */
static void notifications(void)
{
    static long src[LARGE / 8];
    int next = (me + 1) % nprocs, before = (me + nprocs - 1) % nprocs, count = 0;
    long *mine = (long *)blocks[me], *there = (long *)blocks[next];
    for (int round = 1; round <= 30; round++) {
        size_t n = round % 5 ? (size_t)round : sizeof src / sizeof *src;
        for (size_t i = 0; i < n; i++)
            src[i] = round * 100000L + (long)i;
        if (me == 0 && round % 10 == 1) {
            struct timespec nap = {0, 30000000};
            nanosleep(&nap, NULL);
        }
        ARMCI_NbPut(src, there, (armci_size_t)(n * sizeof *src), next, NULL);
        CHECK(armci_notify(next) == round);
        int come = armci_notify_wait(before, &count);
        CHECK(count == round && come >= round, "%d of %d, %d came", count, round, come);
        CHECK(mine[0] == round * 100000L && mine[n - 1] == round * 100000L + (long)n - 1,
              "round %d: %ld .. %ld", round, mine[0], mine[n - 1]);
        ARMCI_WaitAll();
        armci_msg_barrier();
    }
}

static void blocks_of_one(void)
{
    armci_meminfo_t info;
    for (int round = 0; round < 5; round++) {
        ARMCI_Memget(100000, &info, 0);
        CHECK(info.cpid == me && info.size == 100000 && info.addr && info.armci_addr == info.addr);
        memset(info.addr, me + round, info.size);
        // its description travels as data
        ARMCI_Put(&info, words_of((me + 1) % nprocs), sizeof info, (me + 1) % nprocs);
        ARMCI_Barrier();
        int before = (me + nprocs - 1) % nprocs;
        armci_meminfo_t other;
        memcpy(&other, (long *)blocks[me] + (size_t)before * WORDS, sizeof other);
        char *at = ARMCI_Memat(&other, 99990), bytes[10];
        ARMCI_Get(at, bytes, 10, other.cpid);
        CHECK(other.cpid == before && bytes[0] == before + round && bytes[9] == before + round);
        if (ARMCI_Uses_shm() && ARMCI_Same_node(before)) {
            ARMCI_Access_begin(at);
            CHECK(*at == before + round);
            ARMCI_Access_end(at);
        }
        ARMCI_Memdt(&other, 99990);
        ARMCI_Barrier();
        ARMCI_Memctl(&other);
        if (nprocs > 1)
            ARMCI_Memctl(&info);
    }
}

int main(void)
{
    REQUIRE(ARMCI_Init() == 0);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    armci_size_t nbytes = (armci_size_t)WORDS * nprocs * (armci_size_t)sizeof(long);
    REQUIRE(ARMCI_Malloc(blocks, nbytes < LARGE ? LARGE : nbytes) == 0);
    reuse();
    get_then_put();
    aggregates();
    aggregates_left();
    aggregates_sent();
    values();
    counters();
    notifications();
    blocks_of_one();
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return check_result();
}
