// SPDX-License-Identifier: BSD-3-Clause
//
// Counts the nodes of an unbalanced tree: a node without work steals from others by active
// messages, and a token that travels in a ring detects that no node has work left. See README.md.
#define _POSIX_C_SOURCE 200809L
#define GASNET_SEQ 1
#include <gasnet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../number.h"

enum { STEAL = 128, WORK, NO_WORK, TOKEN, DONE, RESULT };

typedef struct item {
    uint64_t state;  // decides the children
    uint32_t depth, is_root;
} item_t;

static unsigned me, nodes;
static uint64_t root_children = 2000, grain = 50;
// Each of four possible children exists with this probability: sizes vary widely, the mean is
// root_children / (1 - 4 * 0.24).
static const uint64_t threshold = (uint64_t)(0.24 * 18446744073709551616.0);

// Changed by handlers, which run only inside this process's GASNet calls (SEQ).
static item_t *stack;
static size_t top, room;
static uint64_t counted, deepest, stolen, given;
static int replied;  // the steal in flight
static struct {
    int here, black;
    int64_t count;
} token;
static int black;        // work arrived since the token left
static int64_t balance;  // messages with work: sent - received
static int done;
static uint64_t all_counted, all_deepest, results;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

// ---------------------------------------------------------------- the tree
static void push(item_t item)
{
    if (top == room && !(stack = realloc(stack, (room = room ? 2 * room : 1024) * sizeof *stack)))
        gasnet_exit(1);
    stack[top++] = item;
}

static volatile uint64_t worked;  // keeps the compiler from removing the work

/** Counts one node of the tree and puts its children on the stack. */
static void expand(item_t item)
{
    uint64_t most = item.is_root ? root_children : 4, work = item.state;
    for (uint64_t i = 0; i < grain; i++)
        work = mix(work + i);
    worked = work;
    counted++;
    if (item.depth > deepest)
        deepest = item.depth;
    for (uint64_t i = 0; i < most; i++) {
        uint64_t child = mix(item.state + UINT64_C(0x9E3779B97F4A7C15) * (i + 1));
        if (item.is_root || mix(child) < threshold)
            push((item_t){child, item.depth + 1, 0});
    }
}

// ---------------------------------------------------------------- handlers
/** Gives away the older half, which has the larger trees below it, up to the size of a message. */
static void on_steal(gasnet_token_t from)
{
    size_t most = gasnet_AMMaxMedium() / sizeof *stack, n = top / 2 < most ? top / 2 : most;
    if (n == 0) {
        gasnet_AMReplyShort0(from, NO_WORK);
        return;
    }
    balance++;
    given += n;
    gasnet_AMReplyMedium0(from, WORK, stack, n * sizeof *stack);  // copied before it returns
    top -= n;
    for (size_t i = 0; i < top; i++)
        stack[i] = stack[i + n];
}

static void on_work(gasnet_token_t from, void *data, size_t nbytes)
{
    (void)from;
    balance--;
    black = 1;
    stolen += nbytes / sizeof(item_t);
    for (size_t i = 0; i < nbytes / sizeof(item_t); i++)
        push(((const item_t *)data)[i]);
    replied = 1;
}

static void on_no_work(gasnet_token_t from)
{
    (void)from;
    replied = 1;
}

