// SPDX-License-Identifier: BSD-3-Clause
/*
 * A put of 1 KiB from process 0 to process 1 in one interface, whose source is linked with this one
 * (puts.h): its time, or with --mode 1 its instructions, from its entry to the return and, off the
 * node, to the network library. Run it with CAUSEWAY_CHECK=0 and 1 to see what checking mode costs.
 * "same": between the same two buffers; "turns" and "many": among three blocks, and all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common.h"
#include "puts.h"

enum { WARM = 12, COUNTED = 4, FEW_BLOCKS = 3 };

// Blocks of malloc that have mappings of their own lie in no part of the program's data.
#ifdef MAPPED
enum { SOURCE_NBYTES = 1 << 20 };
#else
enum { SOURCE_NBYTES = PUTS_NBYTES };
#endif
void *puts_source[PUTS_BLOCKS];
int puts_blocks;

static const char *const PROVIDERS[] = {"libfabric", "libmock"};
static struct bench_opts opts;
static volatile unsigned char *mine;  // in process 1: what process 0 writes to

/** Process 1 sleeps outside of the library, so that no put has to wake it. */
static void wait_for_end(void)
{
    while (!*mine)
        usleep(1000);
}

static void tell_end(void)
{
    *(char *)puts_source[0] = 1;
    puts_interface.put(0);
    puts_interface.complete();
}

static void emit(const char *bench, const char *what, const char *unit, struct bench_series *series)
{
    char op[64];
    snprintf(op, sizeof op, "%s.%s", puts_interface.name, what);
    bench_emit(&opts, bench, op, PUTS_NBYTES, unit, series);
}

static void count(const char *what, int blocks)
{
    struct bench_series total = {0}, entry = {0};
    char name[32];
    puts_blocks = blocks;
    step_skip();
    for (int i = 0; i < WARM; i++)
        puts_interface.counted(i % blocks);
    for (int i = WARM; i < WARM + COUNTED; i++) {
        step_clear();
        puts_interface.counted(i % blocks);
        long before = step_first_in(PROVIDERS, sizeof PROVIDERS / sizeof PROVIDERS[0]);
        if (before >= 0)
            bench_series_add(&entry, (double)before);
        if (!step_truncated())
            bench_series_add(&total, (double)step_log->n);
    }
    snprintf(name, sizeof name, "%s.total", what);
    emit("insn", name, "instructions", &total);
    snprintf(name, sizeof name, "%s.to_provider", what);
    if (entry.n)
        emit("insn", name, "instructions", &entry);
}

static void write_trace(void)
{
    FILE *file = opts.trace ? fopen(opts.trace, "w") : NULL;
    if (!file)
        return;
    for (int i = 0; i < WARM; i++) {
        step_clear();
        puts_interface.counted(0);
    }
    step_write(file, puts_interface.name, "put");
    fclose(file);
}

static void puts_in_turns(void *ctx, size_t n)
{
    int blocks = *(const int *)ctx;
    for (size_t i = 0; i < n; i++)
        puts_interface.put((int)(i % (size_t)blocks));
}

static void complete(void *ctx, size_t n)
{
    (void)ctx, (void)n;
    puts_interface.complete();
}

static void clock_puts(const char *what, int blocks)
{
    struct bench_series ns = {0};
    bench_measure(&opts, puts_in_turns, complete, &blocks, &ns);
    emit("checks", what, "ns", &ns);
}

int main(int argc, char **argv)
{
    bench_parse(argc, argv, &opts);
    if (opts.mode == 1 && !STEP_WORKS) {
        printf("SKIP: the single-step harness is for x86-64 Linux\n");
        return 77;
    }
    for (int n = 0; n < PUTS_BLOCKS; n++) {
        puts_source[n] = malloc(SOURCE_NBYTES);
        memset(puts_source[n], 0, PUTS_NBYTES);
    }
    step_init();
    const int me = puts_interface.join(&mine);
    puts_interface.barrier();
    if (me == 1)
        wait_for_end();
    if (me == 0) {
        void (*measure)(const char *, int) = opts.mode == 1 ? count : clock_puts;
        measure("same", 1);
        measure("turns", FEW_BLOCKS);
        if (puts_interface.many)
            measure("many", PUTS_BLOCKS);
        write_trace();
        tell_end();
    }
    puts_interface.barrier();
    fflush(stdout);
    puts_interface.leave();
    return 0;
}
