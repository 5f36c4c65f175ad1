// SPDX-License-Identifier: BSD-3-Clause
//
// A GASNet program for every launcher: a ring of puts and messages, then an end that argv[1]
// chooses:
//   all N, return N   every process calls gasnet_exit(N), or returns N from main
//   one N             the last node calls gasnet_exit(N), the others are in a barrier
//   computing N       the same, the others compute
//   abort, kill       the last node dies by SIGABRT, by SIGKILL, the others are in a barrier
#include <gasnet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASK = 200, REPLY, SEGMENT = 4 * GASNET_PAGESIZE };

static volatile int replies;

static void ask(gasnet_token_t token, void *text, size_t nbytes, gasnet_handlerarg_t number)
{
    gasnet_AMReplyMedium1(token, REPLY, text, nbytes, number + 1);
}

static void reply(gasnet_token_t token, void *text, size_t nbytes, gasnet_handlerarg_t number)
{
    (void)token;
    replies += nbytes == 6 && memcmp(text, "hello", 6) == 0 && number == replies + 1;
}

static void barrier(int id)
{
    gasnet_barrier_notify(id, 0);
    GASNET_Safe(gasnet_barrier_wait(id, 0));
}

static int ring(gasnet_node_t me, gasnet_node_t nodes)
{
    gasnet_seginfo_t *segments = calloc(nodes, sizeof *segments);
    GASNET_Safe(gasnet_getSegmentInfo(segments, (int)nodes));
    gasnet_node_t next = (me + 1) % nodes, prev = (me + nodes - 1) % nodes;
    char hello[] = "hello";
    for (int i = 0; i < 10; i++) {
        gasnet_AMRequestMedium1(next, ASK, hello, sizeof hello, i);
        GASNET_BLOCKUNTIL(replies == i + 1);
    }
    gasnet_put_val(next, segments[next].addr, 1000 + me, 8);
    barrier(1);
    long got = *(long *)segments[me].addr, back = 0;
    gasnet_get(&back, next, segments[next].addr, sizeof back);
    barrier(2);
    free(segments);
    return got == 1000 + (long)prev && back == 1000 + (long)me;
}

static void compute(void)
{
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{ASK, (void (*)())ask}, {REPLY, (void (*)())reply}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(table, 2, SEGMENT, 0));
    const char *how = argc > 1 ? argv[1] : "all";
    int status = argc > 2 ? atoi(argv[2]) : 0;
    gasnet_node_t me = gasnet_mynode(), nodes = gasnet_nodes();
    int good = ring(me, nodes);
    printf("node %u of %u: %s\n", me, nodes, good ? "a ring" : "FAIL");
    fflush(stdout);
    barrier(3);
    if (strcmp(how, "all") == 0)
        gasnet_exit(status);
    if (strcmp(how, "return") == 0)
        return status;
    if (me < nodes - 1 && strcmp(how, "computing") == 0)
        compute();
    if (me == nodes - 1) {
        if (strcmp(how, "abort") == 0)
            abort();
        if (strcmp(how, "kill") == 0)
            raise(SIGKILL);
        gasnet_exit(status);
    }
    barrier(4);  // in vain
    printf("FAIL: the last node came to a barrier\n");
    return 99;
}