static void on_token(gasnet_token_t from, gasnet_handlerarg_t is_black, gasnet_handlerarg_t high,
                     gasnet_handlerarg_t low)
{
    (void)from;
    token.here = 1;
    token.black = is_black;
    token.count = (int64_t)((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}

static void on_done(gasnet_token_t from)
{
    (void)from;
    done = 1;
}

static void on_result(gasnet_token_t from, void *data, size_t nbytes)
{
    const uint64_t *result = data;
    (void)from, (void)nbytes;
    all_counted += result[0];
    if (result[1] > all_deepest)
        all_deepest = result[1];
    results++;
}

static gasnet_handlerentry_t handlers[] = {
    {STEAL, (void (*)())on_steal}, {WORK, (void (*)())on_work}, {NO_WORK, (void (*)())on_no_work},
    {TOKEN, (void (*)())on_token}, {DONE, (void (*)())on_done}, {RESULT, (void (*)())on_result},
};

// ---------------------------------------------------------------- who has nothing to do
/** Tries to steal from all others, beginning at a random one. */
static void steal(uint64_t *random)
{
    gasnet_node_t first = (gasnet_node_t)((*random = mix(*random + 1)) % nodes);
    for (unsigned i = 0; i < nodes && top == 0 && !done; i++) {
        gasnet_node_t victim = (first + i) % nodes;
        if (victim == me)
            continue;
        replied = 0;
        gasnet_AMRequestShort0(victim, STEAL);
        GASNET_BLOCKUNTIL(replied);
    }
}

static void send_token(int is_black, int64_t count)
{
    token.here = 0;
    black = 0;
    gasnet_AMRequestShort3((me + 1) % nodes, TOKEN, is_black, (gasnet_handlerarg_t)(count >> 32),
                           (gasnet_handlerarg_t)(uint32_t)count);
}

/** Idle, with the token. Node 0 decides: the last round is one in which no node got work and none
 *  was in flight. */
static void pass_token(void)
{
    if (me != 0) {
        send_token(token.black | black, token.count + balance);
    } else if (!token.black && !black && token.count + balance == 0) {
        for (unsigned node = 0; node < nodes; node++)
            gasnet_AMRequestShort0(node, DONE);
    } else {
        send_token(0, 0);
    }
}

static void wait_a_little(unsigned idle_rounds)
{
    unsigned shift = idle_rounds < 6 ? idle_rounds : 6;
    // Up to 1.3 ms: the token and stealing continue meanwhile.
    struct timespec pause = {.tv_nsec = 20000L << shift};
    nanosleep(&pause, NULL);
}

static void work(void)
{
    uint64_t random = me + 1;
    unsigned idle_rounds = 0;
    while (!done) {
        while (top > 0) {
            idle_rounds = 0;
            for (int i = 0; i < 32 && top > 0; i++)
                expand(stack[--top]);
            gasnet_AMPoll();  // serves thieves
        }
        steal(&random);
        if (top > 0)
            continue;
        gasnet_AMPoll();
        if (top == 0 && token.here)
            pass_token();
        else
            wait_a_little(idle_rounds++);
    }
}

// ---------------------------------------------------------------- job
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

static const item_t root = {1, 0, 1};

/** Counts the same tree on one node alone. Returns whether all results agree. */
static int verify(void)
{
    uint64_t nodes_found = all_counted, depth_found = all_deepest;
    counted = deepest = 0;
    grain = 1;
    push(root);
    while (top > 0)
        expand(stack[--top]);
    if (counted == nodes_found && deepest == depth_found)
        return 1;
    printf("FAILED: %llu nodes and depth %llu, but one node alone finds %llu and %llu\n",
           (unsigned long long)nodes_found, (unsigned long long)depth_found,
           (unsigned long long)counted, (unsigned long long)deepest);
    return 0;
}

int main(int argc, char **argv)
{
    gasnet_init(&argc, &argv);
    if (gasnet_attach(handlers, sizeof handlers / sizeof *handlers, 0, 0) != GASNET_OK)
        gasnet_exit(1);
    nodes = gasnet_nodes();
    me = gasnet_mynode();
    if (argc > 1)
        root_children = (uint64_t)whole_number(argv[1], 1, 1L << 32);
    if (root_children < 1 || argc > 2) {
        fprintf(stderr, "usage: work_stealing [children of the root, 1 to 2^32]\n");
        gasnet_exit(2);
    }
    barrier();
    double start = now();
    if (me == 0) {
        push(root);
        token.here = 1;
        token.black = 1;  // the first round decides nothing
    }
    work();
    double seconds = now() - start;
    uint64_t result[2] = {counted, deepest};
    gasnet_AMRequestMedium0(0, RESULT, result, sizeof result);
    if (me == 0)
        GASNET_BLOCKUNTIL(results == nodes);
    barrier();
    printf("node %u: %llu nodes counted, %llu stolen, %llu given\n", me,
           (unsigned long long)counted, (unsigned long long)stolen, (unsigned long long)given);
    fflush(stdout);
    barrier();
    int good = me == 0 ? verify() : 1;
    if (me == 0)
        printf(
            "RESULT program=work_stealing pes=%u verified=%s seconds=%.6f rate=%.6f unit=Mnode/s\n",
            nodes, good ? "yes" : "no", seconds, (double)all_counted / seconds * 1e-6);
    gasnet_exit(!good);
    return 1;
}
