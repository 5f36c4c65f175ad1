// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for and testing words: every type, every comparison, signed and unsigned; sets with and
// without status, against one value and a vector; empty sets; fairness; the deprecated waits. In
// the ring, prev writes this PE's words.
#include "check.h"

#define N 8

static uint64_t words_area[N + 1];
static int turn;

/** prev has finished the previous round, so this PE may change its own words; and vice versa. */
static void meet(void)
{
    shmem_barrier_all();
}

typedef struct compare {
    int op;
    int less, equal, greater;  // results when the word is less than, equal to, greater than
                               // the value
} compare_t;
static const compare_t compares[] = {{SHMEM_CMP_EQ, 0, 1, 0}, {SHMEM_CMP_NE, 1, 0, 1},
                                     {SHMEM_CMP_GT, 0, 0, 1}, {SHMEM_CMP_GE, 0, 1, 1},
                                     {SHMEM_CMP_LT, 1, 0, 0}, {SHMEM_CMP_LE, 1, 1, 0}};

// Ordered by type: the extremes distinguish a signed comparison from an unsigned one and a narrow
// one from a wide one.
#define SMALLEST(T) ((T)-1 < (T)1 ? (T)((T)1 << (sizeof(T) * 8 - 2)) * -2 : (T)0)
#define LARGEST(T) ((T)~SMALLEST(T))

