// SPDX-License-Identifier: BSD-3-Clause
//
// Floods of small implicit puts to the next node, which travel together between nodes: windows of
// all lengths, puts of some sizes and values, ended by a wait, by tests, by the handle of an access
// region, beside messages and blocking puts. Behind each end the bytes are there, for a get of the
// writer and for a handler at the target. With GASNET_PAR two threads at a time.
#define EVERY_MAIN
#include "every.h"
#ifdef GASNET_PAR
#include <pthread.h>
enum { THREADS = 2 };
#else
enum { THREADS = 1 };
#endif

enum { MOST = 1200, LOOK = 200, SAID, ROUNDS = 60, PART = MOST * 8 };
static const int windows[] = {1, 3, 17, 40, 200, MOST};
static _Atomic int looked[THREADS];
static int wrong[THREADS];

static uint64_t word_of(int thread, int round, int i)
{
    return (uint64_t)(thread + 1) << 56 | (uint64_t)(round + 1) << 32 | (uint32_t)i;
}

/** Are the first n words of a thread's part as that round has put them? */
static int differ(const char *at, int thread, int round, int n)
{
    int bad = 0;
    for (int i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, at + i * 8, 8);
        bad += word != word_of(thread, round, i);
    }
    return bad;
}

static void look(gasnet_token_t token, gasnet_handlerarg_t thread, gasnet_handlerarg_t round,
                 gasnet_handlerarg_t n)
{
    gasnet_AMReplyShort2(token, SAID, thread, differ(mine + thread * PART, thread, round, n));
}

static void said(gasnet_token_t token, gasnet_handlerarg_t thread, gasnet_handlerarg_t bad)
{
    (void)token;
    wrong[thread] += bad;
    looked[thread]++;
}

/** Words i and following, as one put of some size or a value; how many. */
static int put_some(char *there, int thread, int round, int i, int n)
{
    uint64_t words[4];
    int size = i % 7 == 3 && i + 4 <= n ? 4 : 1;
    for (int k = 0; k < size; k++)
        words[k] = word_of(thread, round, i + k);
    if (size == 4)
        gasnet_put_nbi(next, there + i * 8, words, 32);
    else if (i % 3 == 0)
        gasnet_put_nbi_val(next, there + i * 8, words[0], 8);
    else if (i % 3 == 1)
        gasnet_put_nbi(next, there + i * 8, words, 8);
    else
        gasnet_put_nbi_bulk(next, there + i * 8, words, 8);
    memset(words, 0xee, sizeof words);
    return size;
}

static void flood(int thread, int round, int n)
{
    char *there = theirs + thread * PART;
    int end = round % 3;
    if (end == 2)
        gasnet_begin_nbi_accessregion();
    for (int i = 0; i < n;) {
        i += put_some(there, thread, round, i, n);
        if (end != 2 && i % 97 == 50)
            gasnet_AMPoll();
    }
    if (end == 0)
        gasnet_wait_syncnbi_puts();
    else if (end == 1)
        while (gasnet_try_syncnbi_puts() != GASNET_OK)
            ;
    else
        gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
}

static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg;
    for (int round = 0; round < ROUNDS; round++) {
        static uint64_t room[THREADS][MOST];
        int n = windows[round % 6], before = looked[thread];
        flood(thread, round, n);
        gasnet_AMRequestShort3(next, LOOK, thread, round, n);
        gasnet_get_bulk(room[thread], next, theirs + thread * PART, (size_t)n * 8);
        wrong[thread] += differ((char *)room[thread], thread, round, n);
        GASNET_BLOCKUNTIL(looked[thread] > before);
        uint64_t last = word_of(thread, round, 0) + 1;
        gasnet_put(next, theirs + thread * PART, &last, 8);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{LOOK, (gasnet_causeway_fnptr_t)look},
                                     {SAID, (gasnet_causeway_fnptr_t)said}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(table, 2, SEGMENT);
#ifdef GASNET_PAR
    pthread_t other;
    pthread_create(&other, NULL, work, (void *)1);
    work(NULL);
    pthread_join(other, NULL);
#else
    work(NULL);
#endif
    for (int i = 0; i < THREADS; i++)
        CHECK(wrong[i] == 0 && looked[i] == ROUNDS, "thread %d: %d wrong, %d looks", i, wrong[i],
              looked[i]);
    barrier();
    every_end("put_floods");
}
