// SPDX-License-Identifier: BSD-3-Clause
//
// Random sections of 0 to 8 levels against a model of plain loops: rows of 1 byte to some KiB,
// strides with and without gaps, downwards and in any order, blocking, with handles, without,
// aggregated, with flags; puts are read back whole, so that a byte too many is seen, too. The same
// for vectors.
#include <armci.h>

#include "frame/check.h"
#include "frame/random.h"

enum { STRIPE = 96 << 10, PROCS_MOST = 64, ROUNDS = 60, SEGMENTS_MOST = 700 };

static int me, nprocs, proc;  // the one that this process writes to
static char *stripe;          // this process's part of its block
static char *model, *local, *got;

/** One side: where it begins, and its strides. */
typedef struct side {
    size_t at;
    int stride[8];
} side_t;

static int levels, count[9];

static int draw_row(void)
{
    static const int rows[] = {1,   2,   3,   4,   8,    16,   24,   64,
                               100, 248, 249, 500, 1000, 1023, 1024, 4096};
    return rows[draw(sizeof rows / sizeof *rows)];
}

/** Strides for the counts; false: it does not fit the stripe. */
static int draw_side(side_t *side)
{
    size_t extent = (size_t)count[0];
    size_t down = 0;
    const int first = draw(3) ? 0 : (int)draw((uint64_t)levels + 1);  // the narrowest level
    for (int k = 0; k < levels; k++) {
        const int i = (k + first) % levels;
        size_t stride = extent + (draw(3) ? draw(40) : 0);
        size_t more = stride * (size_t)(count[i + 1] ? count[i + 1] - 1 : 0);
        int downwards = draw(6) == 0;
        side->stride[i] = downwards ? -(int)stride : (int)stride;
        down += downwards ? more : 0;
        extent += more;
    }
    if (extent > STRIPE)
        return 0;
    side->at = down + draw(STRIPE - extent + 1);
    return 1;
}

static void draw_section(side_t *a, side_t *b)
{
    do {
        levels = (int)draw(9);
        count[0] = draw_row();
        for (int i = 1; i <= levels; i++)
            count[i] = 1 + (int)draw(levels > 4 ? 3 : levels > 2 ? 5 : 40);
        if (draw(25) == 0)
            count[draw((uint64_t)levels + 1)] = 0;
    } while (!draw_side(a) || !draw_side(b));
}

/** Plain loops: to and from are bytes of the two sides. */
static void copy_plainly(char *to, const side_t *t, const char *from, const side_t *f)
{
    int at[9] = {0};
    for (int i = 0; i <= levels; i++)
        if (count[i] == 0)
            return;
    for (;;) {
        ptrdiff_t to_at = (ptrdiff_t)t->at, from_at = (ptrdiff_t)f->at;
        for (int i = 0; i < levels; i++) {
            to_at += (ptrdiff_t)at[i] * t->stride[i];
            from_at += (ptrdiff_t)at[i] * f->stride[i];
        }
        for (int byte = 0; byte < count[0]; byte++)
            to[to_at + byte] = from[from_at + byte];
        int level = 0;
        while (level < levels && ++at[level] == count[level + 1])
            at[level++] = 0;
        if (level == levels)
            return;
    }
}

static void fill(char *bytes)
{
    for (size_t i = 0; i < STRIPE; i += 8) {
        uint64_t word = random_word();
        memcpy(bytes + i, &word, 8);
    }
}

static size_t differ(const char *a, const char *b)
{
    size_t n = 0;
    for (size_t i = 0; i < STRIPE; i++)
        n += a[i] != b[i];
    return n;
}

/** What is in the other process is what the model says. */
static void check_all(const char *what)
{
    memset(got, 0x55, STRIPE);
    CHECK(ARMCI_Get(stripe, got, STRIPE, proc) == 0);
    size_t bad = differ(got, model);
    CHECK(bad == 0, "%s: %zu bytes are wrong; %d levels, rows of %d bytes", what, bad, levels,
          count[0]);
}