#define ONE(N_, T)                                                                       \
    {                                                                                    \
        T *w = (T *)(void *)words_area;                                                  \
        const T order[] = {SMALLEST(T), (T)(SMALLEST(T) + 1), 5, 6, (T)(LARGEST(T) - 1), \
                           LARGEST(T)};                                                  \
        for (int c = 0; c < 6; c++)                                                      \
            for (int i = 0; i < 6; i++)                                                  \
                for (int j = 0; j < 6; j++) {                                            \
                    compare_t o = compares[c];                                           \
                    int expected = i < j ? o.less : i == j ? o.equal : o.greater;        \
                    w[0] = order[i];                                                     \
                    CHECK(shmem_##N_##_test(w, o.op, order[j]) == expected,              \
                          "shmem_" #N_ "_test %d: %d %d", o.op, i, j);                   \
                    if (expected)                                                        \
                        shmem_##N_##_wait_until(w, o.op, order[j]);                      \
                }                                                                        \
        w[0] = w[1] = 0;                                                                 \
        meet();                                                                          \
        shmem_##N_##_p(&w[0], 3, next);                                                  \
        shmem_##N_##_wait_until(&w[0], SHMEM_CMP_EQ, 3);                                 \
        shmem_##N_##_p(&w[1], LARGEST(T), next);                                         \
        while (!shmem_##N_##_test(&w[1], SHMEM_CMP_GT, 7))                               \
            continue;                                                                    \
        CHECK(w[1] == LARGEST(T), "shmem_" #N_ "_test came back early");                 \
        meet();                                                                          \
    }

static void one(void)
{
    AMO_TYPES(ONE)
    ONE(short, short) ONE(ushort, unsigned short)
}

#define OLD_WAIT(N_, T)                                                      \
    {                                                                        \
        T *w = (T *)(void *)words_area;                                      \
        w[0] = 9;                                                            \
        meet();                                                              \
        shmem_##N_##_p(&w[0], -4, next);                                     \
        shmem_##N_##_wait(&w[0], 9);                                         \
        CHECK(w[0] == -4, "shmem_" #N_ "_wait returned at %ld", (long)w[0]); \
        meet();                                                              \
    }

static void old_waits(void)
{
    OLD_WAIT(short, short) OLD_WAIT(int, int) OLD_WAIT(long, long) OLD_WAIT(longlong, long long)
}

static void old_names(void)
{
    long *w = (long *)(void *)words_area;
    w[0] = w[1] = 0;
    meet();
    shmem_long_p(&w[0], 1, next);
    shmem_wait(&w[0], 0);
    shmem_long_p(&w[1], 2, next);
    (shmem_wait_until)(&w[1], SHMEM_CMP_GE, 2);  // the function, not the type-generic macro
    CHECK(w[0] == 1 && w[1] == 2, "shmem_wait, shmem_wait_until");
    meet();
}

static size_t indices[N];

/** Marks the indices of a set and counts them; each may come only once. */
static size_t mark(const char *call, int *marks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK(indices[i] < N && !marks[indices[i]], "%s gave index %zu again", call, indices[i]);
        marks[indices[i] % N] = 1;
    }
    return count;
}

// Words 0..N-1 start at 0; prev writes 10+i to those of `mine`, and the wait set leaves out the
// others.
#define SETS(N_, T, FORM, VALUE_)                                                               \
    {                                                                                           \
        T *w = (T *)(void *)words_area;                                                         \
        T values[N];                                                                            \
        (void)values;                                                                           \
        for (int masked = 0; masked < 2; masked++) {                                            \
            int status[N], marks[N] = {0};                                                      \
            size_t found = 0, in_set = 0;                                                       \
            for (int i = 0; i < N; i++) {                                                       \
                w[i] = 0;                                                                       \
                values[i] = (T)(10 + i);                                                        \
                status[i] = masked && i % 3 == 1;                                               \
                in_set += !status[i];                                                           \
            }                                                                                   \
            const int *mask = masked ? status : NULL;                                           \
            CHECK(shmem_##N_##_test_all##FORM(w, N, mask, SHMEM_CMP_GE, VALUE_) == 0,           \
                  "test_all before");                                                           \
            CHECK(shmem_##N_##_test_any##FORM(w, N, mask, SHMEM_CMP_GE, VALUE_) == SIZE_MAX,    \
                  "test_any before");                                                           \
            CHECK(shmem_##N_##_test_some##FORM(w, N, indices, mask, SHMEM_CMP_GE, VALUE_) == 0, \
                  "test_some before");                                                          \
            meet();                                                                             \
            for (int i = 0; i < N; i++)                                                         \
                if (!status[i])                                                                 \
                    shmem_##N_##_p(&w[i], (T)(10 + i), next);                                   \
            size_t any = shmem_##N_##_wait_until_any##FORM(w, N, mask, SHMEM_CMP_GE, VALUE_);   \
            CHECK(any < N && !status[any % N] && w[any % N] == (T)(10 + any),                   \
                  "wait_until_any gave %zu", any);                                              \
            while (found < in_set) {                                                            \
                int left[N];                                                                    \
                for (int i = 0; i < N; i++)                                                     \
                    left[i] = status[i] || marks[i];                                            \
                found += mark("shmem_" #N_ "_wait_until_some" #FORM, marks,                     \
                              shmem_##N_##_wait_until_some##FORM(w, N, indices, left,           \
                                  SHMEM_CMP_GE, VALUE_));                                       \
            }                                                                                   \
            shmem_##N_##_wait_until_all##FORM(w, N, mask, SHMEM_CMP_GE, VALUE_);                \
            for (int i = 0; i < N; i++)                                                         \
                CHECK(w[i] == (T)(status[i] ? 0 : 10 + i),                                      \
                      "after wait_until_all word %d of " #N_ " is wrong", i);                   \
            CHECK(shmem_##N_##_test_all##FORM(w, N, mask, SHMEM_CMP_GE, VALUE_) == 1,           \
                  "test_all after");                                                            \
            memset(marks, 0, sizeof(marks));                                                    \
            CHECK(mark("test_some", marks,                                                      \
                       shmem_##N_##_test_some##FORM(w, N, indices, mask, SHMEM_CMP_GE,          \
                                                    VALUE_)) == in_set,                         \
                  "test_some after");                                                           \
            memset(marks, 0, sizeof(marks));                                                    \
            for (int k = 0; k < 2 * N; k++) {                                                   \
                any = shmem_##N_##_test_any##FORM(w, N, mask, SHMEM_CMP_GE, VALUE_);            \
                CHECK(any < N && !status[any % N], "test_any gave %zu", any);                   \
                marks[any % N] = 1;                                                             \
            }                                                                                   \
            for (int i = 0; i < N; i++)                                                         \
                CHECK(marks[i] == !status[i], "a series of test_any never gave %d", i);         \
            meet();                                                                             \
        }                                                                                       \
    }
#define SETS_VALUE(N_, T) SETS(N_, T, , 10)
#define SETS_VECTOR(N_, T) SETS(N_, T, _vector, values)

static void sets(void)
{
    AMO_TYPES(SETS_VALUE)
}

static void vectors(void)
{
    AMO_TYPES(SETS_VECTOR)
}

/** Empty sets: each call returns at once. */
static void empty_sets(void)
{
    int *w = (int *)(void *)words_area;
    int none[N], values[N] = {0};
    for (int i = 0; i < N; i++)
        none[i] = 1;
    w[0] = 0;
    for (size_t n = 0; n <= N; n += N) {
        const int *mask = n ? none : NULL;
        shmem_int_wait_until_all(w, n, mask, SHMEM_CMP_EQ, 1);
        shmem_int_wait_until_all_vector(w, n, mask, SHMEM_CMP_GT, values);
        CHECK(shmem_int_wait_until_any(w, n, mask, SHMEM_CMP_EQ, 1) == SIZE_MAX,
              "wait_until_any of nothing");
        CHECK(shmem_int_wait_until_any_vector(w, n, mask, SHMEM_CMP_GT, values) == SIZE_MAX,
              "any_vector of nothing");
        CHECK(shmem_int_wait_until_some(w, n, indices, mask, SHMEM_CMP_EQ, 1) == 0,
              "wait_until_some of nothing");
        CHECK(shmem_int_wait_until_some_vector(w, n, indices, mask, SHMEM_CMP_GT, values) == 0,
              "some_vector of nothing");
        CHECK(shmem_int_test_all(w, n, mask, SHMEM_CMP_EQ, 1) == 1, "test_all of nothing");
        CHECK(shmem_int_test_all_vector(w, n, mask, SHMEM_CMP_GT, values) == 1,
              "test_all_vector of nothing");
        CHECK(shmem_int_test_any(w, n, mask, SHMEM_CMP_EQ, 1) == SIZE_MAX, "test_any of nothing");
        CHECK(shmem_int_test_any_vector(w, n, mask, SHMEM_CMP_GT, values) == SIZE_MAX,
              "test_any_vector of nothing");
        CHECK(shmem_int_test_some(w, n, indices, mask, SHMEM_CMP_EQ, 1) == 0,
              "test_some of nothing");
        CHECK(shmem_int_test_some_vector(w, n, indices, mask, SHMEM_CMP_GT, values) == 0,
              "some_vector of nothing");
    }
}

/** A token in the ring: each hop is a wait, and its data must be there when its flag is. */
static void token(void)
{
    static int data[16];
    turn = 0;
    meet();
    for (int lap = 1; lap <= 50; lap++) {
        if (me != 0 || lap > 1)
            shmem_int_wait_until(&turn, SHMEM_CMP_EQ, me == 0 ? lap - 1 : lap);
        if (me != 0)
            CHECK(data[15] == lap * 3 + prev, "data of lap %d is %d", lap, data[15]);
        int out[16];
        for (int i = 0; i < 16; i++)
            out[i] = lap * 3 + me;
        shmem_int_put(data, out, 16, next);
        shmem_fence();
        shmem_int_p(&turn, lap, next);
    }
    meet();
}

int main(void)
{
    check_begin();
    one();
    old_waits();
    old_names();
    sets();
    vectors();
    empty_sets();
    token();
    return check_end();
}
