// SPDX-License-Identifier: BSD-3-Clause
//
// Every wait and test by itself, for each type. One PE waits, another one writes its words; the
// roles rotate. See every.h.
#include "every.h"

#define WORDS 4
static uint64_t word_room[WORDS];
static const int status[WORDS] = {0, 0, 1, 0};  // the third word is excluded
static size_t indices[WORDS];

static int waiter(void)
{
    return (int)(turn % npes);
}

/** Sets the waiter's words to 0 and synchronises; then a peer writes their values, the last one
 *  first, so that for a while not all words have theirs. */
#define WORDS_ARRIVE(T, V0, V1, V3)                                    \
    T *w = (T *)(void *)word_room;                                     \
    bool right = true;                                                 \
    memset(word_room, 0, sizeof(word_room));                           \
    pshmem_barrier_all();                                              \
    if (me == (waiter() + 1) % npes) {                                 \
        const T values[WORDS] = {V0, V1, 0, V3};                       \
        for (int i = WORDS - 1; i >= 0; i--) {                         \
            nap();                                                     \
            if (values[i])                                             \
                pshmem_putmem(&w[i], &values[i], sizeof(T), waiter()); \
        }                                                              \
    }

#define DEFINE_WAIT(FN, T, V0, V1, V3, SEEN, ...) \
    static bool check_##FN(void)                  \
    {                                             \
        WORDS_ARRIVE(T, V0, V1, V3)               \
        if (me == waiter()) {                     \
            FN(__VA_ARGS__);                      \
            volatile T *v = w;                    \
            right = SEEN;                         \
        }                                         \
        pshmem_barrier_all();                     \
        return right;                             \
    }
#define DEFINE_RETURNS(FN, T, V0, V1, V3, RETURNS, ...) \
    static bool check_##FN(void)                        \
    {                                                   \
        static const T vector[WORDS] = {5, 6, 7, 8};    \
        (void)vector;                                   \
        WORDS_ARRIVE(T, V0, V1, V3)                     \
        if (me == waiter()) {                           \
            size_t got = (size_t)FN(__VA_ARGS__);       \
            right = RETURNS;                            \
        }                                               \
        pshmem_barrier_all();                           \
        return right;                                   \
    }
// Tests examine words that no longer change, and are called twice: once when the result is yes, and
// once when it is no.
#define DEFINE_TEST(FN, T, YES, NO, ...)                             \
    static bool check_##FN(void)                                     \
    {                                                                \
        T *w = (T *)(void *)word_room, vector[WORDS] = {5, 6, 7, 8}; \
        for (int i = 0; i < WORDS; i++)                              \
            w[i] = (T)(5 + i);                                       \
        bool right = FN(__VA_ARGS__) == (YES);                       \
        w[0] = w[1] = w[3] = 1;                                      \
        right = right && FN(__VA_ARGS__) == (NO);                    \
        (void)vector;                                                \
        return right;                                                \
    }
#define ENTRY_WAIT(FN, ...) ENTRY_IN_TABLE(FN)
#define ENTRY_RETURNS(FN, ...) ENTRY_IN_TABLE(FN)
#define ENTRY_TEST(FN, ...) ENTRY_IN_TABLE(FN)

#define ONE(K, N, T)                                                            \
    K##_WAIT(shmem_##N##_wait_until, T, 5, 6, 8, v[0] == 5, w, SHMEM_CMP_GT, 4) \
    K##_TEST(shmem_##N##_test, T, 1, 0, w, SHMEM_CMP_EQ, 5)
