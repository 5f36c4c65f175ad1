// SPDX-License-Identifier: BSD-3-Clause
//
// Operations of one process on one location take effect in the order of the calls: puts, values,
// small and large rows, segments, swaps, fetch-and-adds, accumulates, gets and what two aggregate
// handles collect, in random order on 48 KiB of each process, without fences. Gets see the model at
// once, and the owner the last state.
#include <armci.h>

#include "frame/check.h"
#include "frame/random.h"

enum { PLACE = 49152, WORDS = PLACE / 8, STEPS = 800, PROCS_MOST = 64 };

static int me, nprocs;
static long model[PROCS_MOST][WORDS], src[WORDS], got[WORDS];
static long version;
static armci_hdl_t handles[2];  // aggregate

/** n words that no other operation has written. */
static void fresh(size_t n)
{
    version++;
    for (size_t i = 0; i < n; i++)
        src[i] = version * 10000 + (long)i;
}

static void put(long *there, long *expected, int proc, int nb)
{
    size_t at = draw(WORDS), n = 1 + draw(draw(2) ? 8 : WORDS - at);
    n = n < WORDS - at ? n : WORDS - at;
    fresh(n);
    if (nb) {
        armci_hdl_t hdl = {0};
        ARMCI_NbPut(src, there + at, (armci_size_t)(n * 8), proc, &hdl);
        ARMCI_Wait(&hdl);
    } else {
        ARMCI_Put(src, there + at, (armci_size_t)(n * 8), proc);
    }
    memcpy(expected + at, src, n * 8);
}

/** Rows of `row` words at every other place. */
static void put_rows(long *there, long *expected, int proc, size_t row)
{
    size_t rows = 2 + draw(WORDS / (2 * row) - 1), at = draw(WORDS - (2 * rows - 1) * row + 1);
    int dense = (int)row * 8, gaps = 2 * dense, count[2] = {dense, (int)rows};
    fresh(row * rows);
    ARMCI_PutS(src, &dense, there + at, &gaps, count, 1, proc);
    for (size_t i = 0; i < rows; i++)
        memcpy(expected + at + 2 * row * i, src + row * i, row * 8);
}

static void put_segments(long *there, long *expected, int proc)
{
    void *from[20], *to[20];
    size_t n = 1 + draw(20), len = 1 + draw(40);
    fresh(len);
    for (size_t i = 0; i < n; i++) {
        size_t at = draw(WORDS / len) * len;  // the same bytes into each: some coincide
        from[i] = src;
        to[i] = there + at;
        memcpy(expected + at, src, len * 8);
    }
    armci_giov_t iov = {
        .src_ptr_array = from, .dst_ptr_array = to, .ptr_array_len = (int)n, .bytes = (int)len * 8};
    ARMCI_PutV(&iov, 1, proc);
}

static void atomic(long *there, long *expected, int proc)
{
    size_t at = draw(WORDS);
    long value = ++version;
    if (draw(2)) {
        ARMCI_Rmw(ARMCI_SWAP_LONG, &value, there + at, 0, proc);
        CHECK(value == expected[at], "swap: %ld, expected %ld", value, expected[at]);
        expected[at] = version;
    } else {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, there + at, 3, proc);
        CHECK(value == expected[at], "fetch: %ld, expected %ld", value, expected[at]);
        expected[at] += 3;
    }
}

static void add(long *there, long *expected, int proc)
{
    size_t at = draw(WORDS), n = 1 + draw(20);
    long scale = 2;
    n = n < WORDS - at ? n : WORDS - at;
    fresh(n);
    ARMCI_Acc(ARMCI_ACC_LNG, &scale, src, there + at, (armci_size_t)(n * 8), proc);
    for (size_t i = 0; i < n; i++)
        expected[at + i] += 2 * src[i];
}

