// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics: what each returns and leaves, for every type and form; then that no update is lost when
// all PEs use one word.
#include "check.h"

#define CTX SHMEM_CTX_DEFAULT

// Each PE works on its own word of the next PE's array, so the expected values are exact.
#define RETURNED(call, expected, ...) CHECK((call) == (expected), __VA_ARGS__)

#define LEFT(N, T, expected, name) \
    CHECK(shmem_##N##_atomic_fetch(&w[me], next) == (expected), "%s left a wrong value", name)

#define EXTENDED(N, T)                                                                     \
    {                                                                                      \
        T *w = (T *)area, f = 0;                                                           \
        const T a = VALUE(T, 5), b = VALUE(T, 6), c = VALUE(T, 7);                         \
        shmem_##N##_atomic_set(&w[me], a, next);                                           \
        shmem_quiet();                                                                     \
        LEFT(N, T, a, "shmem_" #N "_atomic_set");                                          \
        shmem_ctx_##N##_atomic_set(CTX, &w[me], b, next);                                  \
        shmem_quiet();                                                                     \
        RETURNED(shmem_ctx_##N##_atomic_fetch(CTX, &w[me], next), b,                       \
                 "shmem_ctx_" #N "_atomic_fetch");                                         \
        RETURNED(shmem_##N##_atomic_swap(&w[me], c, next), b, "shmem_" #N "_atomic_swap"); \
        RETURNED(shmem_ctx_##N##_atomic_swap(CTX, &w[me], a, next), c,                     \
                 "shmem_ctx_" #N "_atomic_swap");                                          \
        LEFT(N, T, a, "shmem_ctx_" #N "_atomic_swap");                                     \
        NBI(shmem_##N##_atomic_fetch_nbi(&f, &w[me], next), f, a);                         \
        NBI(shmem_ctx_##N##_atomic_fetch_nbi(CTX, &f, &w[me], next), f, a);                \
        NBI(shmem_##N##_atomic_swap_nbi(&f, &w[me], b, next), f, a);                       \
        NBI(shmem_ctx_##N##_atomic_swap_nbi(CTX, &f, &w[me], c, next), f, b);              \
        LEFT(N, T, c, "shmem_ctx_" #N "_atomic_swap_nbi");                                 \
    }

#define NBI(call, f, expected)                                \
    f = 0;                                                    \
    call;                                                     \
    shmem_quiet();                                            \
    CHECK(f == (expected), "after quiet: " #call)

#define STANDARD(N, T)                                                                      \
    {                                                                                       \
        T *w = (T *)area, f = 0, v = VALUE(T, 3), d = 77;                                   \
        shmem_##N##_atomic_set(&w[me], v, next);                                            \
        shmem_quiet();                                                                      \
        RETURNED(shmem_##N##_atomic_fetch_add(&w[me], d, next), v,                          \
                 "shmem_" #N "_atomic_fetch_add");                                          \
        RETURNED(shmem_ctx_##N##_atomic_fetch_add(CTX, &w[me], d, next), (T)(v + d),        \
                 "ctx " #N " fetch_add");                                                   \
        RETURNED(shmem_##N##_atomic_fetch_inc(&w[me], next), (T)(v + 2 * d),                \
                 "shmem_" #N "_atomic_fetch_inc");                                          \
        RETURNED(shmem_ctx_##N##_atomic_fetch_inc(CTX, &w[me], next), (T)(v + 2 * d + 1),   \
                 "ctx " #N " fetch_inc");                                                   \
        shmem_##N##_atomic_add(&w[me], d, next);                                            \
        shmem_ctx_##N##_atomic_add(CTX, &w[me], d, next);                                   \
        shmem_##N##_atomic_inc(&w[me], next);                                               \
        shmem_ctx_##N##_atomic_inc(CTX, &w[me], next);                                      \
        shmem_quiet();                                                                      \
        v = (T)(v + 4 * d + 4);                                                             \
        LEFT(N, T, v, "add and inc of " #N);                                                \
        NBI(shmem_##N##_atomic_fetch_add_nbi(&f, &w[me], 1, next), f, v);                   \
        NBI(shmem_ctx_##N##_atomic_fetch_add_nbi(CTX, &f, &w[me], 1, next), f, (T)(v + 1)); \
        NBI(shmem_##N##_atomic_fetch_inc_nbi(&f, &w[me], next), f, (T)(v + 2));             \
        NBI(shmem_ctx_##N##_atomic_fetch_inc_nbi(CTX, &f, &w[me], next), f, (T)(v + 3));    \
        v = (T)(v + 4);                                                                     \
        RETURNED(shmem_##N##_atomic_compare_swap(&w[me], v, d, next), v,                    \
                 "a compare_swap that matches, " #N);                                       \
        RETURNED(shmem_##N##_atomic_compare_swap(&w[me], v, 9, next), d,                    \
                 "a compare_swap that differs, " #N);                                       \
        RETURNED(shmem_ctx_##N##_atomic_compare_swap(CTX, &w[me], d, v, next), d,           \
                 "ctx compare_swap, " #N);                                                  \
        NBI(shmem_##N##_atomic_compare_swap_nbi(&f, &w[me], d, 9, next), f, v);             \
        NBI(shmem_ctx_##N##_atomic_compare_swap_nbi(CTX, &f, &w[me], v, d, next), f, v);    \
        LEFT(N, T, d, "compare_swap of " #N);                                               \
        shmem_##N##_atomic_set(&w[me], 0, next);                                            \
        shmem_quiet();                                                                      \
        shmem_##N##_atomic_add(&w[me], (T)-1, next);                                        \
        shmem_quiet();                                                                      \
        LEFT(N, T, (T)-1, "adding -1 to 0 of " #N);                                         \
    }

#define BITWISE(N, T)                              \
    {                                              \
        T *w = (T *)area, f = 0, v = VALUE(T, 11); \
        const T m = VALUE(T, 12);                  \
        shmem_##N##_atomic_set(&w[me], v, next);   \
        shmem_quiet();                             \
        BIT(N, T, and, &)                          \
        BIT(N, T, or, |)                           \
        BIT(N, T, xor, ^)                          \
    }
#define BIT(N, T, OP, SIGN)                                                                        \
    RETURNED(shmem_##N##_atomic_fetch_##OP(&w[me], m, next), v, "shmem_" #N "_atomic_fetch_" #OP); \
    v = v SIGN m;                                                                                  \
    RETURNED(shmem_ctx_##N##_atomic_fetch_##OP(CTX, &w[me], v, next), v,                           \
             "shmem_ctx_" #N "_atomic_fetch_" #OP);                                                \
    v = v SIGN v;                                                                                  \
    shmem_##N##_atomic_set(&w[me], v = VALUE(T, 13), next);                                        \
    shmem_quiet();                                                                                 \
    shmem_##N##_atomic_##OP(&w[me], m, next);                                                      \
    shmem_quiet();                                                                                 \
    LEFT(N, T, v = v SIGN m, "shmem_" #N "_atomic_" #OP);                                          \
    shmem_ctx_##N##_atomic_##OP(CTX, &w[me], 0x55, next);                                          \
    shmem_quiet();                                                                                 \
    LEFT(N, T, v = v SIGN 0x55, "shmem_ctx_" #N "_atomic_" #OP);                                   \
    NBI(shmem_##N##_atomic_fetch_##OP##_nbi(&f, &w[me], m, next), f, v);                           \
    v = v SIGN m;                                                                                  \
    NBI(shmem_ctx_##N##_atomic_fetch_##OP##_nbi(CTX, &f, &w[me], m, next), f, v);                  \
    v = v SIGN m;                                                                                  \
    LEFT(N, T, v, "fetch_" #OP "_nbi of " #N);

#define OLD_EXTENDED(N, T)                                                                       \
    {                                                                                            \
        T *w = (T *)area;                                                                        \
        shmem_##N##_set(&w[me], VALUE(T, 1), next);                                              \
        shmem_quiet();                                                                           \
        RETURNED(shmem_##N##_swap(&w[me], VALUE(T, 2), next), VALUE(T, 1), "shmem_" #N "_swap"); \
        RETURNED(shmem_##N##_fetch(&w[me], next), VALUE(T, 2), "shmem_" #N "_fetch");            \
    }
#define OLD(N, T)                                                                   \
    {                                                                               \
        T *w = (T *)area;                                                           \
        shmem_##N##_set(&w[me], 10, next);                                          \
        shmem_quiet();                                                              \
        RETURNED(shmem_##N##_fadd(&w[me], 5, next), 10, "shmem_" #N "_fadd");       \
        RETURNED(shmem_##N##_finc(&w[me], next), 15, "shmem_" #N "_finc");          \
        shmem_##N##_add(&w[me], 4, next);                                           \
        shmem_##N##_inc(&w[me], next);                                              \
        shmem_quiet();                                                              \
        RETURNED(shmem_##N##_cswap(&w[me], 21, 3, next), 21, "shmem_" #N "_cswap"); \
        RETURNED(shmem_##N##_fetch(&w[me], next), 3, "shmem_" #N "_cswap left");    \
    }

static uint64_t words[64];
static void *area = words;

// clang-format off
static void forms(void)
{
    AMO_EXTENDED_TYPES(EXTENDED)
    AMO_TYPES(STANDARD)
}

static void bits_and_old_names(void)
{
    AMO_BITWISE_TYPES(BITWISE)
    OLD_EXTENDED(float, float) OLD_EXTENDED(double, double)
    OLD_EXTENDED(int, int) OLD_EXTENDED(long, long) OLD_EXTENDED(longlong, long long)
    OLD(int, int) OLD(long, long) OLD(longlong, long long)
}
// clang-format on

/** All PEs, including the owner, update words of every PE: no update is lost, every fetched value
 *  is seen once. */
static void contention(void)
{
    enum { ROUNDS = 300 };
    static long counter, chosen;
    static unsigned int small;
    static uint64_t bits;
    static int seen[ROUNDS * 64];
    counter = chosen = 0;
    small = 0;
    bits = 0;
    memset(seen, 0, sizeof(seen));
    shmem_barrier_all();
    for (int i = 0; i < ROUNDS; i++) {
        long ticket = shmem_long_atomic_fetch_inc(&counter, 0);
        CHECK(ticket >= 0 && ticket < (long)ROUNDS * npes, "ticket %ld", ticket);
        shmem_int_atomic_inc(&seen[ticket % (ROUNDS * 64)], 0);
        for (int pe = 0; pe < npes; pe++)
            shmem_uint_atomic_add(&small, 3, pe);
        shmem_uint64_atomic_xor(&bits, UINT64_C(1) << me, next);
        long was = chosen, now;
        do
            now = was;
        while ((was = shmem_long_atomic_compare_swap(&chosen, now, now + 1, 0)) != now);
    }
    shmem_barrier_all();
    CHECK(small == 3u * ROUNDS * (unsigned)npes, "%u of %u added", small,
          3u * ROUNDS * (unsigned)npes);
    CHECK(bits == 0, "an even number of xors left %#lx", (unsigned long)bits);
    if (me == 0) {
        CHECK(counter == (long)ROUNDS * npes, "counter is %ld", counter);
        CHECK(chosen == (long)ROUNDS * npes, "%ld compare_swaps won", chosen);
        for (int i = 0; i < ROUNDS * npes; i++)
            CHECK(seen[i] == 1, "ticket %d was drawn %d times", i, seen[i]);
    }
    shmem_barrier_all();
}

int main(void)
{
    check_begin();
    uint64_t *heap = shmem_malloc(sizeof(words));
    for (int where = 0; where < 2; where++) {
        area = where ? heap : words;
        forms();
        bits_and_old_names();
    }
    shmem_barrier_all();
    contention();
    shmem_free(heap);
    return check_end();
}
