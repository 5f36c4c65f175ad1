// SPDX-License-Identifier: BSD-3-Clause
//
// Floods of small puts and gets with explicit handles, and of implicit gets, which travel together
// between nodes: windows of all lengths, some sizes, values, events of GASNet-EX, ended by a wait
// for each handle, backwards or for a part of them, by tests, and by the handle of an access
// region. A source may change when its call or event says so; what a handle or event completes is
// there, one by one. What a process has put before it computes arrives meanwhile. With GASNET_PAR
// two threads at a time.
#define EVERY_MAIN
#include "every.h"

#include <time.h>
#ifdef GASNET_PAR
#include <pthread.h>
enum { THREADS = 2 };
#else
enum { THREADS = 1 };
#endif

enum { MOST = 1000, ROUNDS = 60, PART = (MOST + 8) * 8, SECONDS = 20 };
static const int windows[] = {1, 3, 17, 64, 200, MOST};
static gex_TM_t team;
static int wrong[THREADS];
static struct {
    uint64_t source[MOST + 8], room[MOST + 8], value[MOST + 8];
    gasnet_handle_t handle[MOST + 8];
    gasnet_valget_handle_t value_handle[MOST + 8];
} threads[THREADS];

static uint64_t word_of(int thread, int round, int i)
{
    return (uint64_t)(thread + 1) << 56 | (uint64_t)(round + 1) << 32 | (uint32_t)i;
}

static int differ(const uint64_t *words, int thread, int round, int from, int n)
{
    int bad = 0;
    for (int i = from; i < from + n; i++)
        bad += words[i] != word_of(thread, round, i);
    return bad;
}

/** Of the transfer that begins with word i. */
static int size_of(int i, int n)
{
    return i % 11 == 3 && i + 32 <= n ? 32 : i % 7 == 3 && i + 4 <= n ? 4 : 1;
}

// ---------------------------------------------------------------- ends
/** Word by word what has come, since a handle says so. */
static void came(int thread, int round, int i, int n, int is_get)
{
    if (is_get)
        wrong[thread] += differ(threads[thread].room, thread, round, i, size_of(i, n));
    else
        threads[thread].source[i] = 0;  // the source of a put by bulk
}

static void complete(int thread, int round, int n, int is_get)
{
    gasnet_handle_t *handle = threads[thread].handle;
    switch (round % 5) {
    case 0:
        for (int i = 0; i < n; i += size_of(i, n)) {
            gasnet_wait_syncnb(handle[i]);
            came(thread, round, i, n, is_get);
        }
        return;
    case 1:
        for (int i = n - 1; i >= 0; i--) {
            gasnet_wait_syncnb(handle[i]);  // of a word within a transfer: GASNET_INVALID_HANDLE
        }
        break;
    case 2:
        for (int i = 0; i < n; i += size_of(i, n)) {
            while (gasnet_try_syncnb(handle[i]) != GASNET_OK)
                ;
            came(thread, round, i, n, is_get);
        }
        return;
    case 3:
        gasnet_wait_syncnb_some(handle, (size_t)n);
        while (gasnet_try_syncnb_all(handle, (size_t)n) != GASNET_OK)
            ;
        break;
    default:
        gasnet_wait_syncnb_all(handle, (size_t)n);
    }
    for (int i = 0; i < n; i += size_of(i, n))
        came(thread, round, i, n, is_get);
}

// ---------------------------------------------------------------- puts
static gasnet_handle_t put(char *there, uint64_t *words, int size, int form)
{
    size_t nbytes = (size_t)size * 8;
    gex_Event_t leaf = GEX_EVENT_INVALID, handle;
    switch (form) {
    case 0:
        return gasnet_put_nb_bulk(next, there, words, nbytes);
    case 1:
        return gex_RMA_PutNB(team, next, there, words, nbytes, GEX_EVENT_DEFER, 0);
    case 2:
        handle = gex_RMA_PutNB(team, next, there, words, nbytes, GEX_EVENT_NOW, 0);
        break;
    case 3:
        handle = gex_RMA_PutNB(team, next, there, words, nbytes, &leaf, 0);
        gex_Event_Wait(leaf);
        break;
    case 4:
        handle = size == 1 ? gex_RMA_PutNBVal(team, next, there, words[0], 8, 0)
                           : gasnet_put_nb(next, there, words, nbytes);
        break;
    case 5:
        handle = size == 1 ? gasnet_put_nb_val(next, there, words[0], 8)
                           : gasnet_put_nb(next, there, words, nbytes);
        break;
    default:
        handle = gasnet_put_nb(next, there, words, nbytes);
    }
    memset(words, 0xee, nbytes);
    return handle;
}

