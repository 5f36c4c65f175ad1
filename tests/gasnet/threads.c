// SPDX-License-Identifier: BSD-3-Clause
//
// GASNET_PAR: several threads of each process put, get, send and lock at the same time.
#define EVERY_MAIN
#include "every.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 150, PART = 4096 };
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static long counted, handled;  // guarded by lock
static _Atomic int replied[THREADS];
static int wrong[THREADS];
static gasnet_threadinfo_t infos[THREADS];

static void on_request(gasnet_token_t token, gasnet_handlerarg_t thread, gasnet_handlerarg_t round)
{
    gasnet_hsl_lock(&lock);
    handled++;
    gasnet_hsl_unlock(&lock);
    gasnet_AMReplyShort2(token, 201, thread, round);
}

static void on_reply(gasnet_token_t token, gasnet_handlerarg_t thread, gasnet_handlerarg_t round)
{
    (void)token, (void)round;
    replied[thread]++;
}

static void *work(void *arg)
{
    int id = (int)(intptr_t)arg;
    infos[id] = GASNET_GET_THREADINFO();
    char *there = theirs + id * PART, out[PART], in[PART];
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = (size_t)(1 + round * 27 % (PART - 8));
        fill(out, me * 8 + (unsigned)id, (unsigned)round, n);
        gasnet_handle_t h = gasnet_put_nb_bulk(next, there, out, n);
        GASNET_Safe(gasnet_AMRequestShort2(next, 200, id, round));
        gasnet_wait_syncnb(h);
        gasnet_get_nbi_bulk(in, next, there, n);
        gasnet_wait_syncnbi_gets();
        wrong[id] += compare(in, me * 8 + (unsigned)id, (unsigned)round, n) != n;
        uint64_t value = (uint64_t)round << 32 | (uint64_t)id, got = 0;
        gasnet_put_nbi(next, there + PART - 8, &value, 8);
        gasnet_wait_syncnbi_puts();
        gasnet_get(&got, next, there + PART - 8, 8);
        wrong[id] += got != value;
        gasnet_hsl_lock(&lock);
        counted++;
        gasnet_hsl_unlock(&lock);
        GASNET_BLOCKUNTIL(replied[id] > round);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{200, (gasnet_causeway_fnptr_t)on_request},
                                     {201, (gasnet_causeway_fnptr_t)on_reply}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(table, 2, SEGMENT);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    barrier();
    for (int i = 0; i < THREADS; i++)
        CHECK(wrong[i] == 0 && replied[i] == ROUNDS, "thread %d: %d wrong, %d replies", i, wrong[i],
              replied[i]);
    for (int i = 1; i < THREADS; i++)
        CHECK(infos[i] != infos[0] && infos[i] != GASNET_GET_THREADINFO(),
              "threads 0 and %d have the same information", i);
    CHECK(counted == THREADS * ROUNDS && handled == THREADS * ROUNDS, "counted %ld, handled %ld",
          counted, handled);
    every_end("threads");
}