static void put_some_way(char *src, side_t *from, char *dst, side_t *to, int way)
{
    armci_hdl_t hdl = {0};
    switch (way) {
    case 0:
        ARMCI_PutS(src, from->stride, dst, to->stride, count, levels, proc);
        break;
    case 1:
        ARMCI_NbPutS(src, from->stride, dst, to->stride, count, levels, proc, &hdl);
        ARMCI_Wait(&hdl);
        break;
    case 2:
        ARMCI_NbPutS(src, from->stride, dst, to->stride, count, levels, proc, NULL);
        ARMCI_WaitProc(proc);
        break;
    default:
        ARMCI_SET_AGGREGATE_HANDLE(&hdl);
        ARMCI_NbPutS(src, from->stride, dst, to->stride, count, levels, proc, &hdl);
        while (ARMCI_Test(&hdl) != 0)
            ;
        ARMCI_UNSET_AGGREGATE_HANDLE(&hdl);
    }
}

static void get_some_way(char *src, side_t *from, char *dst, side_t *to, int way)
{
    armci_hdl_t hdl;
    ARMCI_INIT_HANDLE(&hdl);
    switch (way) {
    case 0:
        ARMCI_GetS(src, from->stride, dst, to->stride, count, levels, proc);
        break;
    case 1:
        ARMCI_NbGetS(src, from->stride, dst, to->stride, count, levels, proc, &hdl);
        ARMCI_Wait(&hdl);
        break;
    case 2:
        ARMCI_NbGetS(src, from->stride, dst, to->stride, count, levels, proc, NULL);
        ARMCI_WaitAll();
        break;
    default:
        ARMCI_SET_AGGREGATE_HANDLE(&hdl);
        ARMCI_NbGetS(src, from->stride, dst, to->stride, count, levels, proc, &hdl);
        ARMCI_UNSET_AGGREGATE_HANDLE(&hdl);
        ARMCI_Wait(&hdl);
    }
}

static void one_section(void)
{
    side_t here, there;
    int way = (int)draw(4);
    draw_section(&here, &there);
    fill(local);
    put_some_way(local + here.at, &here, stripe + there.at, &there, way);
    copy_plainly(model, &there, local, &here);
    check_all("put");

    draw_section(&here, &there);
    fill(local);
    memcpy(got, local, STRIPE);
    get_some_way(stripe + there.at, &there, got + here.at, &here, way);
    copy_plainly(local, &here, model, &there);
    size_t bad = differ(got, local);
    CHECK(bad == 0, "get: %zu bytes are wrong; %d levels, rows of %d bytes", bad, levels, count[0]);
}

// ---------------------------------------------------------------- buffers
static void one_buffer(void)
{
    side_t here, there;
    draw_section(&here, &there);
    side_t dense = {0};
    for (int i = 0, all = count[0]; i < levels; all *= count[++i])
        dense.stride[i] = all;
    fill(local);
    memset(got, 0, STRIPE);
    armci_write_strided(local + here.at, levels, here.stride, count, got);
    char *expected = calloc(STRIPE, 1);
    copy_plainly(expected, &dense, local, &here);
    CHECK(differ(got, expected) == 0);
    memset(local, 0, STRIPE);
    armci_read_strided(local + there.at, levels, there.stride, count, got);
    memset(expected, 0, STRIPE);
    copy_plainly(expected, &there, got, &dense);
    CHECK(differ(local, expected) == 0);
    free(expected);
}

// ---------------------------------------------------------------- vectors
static void *here_at[SEGMENTS_MOST], *there_at[SEGMENTS_MOST];

/** Segments of one size behind each other at random distances. Returns how many. */
static int draw_segments(armci_giov_t *iov, int put, int first, size_t *here_p, size_t *there_p)
{
    int bytes = draw_row(), n = 0, most = (int)draw(200);
    while (n < most && first + n < SEGMENTS_MOST) {
        size_t here = *here_p + draw(20), there = *there_p + draw(20);
        if (here + (size_t)bytes > STRIPE || there + (size_t)bytes > STRIPE)
            break;
        here_at[first + n] = (void *)here;
        there_at[first + n++] = (void *)there;
        *here_p = here + (size_t)bytes;
        *there_p = there + (size_t)bytes;
    }
    iov->bytes = bytes;
    iov->ptr_array_len = n;
    iov->src_ptr_array = (put ? here_at : there_at) + first;
    iov->dst_ptr_array = (put ? there_at : here_at) + first;
    return n;
}

