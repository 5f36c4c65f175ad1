// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages there and back between the first node and the last: short, medium and long, with
// each payload checked. See README.md.
#define _POSIX_C_SOURCE 200809L
#define GASNET_SEQ 1
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../number.h"

enum { SHORT_REQUEST = 128, SHORT_REPLY, MEDIUM_REQUEST, MEDIUM_REPLY, LONG_REQUEST, LONG_REPLY };
enum { LONG_MOST = 1 << 20, MOST_ROUNDS = 100000000 };

static gasnet_seginfo_t *segments;  // of all nodes
static unsigned me, nodes;
static unsigned char *pattern;  // what is sent
static long replies, wrong;     // changed by handlers, which run only inside this
                                // process's GASNet calls (SEQ)

static void check(const void *data, size_t nbytes)
{
    wrong += memcmp(data, pattern, nbytes) != 0;
}

// ---------------------------------------------------------------- handlers
static void short_request(gasnet_token_t token, gasnet_handlerarg_t value)
{
    gasnet_AMReplyShort1(token, SHORT_REPLY, value + 1);
}

static gasnet_handlerarg_t expected;

static void short_reply(gasnet_token_t token, gasnet_handlerarg_t value)
{
    (void)token;
    wrong += value != expected;
    replies++;
}

static void medium_request(gasnet_token_t token, void *data, size_t nbytes)
{
    check(data, nbytes);
    gasnet_AMReplyMedium0(token, MEDIUM_REPLY, data, nbytes);
}

static void medium_reply(gasnet_token_t token, void *data, size_t nbytes)
{
    (void)token;
    check(data, nbytes);
    replies++;
}

/** The payload is already in this node's segment; the reply goes into the other node's. */
static void long_request(gasnet_token_t token, void *data, size_t nbytes)
{
    gasnet_node_t source;
    check(data, nbytes);
    gasnet_AMGetMsgSource(token, &source);
    gasnet_AMReplyLong0(token, LONG_REPLY, data, nbytes, (char *)segments[source].addr + LONG_MOST);
}

static void long_reply(gasnet_token_t token, void *data, size_t nbytes)
{
    (void)token;
    check(data, nbytes);
    replies++;
}

static gasnet_handlerentry_t handlers[] = {
    {SHORT_REQUEST, (void (*)())short_request},   {SHORT_REPLY, (void (*)())short_reply},
    {MEDIUM_REQUEST, (void (*)())medium_request}, {MEDIUM_REPLY, (void (*)())medium_reply},
    {LONG_REQUEST, (void (*)())long_request},     {LONG_REPLY, (void (*)())long_reply},
};

// ---------------------------------------------------------------- the game
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void send(int kind, gasnet_node_t to, size_t nbytes, int round)
{
    if (kind == SHORT_REQUEST) {
        expected = round + 1;
        gasnet_AMRequestShort1(to, SHORT_REQUEST, round);
    } else if (kind == MEDIUM_REQUEST) {
        gasnet_AMRequestMedium0(to, MEDIUM_REQUEST, pattern, nbytes);
    } else {
        gasnet_AMRequestLong0(to, LONG_REQUEST, pattern, nbytes, segments[to].addr);
    }
}

/** Seconds for so many round trips, measured by node 0. */
static double play(const char *name, int kind, size_t nbytes, int rounds)
{
    barrier();
    double start = now();
    for (int round = 0; me == 0 && round < rounds; round++) {
        long before = replies;
        send(kind, nodes - 1, nbytes, round);
        GASNET_BLOCKUNTIL(replies != before);
    }
    double seconds = now() - start;
    barrier();  // the others wait here, and poll
    if (me == 0)
        printf("%-6s %8zu bytes %6d round trips, %10.3f us each\n", name, nbytes, rounds,
               seconds / rounds * 1e6);
    return seconds;
}

int main(int argc, char **argv)
{
    gasnet_init(&argc, &argv);
    if (gasnet_attach(handlers, sizeof handlers / sizeof *handlers, 2 * LONG_MOST, 0) != GASNET_OK)
        gasnet_exit(1);
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    int rounds = argc > 1 ? (int)whole_number(argv[1], 1, MOST_ROUNDS) : 1000;
    segments = calloc(nodes, sizeof *segments);
    pattern = malloc(LONG_MOST);
    if (rounds < 1 || argc > 2 || !segments || !pattern) {
        fprintf(stderr, "usage: am_pingpong [round trips, 1 to 10^8]\n");
        gasnet_exit(2);
    }
    gasnet_getSegmentInfo(segments, (int)nodes);
    for (size_t i = 0; i < LONG_MOST; i++)
        pattern[i] = (unsigned char)(i * 13 + (i >> 8));
    double seconds = play("short", SHORT_REQUEST, 0, rounds);
    const size_t medium = gasnet_AMMaxMedium(), mediums[] = {0, 8, 512, medium},
                 longs[] = {8, 4096, LONG_MOST};
    for (int i = 0; i < 4; i++)
        play("medium", MEDIUM_REQUEST, mediums[i], rounds);
    for (int i = 0; i < 3; i++)
        play("long", LONG_REQUEST, longs[i], longs[i] > 65536 ? rounds / 10 + 1 : rounds);
    if (wrong)
        printf("node %u: FAILED: %ld messages were not as sent\n", me, wrong);
    fflush(stdout);
    barrier();
    if (me == 0)
        printf("RESULT program=am_pingpong pes=%u verified=%s seconds=%.6f rate=%.6f "
               "unit=Mroundtrip/s\n",
               nodes, wrong ? "no" : "yes", seconds, rounds / seconds * 1e-6);
    gasnet_exit(wrong != 0);
    return 1;
}
