// SPDX-License-Identifier: BSD-3-Clause
/*
 * How many instructions do the runtime calls take that a UPC compiler emits for a write of a shared
 * int and for upc_fence? A MODEL OF THOSE CALLS, written by hand in C: no UPC compiler is involved.
 * It follows what compilers that stand on GASNet emit:
 *
 *     shared int *p;  *p = 7;  locality test: if the thread is this one, or its memory is mapped
 *                              here, a store; else a put of a register value (gasnet_put_val, or
 *                              put_nbi_val where the compiler lets relaxed writes overlap), or of
 *                              memory (put_bulk, put_nbi_bulk)
 *     upc_fence;               wait for the implicit puts, then a memory barrier
 *
 * A pointer to shared is {thread, phase, address}, packed as such compilers pack it for blocks of
 * one element. Counted from the entry of the runtime call, in the steady state, by single steps
 * (step.h): in all, and up to the first instruction of the network library if it gets there. Run it
 * on one node and on two: oshrun -n 2 [--emulate-nodes 2] ./upc_calls
 */
#define _GNU_SOURCE
#define GASNET_SEQ 1
#include <gasnet.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "naps.h"
#include "step.h"

enum { WARM = 32, COUNTED = 10 };
static const char *const PROVIDERS[] = {"libfabric", "libmock"};

typedef struct shared_int {
    uint64_t thread_and_phase; // thread in the upper half
    int *addr;                 // in that thread's own view
} shared_int_t;

static uint32_t me, threads;
static const ptrdiff_t *distance; // of a thread's memory here, or FAR
#define FAR PTRDIFF_MIN

// ---------------------------------------------------------------- the runtime calls
static uint32_t thread_of(shared_int_t p)
{
    return (uint32_t)(p.thread_and_phase >> 32);
}

/** The locality test. NULL: not mapped here. */
static inline int *mapped(shared_int_t p)
{
    ptrdiff_t d = distance[thread_of(p)];
    return d == FAR ? NULL : (int *)((uintptr_t)p.addr + (uintptr_t)d);
}

static void write_val(shared_int_t p, int value)
{
    int *local = mapped(p);
    if (local)
        *(volatile int *)local = value;
    else
        gasnet_put_val(thread_of(p), p.addr, (gasnet_register_value_t)value, sizeof value);
}

static void write_nbi_val(shared_int_t p, int value)
{
    int *local = mapped(p);
    if (local)
        *(volatile int *)local = value;
    else
        gasnet_put_nbi_val(thread_of(p), p.addr, (gasnet_register_value_t)value, sizeof value);
}

static void write_bulk(shared_int_t p, int value)
{
    int *local = mapped(p);
    if (local)
        *(volatile int *)local = value;
    else
        gasnet_put_bulk(thread_of(p), p.addr, &value, sizeof value);
}

/** For code that leaves the locality test to GASNet. */
static void write_untested(shared_int_t p, int value)
{
    gasnet_put_nbi_val(thread_of(p), p.addr, (gasnet_register_value_t)value, sizeof value);
}

static void fence_call(shared_int_t p, int value)
{
    (void)p, (void)value;
    gasnet_wait_syncnbi_puts();
    __sync_synchronize();
}

// ---------------------------------------------------------------- counting
typedef void (*runtime_call_t)(shared_int_t p, int value);

STEP_CALLER static void do_call(runtime_call_t call, shared_int_t p)
{
    step_begin();
    call(p, 7);
    step_end();
}

/** One number, or a span. */
static void print_counts(const char *what, const long *counts, int n)
{
    long least = counts[0], most = counts[0];
    for (int i = 1; i < n; i++) {
        least = counts[i] < least ? counts[i] : least;
        most = counts[i] > most ? counts[i] : most;
    }
    if (n == 0)
        printf(" %12s", "-");
    else if (least == most)
        printf(" %5ld %-6s", least, what);
    else
        printf(" %ld-%ld %s", least, most, what);
}

/** So many calls and a sync, of which the one at that position is counted; none for -1. */
static void window(runtime_call_t call, shared_int_t p, int size, int position)
{
    for (int i = 0; i < size; i++) {
        if (i != position) {
            call(p, 7);
            continue;
        }
        step_clear();
        atomic_store(&is_counting, true);
        do_call(call, p);
        atomic_store(&is_counting, false);
    }
    gasnet_wait_syncnbi_puts();
}