static void one_vector(void)
{
    armci_giov_t iov[5] = {[4] = {.ptr_array_len = 3}};  // the last is empty and has no lists
    armci_hdl_t hdl = {0};
    int put = (int)draw(2), way = (int)draw(3), len = 4 + (int)draw(2), all = 0;
    size_t here = draw(100), there = draw(100);
    fill(local);
    memcpy(got, local, STRIPE);
    for (int i = 0; i < 4; i++)
        all += draw_segments(&iov[i], put, all, &here, &there);
    for (int i = 0, n = 0; i < 4; i++)
        for (int k = 0; k < iov[i].ptr_array_len; k++, n++) {
            size_t at = (size_t)here_at[n], to = (size_t)there_at[n];
            memcpy(put ? model + to : local + at, put ? local + at : model + to,
                   (size_t)iov[i].bytes);
            here_at[n] = (put ? local : got) + at;
            there_at[n] = stripe + to;
        }
    if (way == 2)
        ARMCI_SET_AGGREGATE_HANDLE(&hdl);
    if (way == 0 && put)
        ARMCI_PutV(iov, len, proc);
    else if (way == 0)
        ARMCI_GetV(iov, len, proc);
    else if (put)
        ARMCI_NbPutV(iov, len, proc, &hdl);
    else
        ARMCI_NbGetV(iov, len, proc, &hdl);
    ARMCI_Wait(&hdl);
    if (put)
        check_all("vector");
    else
        CHECK(differ(got, local) == 0, "vector get, way %d", way);
}

// ---------------------------------------------------------------- flags
static void flags(void *blocks[])
{
    int next = (me + 1) % nprocs, before = (me + nprocs - 1) % nprocs;
    int *mine = blocks[me], *there = blocks[next];
    int row[2] = {0, 0}, rows[] = {8, 100}, dense[] = {8}, gaps[] = {16};
    for (int i = 0; i < 1000; i++)
        mine[i] = 0;
    ARMCI_Barrier();
    int src[200];
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < 200; i++)
            src[i] = round * 1000 + i;
        if (round % 3 == 0)
            ARMCI_Put_flag(src, there + 2, sizeof src, there, round, next);
        else if (round % 3 == 1)
            ARMCI_PutS_flag(src, dense, there + 2, gaps, rows, 1, there, round, next);
        else
            ARMCI_PutS_flag_dir(src, dense, there + 2, gaps, rows, 1, there, round, next);
        while (ARMCI_GetValueInt(mine, me) != round)
            ;
        row[0] = mine[2 + (round % 3 ? 4 * 99 : 2 * 99)];
        row[1] = mine[2 + (round % 3 ? 4 * 99 : 2 * 99) + 1];
        CHECK(row[0] == round * 1000 + 198 && row[1] == round * 1000 + 199, "%d: %d %d from %d",
              round, row[0], row[1], before);
        ARMCI_Barrier();
    }
}

int main(void)
{
    void *blocks[PROCS_MOST];
    REQUIRE(ARMCI_Init() == 0);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    random_state += (uint64_t)me * 7919;
    REQUIRE(ARMCI_Malloc(blocks, (armci_size_t)STRIPE * nprocs) == 0);
    model = calloc(STRIPE, 1);
    local = calloc(STRIPE, 1);
    got = calloc(STRIPE, 1);
    flags(blocks);
    for (int way = 0; way < nprocs; way++) {
        proc = (me + way) % nprocs;
        stripe = (char *)blocks[proc] + (size_t)me * STRIPE;
        fill(model);
        CHECK(ARMCI_Put(model, stripe, STRIPE, proc) == 0);
        for (int round = 0; round < ROUNDS; round++) {
            one_section();
            one_vector();
            one_buffer();
        }
        ARMCI_Barrier();
    }
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return check_result();
}
