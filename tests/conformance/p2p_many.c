// SPDX-License-Identifier: BSD-3-Clause
//
// Point-to-point synchronisation among many PEs: every PE has a word from every PE, written in
// every way, and takes the words by each form of waiting and testing. Fairness: a word that is
// always satisfied hides no other, also when two sets take turns. Signals: fetch, set, add, wait,
// for every comparison.
#include "check.h"

#define LAPS 12

static long *words;        // [npes], from each PE
static uint64_t *signals;  // [npes]
static long turn;

static void send(int how, long value, int pe)
{
    long *at = &words[me];
    switch (how % 6) {
    case 0:
        shmem_long_p(at, value, pe);
        break;
    case 1:
        shmem_long_put(at, &value, 1, pe);
        break;
    case 2:
        shmem_long_atomic_set(at, value, pe);
        break;
    case 3:
        shmem_long_atomic_add(at, 1, pe);
        break;
    case 4:
        shmem_long_atomic_inc(at, pe);
        break;
    default:
        shmem_long_iput(at, &value, 1, 1, 1, pe);
    }
}

static void arrived(const char *call, int *done, size_t i)
{
    CHECK(i < (size_t)npes, "%s gave index %zu of %d", call, i, npes);
    if (i >= (size_t)npes)
        return;
    CHECK(!done[i], "%s gave index %zu twice", call, i);
    CHECK(words[i] == turn, "%s: word %zu is %ld, not %ld", call, i, words[i], turn);
    done[i] = 1;
}

/** The words found[0 ... k) have arrived; returns k. */
static size_t some_arrived(const char *call, int *done, const size_t *found, size_t k)
{
    for (size_t j = 0; j < k; j++)
        arrived(call, done, found[j]);
    return k;
}

static void take(int form, int *done, long *wanted, size_t *found)
{
    size_t n = 0;
    size_t count = (size_t)npes;
    switch (form) {
    case 0:
        shmem_long_wait_until_all(words, count, NULL, SHMEM_CMP_EQ, turn);
        break;
    case 1:
        shmem_long_wait_until_all_vector(words, count, done, SHMEM_CMP_GE, wanted);
        break;
    case 2:
        while (!shmem_long_test_all(words, count, NULL, SHMEM_CMP_GE, turn))
            continue;
        break;
    case 3:
        while (!shmem_long_test_all_vector(words, count, NULL, SHMEM_CMP_EQ, wanted))
            continue;
        break;
    case 4:
        for (; n < count; n++)
            arrived("wait_until_any", done,
                    shmem_long_wait_until_any(words, count, done, SHMEM_CMP_EQ, turn));
        break;
    case 5:
        for (; n < count; n++)
            arrived("wait_until_any_vector", done,
                    shmem_long_wait_until_any_vector(words, count, done, SHMEM_CMP_GE, wanted));
        break;
    case 6:
        while (n < count) {
            size_t i = shmem_long_test_any(words, count, done, SHMEM_CMP_GT, turn - 1);
            if (i != SIZE_MAX) {
                arrived("test_any", done, i);
                n++;
            }
        }
        break;
    case 7:
        while (n < count) {
            size_t k = shmem_long_wait_until_some(words, count, found, done, SHMEM_CMP_EQ, turn);
            CHECK(k >= 1, "wait_until_some gave %zu", k);
            n += some_arrived("wait_until_some", done, found, k);
        }
        break;
    case 8:
        while (n < count)
            n += some_arrived(
                "wait_until_some_vector", done, found,
                shmem_long_wait_until_some_vector(words, count, found, done, SHMEM_CMP_EQ, wanted));
        break;
    case 9:
        while (n < count)
            n += some_arrived("test_some", done, found,
                              shmem_long_test_some(words, count, found, done, SHMEM_CMP_EQ, turn));
        break;
    case 10:
        while (n < count) {
            size_t i = shmem_long_test_any_vector(words, count, done, SHMEM_CMP_EQ, wanted);
            if (i != SIZE_MAX) {
                arrived("test_any_vector", done, i);
                n++;
            }
        }
        break;
    default:
        for (int pe = 0; pe < npes; pe++)
            shmem_long_wait_until(&words[pe], SHMEM_CMP_NE, turn - 1);
    }
    for (int pe = 0; pe < npes; pe++)
        CHECK(words[pe] == turn, "form %d: the word of PE %d is %ld, not %ld", form, pe, words[pe],
              turn);
}

