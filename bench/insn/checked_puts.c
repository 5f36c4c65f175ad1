// SPDX-License-Identifier: BSD-3-Clause
/*
 * checked_puts INTERFACE [time]: instructions of a put of 1 KiB from process 0 to process 1 in one
 * of the interfaces (shmem, gasnet, gex, armci, dart), from its entry to the return and, off the
 * node, to the network library; or its time. Run it with CAUSEWAY_CHECK=0 and 1 to see what
 * checking mode costs. "same": between the same two buffers; "turns": among several blocks.
 */
#define _GNU_SOURCE
#include <armci.h>
#include <dash/dart/if/dart.h>
#include <gasnet.h>
#include <gasnetex.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common.h"
#include "step.h"

enum { NBYTES = 1024, BLOCKS = 3, WARM = 12, COUNTED = 4, ROUNDS = 15, PUTS = 20000 };

static const char *const PROVIDERS[] = {"libfabric", "libmock"};
static const char *interface;
static struct bench_opts opts;
static int me;
static volatile unsigned char *mine;  // in process 1: what process 0 writes to
static void *source[BLOCKS], *there[BLOCKS];  // of process 1, if it has a name there
static dart_gptr_t there_in_dart[BLOCKS];
static gex_TM_t all;

static int is(const char *name)
{
    return strcmp(interface, name) == 0;
}

#define CALL(name, fn, ...)                          \
    STEP_CALLER static void do_##name(int n)         \
    {                                                \
        __typeof__(&fn) volatile through = fn;       \
        __typeof__(&fn) call = through;              \
        step_begin();                                \
        call(__VA_ARGS__);                           \
        step_end();                                  \
    }                                                \
    static void put_##name(int n)                    \
    {                                                \
        (void)fn(__VA_ARGS__);                       \
    }
CALL(shmem, shmem_putmem, there[n], source[n], NBYTES, 1)
CALL(gasnet, gasnet_put_bulk, 1, there[n], source[n], NBYTES)
static int gex_put(void *dest, void *src, size_t nbytes)
{
    return gex_RMA_PutBlocking(all, 1, dest, src, nbytes, 0);
}
CALL(gex, gex_put, there[n], source[n], NBYTES)
CALL(armci, ARMCI_Put, source[n], there[n], NBYTES, 1)
CALL(dart, dart_put_blocking, there_in_dart[n], source[n], NBYTES, DART_TYPE_BYTE, DART_TYPE_BYTE)

static const struct {
    const char *name;
    void (*counted)(int n), (*put)(int n);
} INTERFACES[] = {{"shmem", do_shmem, put_shmem},
                  {"gasnet", do_gasnet, put_gasnet},
                  {"gex", do_gex, put_gex},
                  {"armci", do_armci, put_armci},
                  {"dart", do_dart, put_dart}};

static void join_gasnet(void)
{
    void *base;
    if (is("gasnet")) {
        gasnet_seginfo_t seg[2];
        gasnet_init(NULL, NULL);
        gasnet_attach(NULL, 0, 16 * GASNET_PAGESIZE, 0);
        gasnet_getSegmentInfo(seg, 2);
        me = (int)gasnet_mynode();
        base = seg[1].addr;
    } else {
        gex_Client_t client;
        gex_EP_t ep;
        gex_Segment_t segment;
        gex_Client_Init(&client, &ep, &all, "checked puts", NULL, NULL, 0);
        gex_Segment_Attach(&segment, all, 16 * GASNET_PAGESIZE);
        gex_Event_Wait(gex_EP_QueryBoundSegmentNB(all, 1, &base, NULL, NULL, 0));
        me = (int)gex_TM_QueryRank(all);
    }
    for (int n = 0; n < BLOCKS; n++)
        there[n] = (char *)base + n * 2 * NBYTES;
    mine = there[0];
}

