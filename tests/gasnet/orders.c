// SPDX-License-Identifier: BSD-3-Clause
//
// GASNET_PAR: threads that put floods of small values beside one that does nothing but one kind of
// call that completes or waits: implicit puts, gets, messages, barriers. What a thread has put and
// completed, it reads. A thread computes beside them, so that any may lose its processor anywhere.
#define EVERY_MAIN
#include "every.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { ISSUERS = 3, ROUNDS = 40, FLOOD = 12, LINE = 64, TOGETHER = 10 };

static _Atomic int over;  // issuers that have come to the end of a scene
static _Atomic int replies;
static _Atomic bool stop;

static void on_request(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, 201);
}

static void on_reply(gasnet_token_t token)
{
    (void)token;
    replies++;
}

/** Each issuer has a line of words at the next node, the last of which the flood goes to. */
static void *issuer(void *arg)
{
    int t = (int)(intptr_t)arg;
    char *there = theirs + (size_t)t * LINE;
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        uint64_t got = 0, value = r * 8 + (uint64_t)t;
        for (int i = 0; i < FLOOD * (t + 1); i++)
            gasnet_put_nbi(next, there + LINE - 8, &value, 8);
        if (r % 2) {
            gasnet_put_nbi(next, there, &value, 8);
            gasnet_wait_syncnbi_puts();
        } else {
            gasnet_wait_syncnb(gasnet_put_nb(next, there, &value, 8));
        }
        if (r % 3)
            gasnet_get(&got, next, there, 8);
        else
            gasnet_wait_syncnb(gasnet_get_nb_bulk(&got, next, there, 8));
        CHECK(got == value, "thread %d: %llu is read behind its own %llu", t,
              (unsigned long long)got, (unsigned long long)value);
    }
    gasnet_wait_syncnbi_all();
    over++;
    return NULL;
}

static void *compute(void *arg)
{
    for (long i = 0; !atomic_load_explicit(&stop, memory_order_relaxed); i++)
        *(volatile long *)arg = i;
    return NULL;
}

static char *of_orderer(void)
{
    return theirs + (size_t)ISSUERS * LINE;
}

static void call_puts(void)
{
    uint64_t value = 1;
    gasnet_put_nbi(next, of_orderer(), &value, 8);
    gasnet_wait_syncnbi_all();
}

static void call_get(void)
{
    uint64_t value = 1;
    gasnet_put_nbi_val(next, of_orderer(), value, 8);
    gasnet_get(&value, next, of_orderer() + 8, 8);
}

static void call_message(void)
{
    int before = replies;
    GASNET_Safe(gasnet_AMRequestShort0(next, 200));
    GASNET_BLOCKUNTIL(replies > before);
}

static void call_barrier(void)
{
    call_puts();
    barrier();
}

static void play(void (*call)(void), bool together)
{
    pthread_t issuers[ISSUERS];
    over = 0;
    for (intptr_t t = 0; t < ISSUERS; t++)
        pthread_create(&issuers[t], NULL, issuer, (void *)t);
    for (int calls = 0; together ? calls < TOGETHER : over < ISSUERS; calls++)
        call();
    for (int t = 0; t < ISSUERS; t++)
        pthread_join(issuers[t], NULL);
    gasnet_wait_syncnbi_all();
    barrier();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{200, (gasnet_causeway_fnptr_t)on_request},
                                     {201, (gasnet_causeway_fnptr_t)on_reply}};
    long burnt = 0;
    pthread_t beside;
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(table, 2, SEGMENT);
    barrier();
    pthread_create(&beside, NULL, compute, &burnt);
    play(call_puts, false);
    play(call_get, false);
    play(call_message, false);
    play(call_barrier, true);
    stop = true;
    pthread_join(beside, NULL);
    barrier();
    every_end("orders");
}
