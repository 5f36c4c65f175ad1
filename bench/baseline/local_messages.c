// SPDX-License-Identifier: BSD-3-Clause
/*
 * What two processes of one node can do with bare flags: a round trip over two flags (and how many
 * messages a second that are, one at a time, with and without a payload), and a flood over a ring
 * of flags, each in a cache line of its own with its word of data (or in front of a payload). The
 * sender waits until a cell is empty, fills it and sets its flag; the receiver reads the cell and
 * clears the flag. Lines carry the names of the active-message lines they stand beside (am.c).
 */
#define _GNU_SOURCE
#include "../common.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 256, PAYLOAD = 4096 };

struct cell {
    _Alignas(64) _Atomic uint32_t flag;  // 0: empty
    uint32_t word;
};

struct shared {
    _Alignas(256) _Atomic uint64_t ping;
    _Alignas(256) _Atomic uint64_t pong;
    _Alignas(256) _Atomic int stop;
    _Alignas(256) struct cell ring[CELLS];
    _Alignas(256) char payload[CELLS][PAYLOAD];
};

enum { LAST = 2, CARRIES = 4 };  // in the flag: reply to this one; there is a payload

struct sender {
    struct shared *s;
    uint64_t turn, at;
    size_t nbytes;
    char source[PAYLOAD];
};

static void round_trips(void *ctx, size_t count)
{
    struct sender *me = ctx;
    while (count--) {
        me->turn++;
        if (me->nbytes)
            memcpy(me->s->payload[0], me->source, me->nbytes);
        atomic_store_explicit(&me->s->ping, me->turn, memory_order_release);
        while (atomic_load_explicit(&me->s->pong, memory_order_acquire) != me->turn)
            ;
    }
}

static void send_one(struct sender *me, uint32_t flag)
{
    size_t i = me->at++ % CELLS;
    struct cell *cell = &me->s->ring[i];
    while (atomic_load_explicit(&cell->flag, memory_order_acquire))
        ;
    cell->word = (uint32_t)me->at;
    if (me->nbytes) {
        memcpy(me->s->payload[i], me->source, me->nbytes);
        flag |= CARRIES;
    }
    atomic_store_explicit(&cell->flag, flag, memory_order_release);
}

static void flood(void *ctx, size_t count)
{
    struct sender *me = ctx;
    uint64_t turn = ++me->turn;
    while (--count)
        send_one(me, 1);
    send_one(me, 1 | LAST);
    while (atomic_load_explicit(&me->s->pong, memory_order_acquire) != turn)
        ;
}

// Replies to pings, takes from the ring; reads the first word of a payload as a handler would.
static void serve(struct shared *s)
{
    uint64_t ping, turn = 0, at = 0;
    volatile uint64_t sum = 0;
    while (!atomic_load_explicit(&s->stop, memory_order_relaxed)) {
        if ((ping = atomic_load_explicit(&s->ping, memory_order_acquire)) > turn) {
            turn = ping;
            sum += *(volatile uint64_t *)(void *)s->payload[0];
            atomic_store_explicit(&s->pong, turn, memory_order_release);
        }
        struct cell *cell = &s->ring[at % CELLS];
        uint32_t flag = atomic_load_explicit(&cell->flag, memory_order_acquire);
        if (!flag)
            continue;
        sum += cell->word;
        if (flag & CARRIES)
            sum += *(volatile uint64_t *)(void *)s->payload[at % CELLS];
        atomic_store_explicit(&cell->flag, 0, memory_order_release);
        at++;
        if (flag & LAST)
            atomic_store_explicit(&s->pong, ++turn, memory_order_release);
    }
}

static void measure(struct bench_opts *opts, struct sender *me)
{
    static const size_t sizes[] = {0, 8, 512, 3968};
    struct bench_series series = {0}, flags = {0};
    opts->budget_ms *= 2;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && bench_wants(opts, "short_round_trip");
         i++) {
        me->nbytes = sizes[i];
        bench_measure(opts, round_trips, NULL, me, &series);
        for (size_t n = 0; n < series.n; n++)
            bench_series_add(&flags, series.v[n]);
        if (me->nbytes == 0)
            bench_emit(opts, "am", "short_round_trip", 0, "ns", &series);
        bench_series_clear(&series);
        bench_emit(opts, "am", "two_flags", me->nbytes, "ns", &flags);
    }
    atomic_store(&me->s->ping, 0);  // turns are counted by replies from here on
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *op = sizes[i] ? "medium_flood" : "short_flood";
        if (!bench_wants(opts, op))
            continue;
        me->nbytes = sizes[i];
        bench_measure_batch(opts, flood, NULL, me, 1024, &series);
        bench_emit(opts, "am", op, sizes[i], "ns", &series);
    }
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    static struct sender me;
    bench_parse(argc, argv, &opts);
    me.s = mmap(NULL, sizeof *me.s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (me.s == MAP_FAILED) {
        perror("local_messages: mmap");
        return 1;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("local_messages: fork");
        return 1;
    }
    if (child == 0) {
        bench_pin(1);
        alarm(600);  // ends the poll if the sender dies
        serve(me.s);
        _exit(0);
    }
    bench_pin(0);
    measure(&opts, &me);
    atomic_store(&me.s->stop, 1);
    waitpid(child, NULL, 0);
    return 0;
}