static void join(void)
{
    void *blocks[2];
    if (is("gasnet") || is("gex")) {
        join_gasnet();
    } else if (is("shmem")) {
        shmem_init();
        me = shmem_my_pe();
    } else if (is("armci")) {
        ARMCI_Init();
        me = armci_msg_me();
    } else {
        dart_global_unit_t unit;
        dart_init(NULL, NULL);
        dart_myid(&unit);
        me = unit.id;
    }
    for (int n = 0; n < BLOCKS; n++) {
        source[n] = malloc(NBYTES);
        memset(source[n], n, NBYTES);  // the first, which process 1 waits for, is 0 until the end
        if (is("shmem")) {
            there[n] = shmem_malloc(NBYTES);
            mine = there[0];
        } else if (is("armci")) {
            ARMCI_Malloc(blocks, NBYTES);
            there[n] = blocks[1];
            mine = there[0];
        } else if (is("dart")) {
            dart_team_memalloc_aligned(DART_TEAM_ALL, NBYTES, DART_TYPE_BYTE, &there_in_dart[n]);
            there_in_dart[n].unitid = me;
            dart_gptr_getaddr(there_in_dart[0], (void **)&mine);
            there_in_dart[n].unitid = 1;
        }
    }
}

static void meet(void)
{
    if (is("shmem"))
        shmem_barrier_all();
    else if (is("armci"))
        ARMCI_Barrier();
    else if (is("dart"))
        dart_barrier(DART_TEAM_ALL);
    else if (is("gasnet"))
        gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS),
            gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    else
        gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
}

/** Process 1 sleeps outside of the library, so that no put has to wake it. */
static void wait_for_end(void)
{
    while (!*mine)
        usleep(1000);
}

static void tell_end(void (*put)(int n))
{
    *(char *)source[0] = 1;
    put(0);
    if (is("shmem"))
        shmem_quiet();
    else if (is("armci"))
        ARMCI_AllFence();
}

static void leave(void)
{
    if (is("shmem"))
        shmem_finalize();
    else if (is("armci"))
        ARMCI_Finalize();
    else if (is("dart"))
        dart_exit();
    else
        gasnet_exit(0);
}

static void count(void (*counted)(int n), const char *what, int blocks)
{
    struct bench_series total = {0}, entry = {0};
    char op[64];
    for (int i = 0; i < WARM + COUNTED; i++) {
        step_clear();
        counted(i % blocks);
        long before = step_first_in(PROVIDERS, sizeof PROVIDERS / sizeof PROVIDERS[0]);
        if (i >= WARM && before >= 0)
            bench_series_add(&entry, (double)before);
        if (i >= WARM && !step_truncated())
            bench_series_add(&total, (double)step_log->n);
    }
    snprintf(op, sizeof op, "%s.%s.total", interface, what);
    bench_emit(&opts, "insn", op, NBYTES, "instructions", &total);
    snprintf(op, sizeof op, "%s.%s.to_provider", interface, what);
    if (entry.n)
        bench_emit(&opts, "insn", op, NBYTES, "instructions", &entry);
}

static void clock_puts(void (*put)(int n), const char *what, int blocks)
{
    struct bench_series ns = {0};
    char op[64];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = bench_now_ns();
        for (int i = 0, n = 0; i < PUTS; i++, n = n + 1 == blocks ? 0 : n + 1)
            put(n);
        bench_series_add(&ns, (double)(bench_now_ns() - begin) / PUTS);
    }
    snprintf(op, sizeof op, "%s.%s", interface, what);
    bench_emit(&opts, "time", op, NBYTES, "ns", &ns);
}

int main(int argc, char **argv)
{
    if (!STEP_WORKS) {
        printf("SKIP: the single-step harness is for x86-64 Linux\n");
        return 77;
    }
    if (argc < 2)
        return 2;
    interface = argv[1];
    step_init();
    join();
    meet();
    if (me == 1)
        wait_for_end();
    for (size_t i = 0; me == 0 && i < sizeof INTERFACES / sizeof INTERFACES[0]; i++) {
        if (!is(INTERFACES[i].name))
            continue;
        if (argc > 2) {
            clock_puts(INTERFACES[i].put, "same", 1);
            clock_puts(INTERFACES[i].put, "turns", BLOCKS);
        } else {
            count(INTERFACES[i].counted, "same", 1);
            count(INTERFACES[i].counted, "turns", BLOCKS);
        }
        tell_end(INTERFACES[i].put);
    }
    meet();
    fflush(stdout);
    leave();
    return 0;
}