static void all_to_all(void)
{
    int *done = malloc((size_t)npes * sizeof *done);
    long *wanted = malloc((size_t)npes * sizeof *wanted);
    size_t *found = malloc((size_t)npes * sizeof *found);
    for (int lap = 0; lap < LAPS; lap++) {
        turn = lap + 1;
        memset(done, 0, (size_t)npes * sizeof *done);
        for (int pe = 0; pe < npes; pe++)
            wanted[pe] = turn;
        shmem_barrier_all();
        for (int k = 0; k < npes; k++)
            send(lap + me, turn, (me + k) % npes);
        take(lap % 12, done, wanted, found);
        shmem_barrier_all();
    }
    free(done);
    free(wanted);
    free(found);
}

/** Word 0 of both sets is always satisfied; a series of calls must return the others too, whichever
 *  sets take turns. */
static void fairness(void)
{
    static long a[4], b[6];
    int seen_a[4] = {0}, seen_b[6] = {0};
    for (int i = 0; i < 4; i++)
        a[i] = 1;
    for (int i = 0; i < 6; i++)
        b[i] = i % 2 == 0;
    for (int k = 0; k < 400; k++) {
        seen_a[shmem_long_wait_until_any(a, 4, NULL, SHMEM_CMP_EQ, 1)]++;
        seen_b[shmem_long_test_any(b, 6, NULL, SHMEM_CMP_EQ, 1)]++;
    }
    for (int i = 0; i < 4; i++)
        CHECK(seen_a[i] > 0, "wait_until_any in turns with another set: never %d in 400 calls", i);
    for (int i = 0; i < 6; i++)
        CHECK((seen_b[i] > 0) == (i % 2 == 0), "test_any in turns with another set: %d times %d",
              seen_b[i], i);
    memset(seen_a, 0, sizeof seen_a);
    for (int k = 0; k < 8; k++)
        seen_a[shmem_long_wait_until_any(a, 4, NULL, SHMEM_CMP_EQ, 1)]++;
    for (int i = 0; i < 4; i++)
        CHECK(seen_a[i] == 2, "one set alone goes round: %d times %d in 8 calls", seen_a[i], i);
}

/** One PE writes its word all the time; the waiting PE must still notice the others' words. */
static void busy_neighbour(void)
{
    static long noise[2], stop;
    noise[0] = noise[1] = stop = 0;
    shmem_barrier_all();
    if (me == npes - 1 && npes > 1) {
        for (long i = 1; !shmem_long_test(&stop, SHMEM_CMP_EQ, 1); i++)
            shmem_long_p(&noise[0], i, 0);
    } else if (me == npes - 2) {
        shmem_long_p(&noise[1], 1, 0);
    }
    if (me == 0 && npes > 1) {
        size_t i;
        do
            i = shmem_long_wait_until_any(noise, 2, NULL, SHMEM_CMP_GE, 1);
        while (i != 1);
        shmem_long_p(&stop, 1, npes - 1);
    }
    shmem_barrier_all();
}

static void signal_words(void)
{
    for (int pe = 0; pe < npes; pe++)
        signals[pe] = 0;
    shmem_barrier_all();
    for (int k = 0; k < npes; k++) {
        int pe = (me + k) % npes;
        shmem_signal_set(&signals[me], 5, pe);
        shmem_fence();
        shmem_signal_add(&signals[me], 2, pe);
    }
    for (int pe = 0; pe < npes; pe++) {
        uint64_t seen = shmem_signal_wait_until(&signals[pe], SHMEM_CMP_GT, 5);
        CHECK(seen == 7, "shmem_signal_wait_until GT gave %lu", (unsigned long)seen);
        CHECK(shmem_signal_wait_until(&signals[pe], SHMEM_CMP_GE, 7) == 7, "GE");
        CHECK(shmem_signal_wait_until(&signals[pe], SHMEM_CMP_EQ, 7) == 7, "EQ");
        CHECK(shmem_signal_wait_until(&signals[pe], SHMEM_CMP_NE, 0) == 7, "NE");
        CHECK(shmem_signal_wait_until(&signals[pe], SHMEM_CMP_LT, UINT64_MAX) == 7,
              "LT is unsigned");
        CHECK(shmem_signal_wait_until(&signals[pe], SHMEM_CMP_LE, 7) == 7, "LE");
        CHECK(shmem_signal_fetch(&signals[pe]) == 7, "shmem_signal_fetch");
    }
    shmem_barrier_all();
}

int main(void)
{
    check_begin();
    words = shmem_calloc((size_t)npes, sizeof *words);
    signals = shmem_calloc((size_t)npes, sizeof *signals);
    all_to_all();
    fairness();
    busy_neighbour();
    signal_words();
    shmem_free(signals);
    shmem_free(words);
    return check_end();
}