/** Into a handle that nothing waits for here. */
static void collect(long *there, long *expected, int proc)
{
    static long sources[1024][20];
    static unsigned used;
    size_t at = draw(WORDS - 20), n = 1 + draw(20);
    armci_hdl_t *hdl = &handles[draw(2)];
    if (draw(2)) {
        expected[at] = ++version;
        ARMCI_NbPutValueLong(version, there + at, proc, hdl);
        return;
    }
    long *from = sources[used++ % 1024];
    fresh(n);
    memcpy(from, src, n * 8);
    memcpy(expected + at, src, n * 8);
    ARMCI_NbPut(from, there + at, (armci_size_t)(n * 8), proc, hdl);
}

static void get(long *there, long *expected, int proc)
{
    size_t at = draw(WORDS), n = 1 + draw(WORDS - at);
    ARMCI_Get(there + at, got, (armci_size_t)(n * 8), proc);
    CHECK(memcmp(got, expected + at, n * 8) == 0, "get of %zu words", n);
}

/** Rows with much or little between them, and their number. */
static void get_rows(long *there, long *expected, int proc)
{
    int words = 3 + 2 * (int)draw(3), every = words + 1 + 5 * (int)draw(2);
    int stride = 8 * every, row = 8 * words, count[2] = {row, WORDS / every};
    if (draw(2))
        count[1] = 1 + (int)draw(WORDS / 13);
    ARMCI_GetS(there, &stride, got, &row, count, 1, proc);
    long bad = 0;
    for (int i = 0; i < count[1]; i++)
        bad += memcmp(got + (long)words * i, expected + (long)every * i, (size_t)row) != 0;
    CHECK(bad == 0, "%ld of %d rows of %d words by %d", bad, count[1], words, every);
}

static void step(long *there, long *expected, int proc)
{
    switch (draw(13)) {
    case 0:
        put_rows(there, expected, proc, 1 + draw(4));
        break;
    case 1:
        put_rows(there, expected, proc, 130);
        break;
    case 2:
        put_segments(there, expected, proc);
        break;
    case 3:
    case 4:
        atomic(there, expected, proc);
        break;
    case 5:
        get(there, expected, proc);
        break;
    case 6:
        get_rows(there, expected, proc);
        break;
    case 7:
        put(there, expected, proc, 1);
        break;
    case 8:
        add(there, expected, proc);
        break;
    case 9:
    case 10:
    case 11:
        collect(there, expected, proc);
        break;
    default:
        put(there, expected, proc, 0);
    }
}

static long sum_of(const long *words)
{
    unsigned long sum = 0;
    for (int i = 1; i < WORDS; i++)
        sum = sum * 31 + (unsigned long)words[i];
    return (long)sum;
}

int main(void)
{
    void *blocks[PROCS_MOST];
    REQUIRE(ARMCI_Init() == 0);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    random_state += (uint64_t)me * 104729;
    REQUIRE(ARMCI_Malloc(blocks, (armci_size_t)PLACE * nprocs) == 0);
    memset(blocks[me], 0, (size_t)PLACE * (size_t)nprocs);
    ARMCI_Barrier();
    for (int i = 0; i < 2; i++) {
        ARMCI_INIT_HANDLE(&handles[i]);
        ARMCI_SET_AGGREGATE_HANDLE(&handles[i]);
    }
    for (int i = 0; i < STEPS; i++) {
        int proc = (int)draw((uint64_t)nprocs);
        step((long *)blocks[proc] + (size_t)me * WORDS, model[proc], proc);
    }
    // what the owner finds: a sum of the other words in the first one
    for (int proc = 0; proc < nprocs; proc++) {
        ARMCI_PutValueLong(sum_of(model[proc]), (long *)blocks[proc] + (size_t)me * WORDS, proc);
    }
    ARMCI_Barrier();
    for (int proc = 0; proc < nprocs; proc++) {
        long *mine = (long *)blocks[me] + (size_t)proc * WORDS;
        CHECK(sum_of(mine) == mine[0], "what process %d wrote", proc);
    }
    for (int i = 0; i < 2; i++)
        ARMCI_UNSET_AGGREGATE_HANDLE(&handles[i]);
    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return check_result();
}