static void flood_puts(int thread, int round, int n)
{
    uint64_t *source = threads[thread].source;
    char *there = theirs + thread * PART;
    for (int i = 0; i < n; i++) {
        source[i] = word_of(thread, round, i);
        threads[thread].handle[i] = GASNET_INVALID_HANDLE;
    }
    for (int i = 0; i < n; i += size_of(i, n)) {
        threads[thread].handle[i] = put(there + i * 8, source + i, size_of(i, n), (i + round) % 7);
        if (i % 97 == 50)
            gasnet_AMPoll();
    }
    complete(thread, round, n, 0);
}

// ---------------------------------------------------------------- gets
static gasnet_handle_t get(uint64_t *words, char *there, int size, int form)
{
    size_t nbytes = (size_t)size * 8;
    if (form == 0)
        return gasnet_get_nb(words, next, there, nbytes);
    return form == 1 ? gasnet_get_nb_bulk(words, next, there, nbytes)
                     : gex_RMA_GetNB(team, words, next, there, nbytes, 0);
}

static void flood_gets(int thread, int round, int n)
{
    uint64_t *room = threads[thread].room;
    char *there = theirs + thread * PART;
    memset(room, 0, sizeof threads[thread].room);
    for (int i = 0; i < n; i++)
        threads[thread].handle[i] = GASNET_INVALID_HANDLE;
    for (int i = 0; i < n; i += size_of(i, n))
        threads[thread].handle[i] = get(room + i, there + i * 8, size_of(i, n), (i + round) % 3);
    complete(thread, round, n, 1);
}

static void flood_gets_nbi(int thread, int round, int n)
{
    uint64_t *room = threads[thread].room;
    char *there = theirs + thread * PART;
    memset(room, 0, sizeof threads[thread].room);
    if (round % 3 == 2)
        gasnet_begin_nbi_accessregion();
    for (int i = 0, size; i < n; i += size) {
        size = size_of(i, n);
        if (i % 2)
            gasnet_get_nbi(room + i, next, there + i * 8, (size_t)size * 8);
        else
            gex_RMA_GetNBI(team, room + i, next, there + i * 8, (size_t)size * 8, 0);
    }
    if (round % 3 == 2)
        gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
    else if (round % 3 == 1)
        gasnet_wait_syncnbi_gets();
    else
        while (gasnet_try_syncnbi_gets() != GASNET_OK)
            ;
    wrong[thread] += differ(room, thread, round, 0, n);
}

static void flood_values(int thread, int round, int n)
{
    char *there = theirs + thread * PART;
    gasnet_valget_handle_t *handle = threads[thread].value_handle;
    for (int i = 0; i < n; i++)
        handle[i] = gasnet_get_nb_val(next, there + i * 8, 8);
    for (int i = n - 1; i >= 0; i--)
        threads[thread].value[i] = gasnet_wait_syncnb_valget(handle[i]);
    wrong[thread] += differ(threads[thread].value, thread, round, 0, n);
}

static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t *room = threads[thread].room;
        int n = windows[round % 6];
        flood_puts(thread, round, n);
        memset(room, 0, sizeof threads[thread].room);
        gasnet_get_bulk(room, next, theirs + thread * PART, (size_t)n * 8);
        wrong[thread] += differ(room, thread, round, 0, n);
        flood_gets(thread, round, n);
        flood_gets_nbi(thread, round, n);
        flood_values(thread, round, n);
    }
    return NULL;
}

// ---------------------------------------------------------------- beside computation
/** In words behind all parts: what the one before has put there becomes n. */
static int await(volatile uint64_t *word, uint64_t n, int polls)
{
    time_t end = time(NULL) + SECONDS;
    while (*word != n && time(NULL) < end)
        if (polls)
            gasnet_AMPoll();
    return *word == n;
}

/** Each puts a flood to the next one and then makes no call until the one before has put its own,
 *  which has all been put when the last words are there. */
static void compute(void)
{
    enum { FLOOD = 300 };
    volatile uint64_t *words = (uint64_t *)(void *)(mine + THREADS * PART);
    char *there = theirs + THREADS * PART;
    gasnet_handle_t handle[FLOOD];
    for (uint64_t round = 1; round <= 3; round++) {
        for (int i = 0; i < FLOOD; i++)
            handle[i] = gasnet_put_nb(next, there + i * 8, &round, 8);
        int bad = 0;
        for (int i = 0; i < FLOOD; i++)
            bad += !await(words + i, round, 0);
        CHECK(bad == 0, "round %d: %d words were held back", (int)round, bad);
        gasnet_wait_syncnb_all(handle, FLOOD);
        barrier();
    }
}

int main(int argc, char **argv)
{
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(NULL, 0, SEGMENT);
    gasnet_QueryGexObjects(NULL, NULL, &team, NULL);
    barrier();
#ifdef GASNET_PAR
    pthread_t other;
    pthread_create(&other, NULL, work, (void *)1);
    work(NULL);
    pthread_join(other, NULL);
#else
    work(NULL);
#endif
    for (int i = 0; i < THREADS; i++)
        CHECK(wrong[i] == 0, "thread %d: %d words are wrong", i, wrong[i]);
    barrier();
    compute();
    every_end("handle_floods");
}