/** A call by its place among others before one sync. */
static void count_state(const char *name, runtime_call_t call, shared_int_t p, int size,
                        int position)
{
    long total[COUNTED], entry[COUNTED];
    int ntotal = 0, nentry = 0;
    for (int i = 0; i < WARM; i++)
        window(call, p, size, -1);
    for (int round = 0; round < COUNTED; round++) {
        window(call, p, size, position);
        long steps = step_first_in(PROVIDERS, sizeof PROVIDERS / sizeof *PROVIDERS);
        if (steps >= 0)
            entry[nentry++] = steps;
        else if (!step_truncated())
            total[ntotal++] = (long)step_log->n;
    }
    printf("%-52s", name);
    print_counts("in all", total, nentry > COUNTED / 2 ? 0 : ntotal);
    print_counts("to it", entry, nentry > COUNTED / 2 ? nentry : 0);
    printf("\n");
}

static void count(const char *name, runtime_call_t call, runtime_call_t before, shared_int_t p)
{
    long total[COUNTED], entry[COUNTED];
    int ntotal = 0, nentry = 0;
    for (int i = 0; i < WARM; i++)
        do_call(call, p);
    for (int round = 0; round < COUNTED; round++) {
        gasnet_wait_syncnbi_all();
        if (before)
            before(p, 3);
        step_clear();
        do_call(call, p);
        long steps = step_first_in(PROVIDERS, sizeof PROVIDERS / sizeof *PROVIDERS);
        if (steps >= 0)
            entry[nentry++] = steps;
        if (!step_truncated())
            total[ntotal++] = (long)step_log->n;
    }
    printf("%-52s", name);
    print_counts("in all", total, nentry ? 0 : ntotal); // what the network library adds is its own
    print_counts("to it", entry, nentry);
    printf("\n");
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/** Where other threads' memory is, as a UPC runtime asks at start. */
static void find_threads(gasnet_seginfo_t *segments)
{
    gasnet_nodeinfo_t *nodes = calloc(threads, sizeof *nodes);
    ptrdiff_t *d = calloc(threads, sizeof *d);
    if (!nodes || !d)
        gasnet_exit(1);
    gasnet_getNodeInfo(nodes, (int)threads);
    gasnet_getSegmentInfo(segments, (int)threads);
    for (uint32_t i = 0; i < threads; i++)
        d[i] = nodes[i].supernode == nodes[me].supernode ? (ptrdiff_t)nodes[i].offset : FAR;
    free(nodes);
    distance = d;
}

int main(int argc, char **argv)
{
    gasnet_seginfo_t segments[2];
    if (!STEP_WORKS) {
        printf("SKIP: instructions are counted on x86-64 only\n");
        return 77;
    }
    gasnet_init(&argc, &argv);
    threads = gasnet_nodes();
    me = gasnet_mynode();
    if (threads != 2 || gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK) {
        fprintf(stderr, "upc_calls: wants a job of 2\n");
        gasnet_exit(2);
    }
    find_threads(segments);
    step_init();
    barrier();
    if (me == 0) {
        const shared_int_t own = {(uint64_t)0 << 32, segments[0].addr},
                           other = {(uint64_t)1 << 32, segments[1].addr};
        const char *where = distance[1] == FAR ? "other node" : "same node";
        char name[96];
        printf("Instructions of UPC runtime calls (a hand-written model, no UPC compiler), to %s; "
               "\"to it\": to the "
               "network "
               "library\n",
               where);
        count("shared write of an int, own thread", write_val, NULL, own);
        const struct {
            const char *name;
            runtime_call_t call;
        } writes[] = {{"put_val", write_val},
                      {"put_nbi_val", write_nbi_val},
                      {"put_bulk", write_bulk},
                      {"put_nbi_val without locality test", write_untested}};
        for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
            snprintf(name, sizeof name, "shared write of an int, %s, %s", where, writes[i].name);
            count(name, writes[i].call, NULL, other);
        }
        const struct {
            const char *name;
            int size, position;
        } states[] = {{"alone before its fence", 1, 0},
                      {"one of four", 4, 1},
                      {"first of a flood of 64", 64, 0},
                      {"third of a flood", 64, 2},
                      {"later in a flood", 64, 15}};
        for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
            snprintf(name, sizeof name, "relaxed shared write, %s", states[i].name);
            count_state(name, write_nbi_val, other, states[i].size, states[i].position);
        }
        count("upc_fence, nothing pending", fence_call, NULL, other);
        count("upc_fence after a write", fence_call, write_nbi_val, other);
        gasnet_wait_syncnbi_all();
    }
    fflush(stdout);
    barrier();
    int good =
        me == 0 || *(volatile int *)segments[1].addr == 7 || *(volatile int *)segments[1].addr == 3;
    gasnet_exit(!good);
    return 1;
}
