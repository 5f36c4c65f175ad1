// SPDX-License-Identifier: BSD-3-Clause
//
// Every atomic operation of every family: values with every flag, wrapping, and, where they are
// atomic, races between threads, message passing by release and acquire, and a store buffer test of
// the full fence.
#include <gasnet_tools.h>
#include <pthread.h>

#include "frame/check.h"

static const int flags[] = {GASNETT_ATOMIC_NONE,
                            GASNETT_ATOMIC_RMB_PRE,
                            GASNETT_ATOMIC_WMB_PRE,
                            GASNETT_ATOMIC_MB_PRE,
                            GASNETT_ATOMIC_RMB_POST,
                            GASNETT_ATOMIC_WMB_POST,
                            GASNETT_ATOMIC_MB_POST,
                            GASNETT_ATOMIC_RMB_POST_IF_TRUE,
                            GASNETT_ATOMIC_RMB_POST_IF_FALSE,
                            GASNETT_ATOMIC_REL | GASNETT_ATOMIC_ACQ,
                            GASNETT_ATOMIC_ACQ_IF_TRUE | GASNETT_ATOMIC_ACQ_IF_FALSE |
                                GASNETT_ATOMIC_MB_PRE};
enum { NFLAGS = sizeof flags / sizeof *flags };

#define TEST_FAMILY(family, uint, max)                                   \
    static family##_t family##_initialized = family##_init(41);          \
    static void family##_values(void)                                    \
    {                                                                    \
        CHECK(family##_read(&family##_initialized, 0) == 41);            \
        for (int i = 0; i < NFLAGS; i++) {                               \
            const int f = flags[i];                                      \
            family##_t x;                                                \
            family##_set(&x, 7, f);                                      \
            CHECK(family##_read(&x, f) == 7);                            \
            CHECK(family##_add(&x, 5, f) == 12);                         \
            CHECK(family##_subtract(&x, 2, f) == 10);                    \
            family##_increment(&x, f);                                   \
            CHECK(family##_read(&x, f) == 11);                           \
            family##_decrement(&x, f);                                   \
            CHECK(family##_read(&x, f) == 10);                           \
            CHECK(family##_swap(&x, 2, f) == 10);                        \
            CHECK(!family##_compare_and_swap(&x, 3, 9, f));              \
            CHECK(family##_read(&x, f) == 2);                            \
            CHECK(family##_compare_and_swap(&x, 2, 9, f));               \
            CHECK(family##_read(&x, f) == 9);                            \
            family##_set(&x, 2, f);                                      \
            CHECK(!family##_decrement_and_test(&x, f));                  \
            CHECK(family##_decrement_and_test(&x, f));                   \
            CHECK(!family##_decrement_and_test(&x, f)); /* wraps */      \
            CHECK(family##_read(&x, f) == max);                          \
            CHECK(family##_add(&x, 1, f) == 0);                          \
            CHECK(family##_subtract(&x, 1, f) == max);                   \
            CHECK(family##_compare_and_swap(&x, (uint)-1, (uint)-2, f)); \
            CHECK(family##_swap(&x, 0, f) == (uint)-2);                  \
        }                                                                \
    }

TEST_FAMILY(gasnett_atomic, gasnett_atomic_val_t, GASNETT_ATOMIC_MAX)
TEST_FAMILY(gasnett_atomic32, uint32_t, UINT32_MAX)
TEST_FAMILY(gasnett_atomic64, uint64_t, UINT64_MAX)
TEST_FAMILY(gasnett_strongatomic, gasnett_atomic_val_t, GASNETT_ATOMIC_MAX)
TEST_FAMILY(gasnett_strongatomic32, uint32_t, UINT32_MAX)
TEST_FAMILY(gasnett_strongatomic64, uint64_t, UINT64_MAX)

static void test_signed(void)
{
    gasnett_atomic_t x = gasnett_atomic_init((gasnett_atomic_val_t)-5);
    CHECK(gasnett_atomic_signed(gasnett_atomic_read(&x, 0)) == -5);
    gasnett_atomic_set(&x, (gasnett_atomic_val_t)GASNETT_ATOMIC_SIGNED_MAX, 0);
    gasnett_atomic_sval_t wrapped = gasnett_atomic_signed(gasnett_atomic_add(&x, 1, 0));
    CHECK(wrapped == GASNETT_ATOMIC_SIGNED_MIN);
    CHECK(GASNETT_HAVE_ATOMIC_ADD_SUB && GASNETT_HAVE_ATOMIC_CAS);
    CHECK(GASNETT_HAVE_STRONGATOMIC_ADD_SUB && GASNETT_HAVE_STRONGATOMIC_CAS);
}

/** Storage declared as another scalar type of the width. */
static void test_casts(void)
{
    int64_t whole = 5;
    double real;
    float single;
    uint64_t bits;
    CHECK(gasnett_atomic64_add((gasnett_atomic64_t *)&whole, (uint64_t)-6, 0) == UINT64_MAX);
    CHECK(whole == -1);
    const double half = 0.5;
    memcpy(&bits, &half, sizeof bits);
    gasnett_strongatomic64_set((gasnett_strongatomic64_t *)(void *)&real, bits, 0);
    CHECK(real == 0.5);
    gasnett_atomic32_set((gasnett_atomic32_t *)(void *)&single, 0x40000000u, 0);
    CHECK(single == 2.0f);
    CHECK(sizeof(gasnett_atomic32_t) == 4 && sizeof(gasnett_atomic64_t) == 8);
}

// ---------------------------------------------------------------- several threads
#if defined(GASNETT_THREAD_SAFE)
enum { NTHREADS = 4, ROUNDS = 20000, MESSAGES = 20000, BUFFERS = 3000 };

static gasnett_atomic_t count32 = gasnett_atomic_init(0),
                        left = gasnett_atomic_init(NTHREADS * ROUNDS);
static gasnett_atomic64_t count64 = gasnett_atomic64_init(0);
static gasnett_strongatomic32_t zeros = gasnett_strongatomic32_init(0);
static gasnett_atomic_t lock = gasnett_atomic_init(0);
static uint64_t locked;

static void *race(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        gasnett_atomic_increment(&count32, 0);
        gasnett_atomic64_add(&count64, UINT64_C(1) << 32 | 1, 0);
        if (gasnett_atomic_decrement_and_test(&left, 0))
            gasnett_strongatomic32_increment(&zeros, 0);
        while (!gasnett_atomic_compare_and_swap(&lock, 0, 1, GASNETT_ATOMIC_ACQ_IF_TRUE))
            gasnett_sched_yield();
        locked++;
        gasnett_atomic_set(&lock, 0, GASNETT_ATOMIC_REL);
    }
    return NULL;
}

static uint64_t payload[64];
static gasnett_atomic_t sent = gasnett_atomic_init(0), taken = gasnett_atomic_init(0);

static void *receive(void *arg)
{
    for (gasnett_atomic_val_t i = 1; i <= MESSAGES; i++) {
        while (gasnett_atomic_read(&sent, GASNETT_ATOMIC_ACQ) != i)
            gasnett_sched_yield();
        for (int k = 0; k < 64; k += 9)
            *(int *)arg += payload[k] != i;
        gasnett_atomic_set(&taken, i, GASNETT_ATOMIC_REL);
    }
    return NULL;
}

static int messages_torn(void)
{
    int torn = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, receive, &torn);
    for (gasnett_atomic_val_t i = 1; i <= MESSAGES; i++) {
        for (int k = 0; k < 64; k += 9)
            payload[k] = i;
        gasnett_atomic_set(&sent, i, GASNETT_ATOMIC_REL);
        while (gasnett_atomic_read(&taken, GASNETT_ATOMIC_ACQ) != i)
            gasnett_sched_yield();
    }
    pthread_join(thread, NULL);
    return torn;
}

// Two threads set a flag and read the other's: with full fences at least one sees it.
static gasnett_atomic_t flag[2], seen[2];
static pthread_barrier_t together;

static void *store_then_load(void *arg)
{
    int id = (int)(intptr_t)arg;
    for (int i = 0; i < BUFFERS; i++) {
        gasnett_atomic_set(&flag[id], 0, 0);
        pthread_barrier_wait(&together);
        gasnett_atomic_set(&flag[id], 1, i % 2 ? GASNETT_ATOMIC_WMB_POST : 0);
        if (i % 2 == 0)
            gasnett_local_mb();
        gasnett_atomic_set(&seen[id], gasnett_atomic_read(&flag[!id], 0), 0);
        pthread_barrier_wait(&together);
        CHECK(id == 1 || gasnett_atomic_read(&seen[0], 0) || gasnett_atomic_read(&seen[1], 0));
        pthread_barrier_wait(&together);
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[NTHREADS];
    for (int i = 0; i < NTHREADS; i++)
        pthread_create(&threads[i], NULL, race, NULL);
    for (int i = 0; i < NTHREADS; i++)
        pthread_join(threads[i], NULL);
    const uint64_t all = NTHREADS * ROUNDS;
    CHECK(gasnett_atomic_read(&count32, 0) == all);
    CHECK(gasnett_atomic64_read(&count64, 0) == (all << 32 | all));
    CHECK(gasnett_strongatomic32_read(&zeros, 0) == 1);
    CHECK(locked == all);
    CHECK(messages_torn() == 0);
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&threads[0], NULL, store_then_load, (void *)(intptr_t)0);
    pthread_create(&threads[1], NULL, store_then_load, (void *)(intptr_t)1);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_barrier_destroy(&together);
}
#else
static void test_threads(void)
{
}
#endif

int main(void)
{
    gasnett_atomic_values();
    gasnett_atomic32_values();
    gasnett_atomic64_values();
    gasnett_strongatomic_values();
    gasnett_strongatomic32_values();
    gasnett_strongatomic64_values();
    test_signed();
    test_casts();
    test_threads();
    printf("%s atomics: %d checks, %d failed\n", GASNETT_STRING_OF(GASNETT_THREAD_MODEL),
           checks_done, checks_failed);
    return checks_failed != 0;
}