#define SETS(K, N, T)                                                                             \
    K##_WAIT(shmem_##N##_wait_until_all, T, 5, 6, 8, v[0] == 5 && v[1] == 6 && v[3] == 8, w,      \
             WORDS, status, SHMEM_CMP_GE, 5)                                                      \
    K##_WAIT(shmem_##N##_wait_until_all_vector, T, 5, 6, 8, v[0] == 5 && v[1] == 6 && v[3] == 8,  \
             w, WORDS, status, SHMEM_CMP_EQ, ((const T[]){5, 6, 7, 8}))                           \
    K##_RETURNS(shmem_##N##_wait_until_any, T, 0, 6, 0, got == 1, w, WORDS, status, SHMEM_CMP_EQ, \
                6)                                                                                \
    K##_RETURNS(shmem_##N##_wait_until_any_vector, T, 0, 0, 8, got == 3, w, WORDS, status,        \
                SHMEM_CMP_EQ, vector)                                                             \
    K##_RETURNS(shmem_##N##_wait_until_some, T, 0, 6, 0, got == 1 && indices[0] == 1, w, WORDS,   \
                indices, status, SHMEM_CMP_NE, 0)                                                 \
    K##_RETURNS(shmem_##N##_wait_until_some_vector, T, 5, 0, 0, got == 1 && indices[0] == 0, w,   \
                WORDS, indices, status, SHMEM_CMP_EQ, vector)                                     \
    K##_TEST(shmem_##N##_test_all, T, 1, 0, w, WORDS, status, SHMEM_CMP_GE, 5)                    \
    K##_TEST(shmem_##N##_test_all_vector, T, 1, 0, w, WORDS, status, SHMEM_CMP_EQ, vector)        \
    K##_TEST(shmem_##N##_test_any, T, 3, SIZE_MAX, w, WORDS, status, SHMEM_CMP_EQ, 8)             \
    K##_TEST(shmem_##N##_test_any_vector, T, 1, SIZE_MAX, w, WORDS, ((const int[]){1, 0, 1, 1}),  \
             SHMEM_CMP_EQ, vector)                                                                \
    K##_TEST(shmem_##N##_test_some, T, 3, 0, w, WORDS, indices, status, SHMEM_CMP_GE, 5)          \
    K##_TEST(shmem_##N##_test_some_vector, T, 3, 0, w, WORDS, indices, status, SHMEM_CMP_EQ,      \
             vector)
#define OLD_WAIT(K, N, T) K##_WAIT(shmem_##N##_wait, T, 5, 6, 8, v[0] == 5, w, 0)
#define SHORTS(X) X(short, short) X(ushort, unsigned short)
#define WAIT_TYPES(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)

/** The function itself, which C11 hides behind a type-generic macro. */
static bool check_shmem_wait_until(void)
{
    WORDS_ARRIVE(long, -5, 0, 0)
    if (me == waiter()) {
        (shmem_wait_until)(w, SHMEM_CMP_LT, -1);
        right = *(volatile long *)w == -5;
    }
    pshmem_barrier_all();
    return right;
}

#define DEFINE_ONE(N, T) ONE(DEFINE, N, T)
#define DEFINE_SETS(N, T) SETS(DEFINE, N, T)
#define DEFINE_OLD(N, T) OLD_WAIT(DEFINE, N, T)
#define ENTRY_ONE(N, T) ONE(ENTRY, N, T)
#define ENTRY_SETS(N, T) SETS(ENTRY, N, T)
#define ENTRY_OLD(N, T) OLD_WAIT(ENTRY, N, T)

// clang-format off
AMO_TYPES(DEFINE_ONE)
SHORTS(DEFINE_ONE)
AMO_TYPES(DEFINE_SETS)
SHORTS(DEFINE_SETS)
WAIT_TYPES(DEFINE_OLD)
DEFINE_WAIT(shmem_wait, long, 5, 6, 8, v[0] == 5, w, 0)

static const check_t checks[] = {
    AMO_TYPES(ENTRY_ONE) SHORTS(ENTRY_ONE) AMO_TYPES(ENTRY_SETS) SHORTS(ENTRY_SETS)
    WAIT_TYPES(ENTRY_OLD)
    ENTRY_IN_TABLE(shmem_wait) ENTRY_IN_TABLE(shmem_wait_until)
};
// clang-format on

int main(int argc, char **argv)
{
    return every_main(argc, argv, checks, sizeof(checks) / sizeof(checks[0]));
}
