// SPDX-License-Identifier: BSD-3-Clause
/*
 * How many instructions does a call of ARMCI or DART from process 0 to process 1 take: in all, and
 * from its entry to the first instruction of the network library? Counted by single steps, in the
 * steady state. "first" is the first call after everything was complete, "next" the one behind it.
 * Run it on one node and on two: LD_BIND_NOW=1 oshrun -n 2 [--emulate-nodes 2] ./pgas_calls;
 * --trace FILE writes the instruction streams for annotate.py.
 */
#define _GNU_SOURCE
#include <armci.h>
#include <dash/dart/if/dart.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common.h"
#include "step.h"

enum { WARM = 32, COUNTED = 8, COUNTED_QUICK = 4, ROOM = 4096 };

static const char *const PROVIDERS[] = {"libfabric", "libmock"};
static struct bench_opts opts;
static FILE *trace;
static void *segment[2];
static dart_gptr_t there;  // in process 1
static long value = 1;
static double scale = 1.0;

#define CALL(name, fn, ...)                 \
    STEP_CALLER static void do_##name(void) \
    {                                       \
        STEP_CALL(fn, __VA_ARGS__);         \
    }
#define BYTES DART_TYPE_BYTE, DART_TYPE_BYTE
CALL(put, ARMCI_Put, &value, segment[1], 8, 1)
CALL(nbput, ARMCI_NbPut, &value, segment[1], 8, 1, NULL)
CALL(get, ARMCI_Get, segment[1], &value, 8, 1)
CALL(rmw, ARMCI_Rmw, ARMCI_FETCH_AND_ADD_LONG, &value, segment[1], 1, 1)
CALL(acc, ARMCI_Acc, ARMCI_ACC_DBL, &scale, &value, segment[1], 8, 1)
CALL(fence, ARMCI_Fence, 1)
CALL(dart_put, dart_put, there, &value, 8, BYTES)
CALL(dart_put_blocking, dart_put_blocking, there, &value, 8, BYTES)
CALL(dart_get, dart_get, &value, there, 8, BYTES)
CALL(dart_get_blocking, dart_get_blocking, &value, there, 8, BYTES)

static const struct {
    const char *name;
    void (*call)(void);
} CALLS[] = {
    {"ARMCI_Put.8", do_put},     {"ARMCI_NbPut.8", do_nbput},
    {"ARMCI_Get.8", do_get},     {"ARMCI_Rmw", do_rmw},
    {"ARMCI_Acc.8", do_acc},     {"ARMCI_Fence", do_fence},
    {"dart_put.8", do_dart_put}, {"dart_put_blocking.8", do_dart_put_blocking},
    {"dart_get.8", do_dart_get}, {"dart_get_blocking.8", do_dart_get_blocking},
};

static void settle(void)
{
    ARMCI_AllFence();
    dart_flush_all(there);
    step_clear();
}

static void add_counts(struct bench_series *total, struct bench_series *entry)
{
    long before = step_first_in(PROVIDERS, sizeof PROVIDERS / sizeof PROVIDERS[0]);
    if (before >= 0)
        bench_series_add(entry, (double)before);
    if (!step_truncated())
        bench_series_add(total, (double)step_log->n);
}

static void emit(const char *name, const char *what, struct bench_series *series)
{
    char op[64];
    snprintf(op, sizeof op, "%s.%s", name, what);
    bench_emit(&opts, "insn_pgas", op, 0, "instructions", series);
    free(series->v);
}

static void count(size_t i)
{
    struct bench_series total[2] = {{0}}, entry[2] = {{0}};
    int rounds = opts.quick ? COUNTED_QUICK : COUNTED;
    for (int n = 0; n < WARM; n++) {
        CALLS[i].call();
        if (n % 8 == 7)
            settle();
    }
    for (int round = 0; round < rounds; round++) {
        settle();
        for (int nth = 0; nth < 2; nth++) {
            step_clear();
            CALLS[i].call();
            add_counts(&total[nth], &entry[nth]);
            if (trace && round == rounds - 1)
                step_write(trace, CALLS[i].name, nth ? "next" : "first");
        }
    }
    emit(CALLS[i].name, "total.first", &total[0]);
    emit(CALLS[i].name, "total.next", &total[1]);
    emit(CALLS[i].name, "to_provider.first", &entry[0]);
    emit(CALLS[i].name, "to_provider.next", &entry[1]);
}

static void count_all(void)
{
    if (opts.trace && !(trace = fopen(opts.trace, "w"))) {
        perror(opts.trace);
        exit(1);
    }
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++)
        if (bench_wants(&opts, CALLS[i].name))
            count(i);
    if (trace)
        fclose(trace);
}

int main(int argc, char **argv)
{
    dart_team_unit_t other = {1};
    bench_parse(argc, argv, &opts);
    if (!STEP_WORKS) {
        printf("SKIP: the single-step harness is for x86-64 Linux\n");
        return 77;
    }
    ARMCI_Init_args(&argc, &argv);
    if (dart_init(&argc, &argv) != DART_OK || armci_msg_nproc() != 2 ||
        ARMCI_Malloc(segment, ROOM) != 0 ||
        dart_team_memalloc_aligned(DART_TEAM_ALL, ROOM, DART_TYPE_BYTE, &there) != DART_OK)
        ARMCI_Error("pgas_calls: needs two processes and memory", 1);
    step_init();
    dart_gptr_setunit(&there, other);
    ARMCI_Barrier();
    if (armci_msg_me() == 0)
        count_all();
    ARMCI_Barrier();
    ARMCI_Free(segment[armci_msg_me()]);
    dart_exit();
    ARMCI_Finalize();
    return 0;
}
