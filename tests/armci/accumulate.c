// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulates of every type and form by all processes into the same elements of each one, which
// must give exact sums; in order with one's own puts and gets on the same location; sources that
// change behind the call.
#include <armci.h>
#include <string.h>

#include "frame/check.h"
#include "frame/random.h"

enum { PROCS_MOST = 64, ROWS = 30, COLS = 50, PLANES = 4, NUMBERS = 3000 };

static int me, nprocs;
static void *blocks[PROCS_MOST];

static void block(size_t nbytes)
{
    REQUIRE(ARMCI_Malloc(blocks, (armci_size_t)nbytes) == 0);
    memset(blocks[me], 0, nbytes);
    ARMCI_Barrier();
}

static void release(void)
{
    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
}

// ---------------------------------------------------------------- every type, contiguous
// Each process adds scale * (k % 7 + 1) to number k, twice: as a block, and without waiting in two
// parts, of which the source changes at once. A complex source is v + i, and its scale 2 + 3i.
#define TYPES(X)                                                                                   \
    X(INT, int, 1, -3) X(LNG, long, 1, 5L << 33) X(FLT, float, 1, 0.5F) X(DBL, double, 1, 1)       \
    X(CPL, float, 2, 2) X(DCP, double, 2, 2)

#define ONE_TYPE(NAME, T, parts, factor)                                                           \
    static void type_##NAME(void)                                                                  \
    {                                                                                              \
        static T from[NUMBERS * (parts)], copy[NUMBERS * (parts)];                                 \
        T scale[2] = {factor, 3};                                                                  \
        const armci_size_t nbytes = sizeof from, first = 1001 * (parts) * sizeof(T);               \
        block(sizeof from);                                                                        \
        for (int k = 0; k < NUMBERS; k++) {                                                        \
            from[k * (parts) + (parts)-1] = 1;                                                     \
            from[k * (parts)] = (T)(k % 7 + 1);                                                    \
        }                                                                                          \
        for (int n = 0; n < nprocs; n++) {                                                         \
            int proc = (me + n) % nprocs;                                                          \
            char *there = blocks[proc];                                                            \
            armci_hdl_t hdl;                                                                       \
            ARMCI_INIT_HANDLE(&hdl);                                                               \
            CHECK(ARMCI_Acc(ARMCI_ACC_##NAME, scale, from, there, nbytes, proc) == 0);             \
            memcpy(copy, from, sizeof copy);                                                       \
            ARMCI_NbAcc(ARMCI_ACC_##NAME, scale, copy, there, first, proc, &hdl);                  \
            memset(copy, 0x2a, (size_t)first);                                                     \
            ARMCI_NbAcc(ARMCI_ACC_##NAME, scale, (char *)copy + first, there + first,              \
                        nbytes - first, proc, NULL);                                               \
            ARMCI_Wait(&hdl);                                                                      \
        }                                                                                          \
        ARMCI_Barrier();                                                                           \
        const T *sum = blocks[me];                                                                 \
        int wrong = 0;                                                                             \
        for (int k = 0; k < NUMBERS; k++) {                                                        \
            T v = (T)(k % 7 + 1), two = (T)(2 * nprocs);                                           \
            if ((parts) == 1)                                                                      \
                wrong += sum[k] != two * scale[0] * v;                                             \
            else                                                                                   \
                wrong += sum[2 * k] != two * (scale[0] * v - 3) ||                                 \
                         sum[2 * k + 1] != two * (scale[0] + 3 * v);                               \
        }                                                                                          \
        CHECK(wrong == 0, "%d wrong sums of %s", wrong, #NAME);                                    \
        release();                                                                                 \
    }
TYPES(ONE_TYPE)

// ---------------------------------------------------------------- sections and vectors
/** A plane of a three-dimensional array, and its model. */
static double model[PLANES][ROWS][COLS];

/** All processes draw the same boxes and add each to the block of every process. */
static void sections(void)
{
    static double from[PLANES][ROWS][COLS];
    block(sizeof model);
    memset(model, 0, sizeof model);
    uint64_t own = random_state;
    random_state = 4711;
    for (int n = 0; n < 40; n++) {
        int box[3], at[3], most[3] = {COLS, ROWS, PLANES};
        for (int i = 0; i < 3; i++) {
            box[i] = 1 + (int)draw(draw(3) ? (uint64_t)most[i] : 1);
            at[i] = (int)draw((uint64_t)(most[i] - box[i]) + 1);
        }
        // the source is dense, or has the shape of the block
        int dense = draw(2) == 0, cols = dense ? box[0] : COLS, rows = dense ? box[1] : ROWS;
        int count[3] = {box[0] * (int)sizeof(double), box[1], box[2]};
        int stride[2] = {COLS * (int)sizeof(double), ROWS * COLS * (int)sizeof(double)};
        int from_stride[2] = {cols * (int)sizeof(double), rows * cols * (int)sizeof(double)};
        double scale = n % 3 ? n % 5 - 2 : 1;
        for (int k = 0; k < PLANES * ROWS * COLS; k++)
            (&from[0][0][0])[k] = k % 11 + n;
        for (int p = 0; p < box[2]; p++)
            for (int r = 0; r < box[1]; r++)
                for (int c = 0; c < box[0]; c++)
                    model[at[2] + p][at[1] + r][at[0] + c] +=
                        nprocs * scale * (&from[0][0][0])[(p * rows + r) * cols + c];
        for (int i = 0; i < nprocs; i++) {
            int proc = (me + i) % nprocs;
            double *to = (double *)blocks[proc] + (at[2] * ROWS + at[1]) * COLS + at[0];
            if (n % 2)
                ARMCI_AccS(ARMCI_ACC_DBL, &scale, from, from_stride, to, stride, count, 2, proc);
            else
                ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, from, from_stride, to, stride, count, 2, proc,
                             NULL);
        }
    }
    random_state = own;
    ARMCI_Barrier();
    CHECK(memcmp(blocks[me], model, sizeof model) == 0);
    release();
}

static void vectors(void)
{
    enum { SEGMENTS = 40, LONGS = 3 };
    static long from[SEGMENTS][LONGS];
    void *src[SEGMENTS], *dst[SEGMENTS];
    long scale = -2;
    block(SEGMENTS * 64);
    for (int i = 0; i < nprocs; i++) {
        int proc = (me + i) % nprocs;
        for (int n = 0; n < SEGMENTS; n++) {
            from[n][0] = n;
            from[n][2] = -n;
            src[n] = from[n];
            dst[n] = (char *)blocks[proc] + (n * 7) % SEGMENTS * 64;
        }
        armci_giov_t iov[2] = {{.src_ptr_array = src,
                                .dst_ptr_array = dst,
                                .ptr_array_len = SEGMENTS,
                                .bytes = sizeof from[0]},
                               {.src_ptr_array = src + 5,
                                .dst_ptr_array = dst + 5,
                                .ptr_array_len = 1,
                                .bytes = sizeof(long)}};
        ARMCI_AccV(ARMCI_ACC_LNG, &scale, iov, 2, proc);
        armci_hdl_t hdl;
        ARMCI_INIT_HANDLE(&hdl);
        ARMCI_NbAccV(ARMCI_ACC_LNG, &scale, iov, 1, proc, &hdl);
        ARMCI_Wait(&hdl);
    }
    ARMCI_Barrier();
    for (int n = 0; n < SEGMENTS; n++) {
        const long *at = (const long *)((char *)blocks[me] + (n * 7) % SEGMENTS * 64);
        long times = n == 5 ? 3 : 2;
        CHECK(at[0] == nprocs * times * scale * n && at[1] == 0 &&
              at[2] == nprocs * 2 * scale * -n);
    }
    release();
}

// ---------------------------------------------------------------- no alignment
/** Strided accumulates by all processes, of numbers that lie a byte off, 8 of them in 65 bytes:
 *  some cross the blocks of memory that are locked. */
#define ONE_PACKED(NAME, T, parts, factor)                                                         \
    static void packed_##NAME(void)                                                                \
    {                                                                                              \
        enum { ROW = 8 * (parts) * (int)sizeof(T), ALL = 300 };                                    \
        static T from[ALL * 8 * (parts)], sum[8 * (parts)];                                        \
        int count[2] = {ROW, ALL}, dense[1] = {ROW}, wide[1] = {ROW + 1}, wrong = 0;               \
        T scale[2] = {factor, 0};                                                                  \
        void *one[1], *there[1];                                                                   \
        block((ROW + 1) * ALL + 16);                                                               \
        for (int k = 0; k < ALL * 8 * (parts); k++)                                                \
            from[k] = (T)(k % 5);                                                                  \
        for (int n = 0; n < nprocs; n++) {                                                         \
            int proc = (me + n) % nprocs;                                                          \
            char *at = (char *)blocks[proc] + 1;                                                   \
            ARMCI_AccS(ARMCI_ACC_##NAME, scale, from, dense, at, wide, count, 1, proc);            \
            ARMCI_Acc(ARMCI_ACC_##NAME, scale, from, at, ROW, proc);                               \
            one[0] = from;                                                                         \
            there[0] = at;                                                                         \
            armci_giov_t iov = {                                                                   \
                .src_ptr_array = one, .dst_ptr_array = there, .ptr_array_len = 1, .bytes = ROW};   \
            ARMCI_NbAccV(ARMCI_ACC_##NAME, scale, &iov, 1, proc, NULL);                            \
        }                                                                                          \
        ARMCI_Barrier();                                                                           \
        for (int row = 0; row < ALL; row++) {                                                      \
            memcpy(sum, (char *)blocks[me] + 1 + row * (ROW + 1), ROW);                            \
            for (int k = 0; k < 8 * (parts); k++)                                                  \
                wrong += sum[k] !=                                                                 \
                         from[row * 8 * (parts) + k] * scale[0] * (T)(nprocs * (row ? 1 : 3));     \
        }                                                                                          \
        CHECK(wrong == 0, "%d wrong packed sums of %s", wrong, #NAME);                             \
        release();                                                                                 \
    }
TYPES(ONE_PACKED)

// ---------------------------------------------------------------- order
/** A process's own operations on one location, by whatever path, come in the order of the calls. */
static void order(void)
{
    enum { LONG_ROW = 2000 };
    static double put[LONG_ROW], one[LONG_ROW], got[LONG_ROW];
    double scale = 1;
    int proc = (me + 1) % nprocs;
    block(sizeof put);
    for (int n = 1; n <= 60; n++) {
        int many = n % 3 == 0 ? LONG_ROW : n % 3;
        armci_size_t nbytes = many * (armci_size_t)sizeof(double);
        for (int k = 0; k < many; k++) {
            put[k] = 1000 * n + k;
            one[k] = 1;
        }
        ARMCI_Put(put, blocks[proc], nbytes, proc);
        for (int i = 0; i < 3; i++)
            ARMCI_Acc(ARMCI_ACC_DBL, &scale, one, blocks[proc], nbytes, proc);
        if (n % 2)  // a put behind an accumulate must not be added to
            ARMCI_Put(put, blocks[proc], (armci_size_t)sizeof(double), proc);
        ARMCI_Get(blocks[proc], got, nbytes, proc);
        CHECK(got[0] == put[0] + (n % 2 ? 0 : 3), "round %d: %g", n, got[0]);
        CHECK(many == 1 || got[many - 1] == put[many - 1] + 3, "round %d: %g", n, got[many - 1]);
        armci_hdl_t hdl;
        ARMCI_INIT_HANDLE(&hdl);
        ARMCI_NbGet(blocks[proc], got, nbytes, proc, &hdl);
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, one, blocks[proc], nbytes, proc);
        ARMCI_Wait(&hdl);
        CHECK(many == 1 || got[many - 1] == put[many - 1] + 3, "round %d: get %g", n,
              got[many - 1]);
    }
    ARMCI_Fence(proc);
    release();
}

/** The memory of this process need not be a block; nothing to do is no error. */
static void own(void)
{
    float z[2] = {1, 2}, more[2] = {3, 4}, i[2] = {0, 1};
    int count[2] = {0, 5}, stride[1] = {8};
    CHECK(ARMCI_Acc(ARMCI_ACC_CPL, i, more, z, sizeof z, me) == 0);
    CHECK(z[0] == -3 && z[1] == 5);
    CHECK(ARMCI_Acc(ARMCI_ACC_CPL, i, more, z, 0, me) == 0);
    CHECK(ARMCI_AccS(ARMCI_ACC_CPL, i, more, stride, z, stride, count, 1, me) == 0);
    CHECK(ARMCI_AccV(ARMCI_ACC_CPL, i, NULL, 0, me) == 0);
    CHECK(z[0] == -3 && z[1] == 5);
}

int main(void)
{
    ARMCI_Init();
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
#define CALL(NAME, ...) type_##NAME();
    TYPES(CALL)
#define CALL_PACKED(NAME, ...) packed_##NAME();
    TYPES(CALL_PACKED)
    sections();
    vectors();
    order();
    own();
    ARMCI_Barrier();
    int status = me == 0 || checks_failed ? check_result() : 0;
    ARMCI_Finalize();
    return status;
}
