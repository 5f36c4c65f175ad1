// SPDX-License-Identifier: BSD-3-Clause
//
// Options, clocks and results, for all programs of the bench (common.h).
#define _GNU_SOURCE
#include "common.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_SAMPLES = 12, MAX_SAMPLES = 20000, HARD_LIMIT = 20, SETTLE_NS = 100000000 };
enum { MAX_NAMES = 64 };

// For what --only names, and the programs do not have.
static struct {
    char asked[MAX_NAMES][40];
    size_t n;
    bool found;
    const char *program, *only;
} names;

static void usage(FILE *out, const char *program)
{
    fprintf(out,
            "Usage: %s [option]...\n"
            "Measures, and prints a line of JSON for each measurement (bench/README.md).\n"
            "  --quick            few sizes, short budgets\n"
            "  --only NAME        one measurement\n"
            "  --max-bytes N      largest transfer (%zu)\n"
            "  --budget-ms N      time spent on a line (40; with --quick 10)\n"
            "  --samples N        quantiles printed in each line (0)\n"
            "  --target HOW       what the target does: barrier or busy\n"
            "  --mode N           what the program measures, by its own numbers (0)\n"
            "  --trace FILE       of counted instructions: the instructions\n"
            "  --provider NAME, --endpoint rdm|msg, --unbound, --program FILE, --nprocs N\n"
            "                     of baselines\n",
            program, BENCH_MAX_BYTES);
}

static void refuse(const char *program, const char *option, const char *value, const char *wanted)
{
    fprintf(stderr, "%s: %s \"%s\": expected %s\n", program, option, value, wanted);
    exit(2);
}

static const char *option_value(int argc, char **argv, int *i_p)
{
    if (*i_p + 1 >= argc) {
        fprintf(stderr, "%s: option %s needs a value\n", argv[0], argv[*i_p]);
        exit(2);
    }
    return argv[++*i_p];
}

static size_t option_number(int argc, char **argv, int *i_p, size_t least)
{
    const char *option = argv[*i_p], *value = option_value(argc, argv, i_p);
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 0);
    if (errno || end == value || *end || *value == '-' || number < least)
        refuse(argv[0], option, value, least ? "a whole number from 1" : "a whole number");
    return number;
}

static int option_int(int argc, char **argv, int *i_p, int least)
{
    const char *option = argv[*i_p];
    const size_t number = option_number(argc, argv, i_p, (size_t)least);
    if (number > INT_MAX)
        refuse(argv[0], option, argv[*i_p], "a smaller number");
    return (int)number;
}

static double option_time(int argc, char **argv, int *i_p)
{
    const char *option = argv[*i_p], *value = option_value(argc, argv, i_p);
    char *end;
    const double number = strtod(value, &end);
    if (end == value || *end || !(number > 0 && number <= 1e9))
        refuse(argv[0], option, value, "milliseconds, more than 0");
    return number;
}

static const char *option_word(int argc, char **argv, int *i_p, const char *one, const char *other)
{
    const char *option = argv[*i_p], *value = option_value(argc, argv, i_p);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%s or %s", one, other);
    if (strcmp(value, one) != 0 && strcmp(value, other) != 0)
        refuse(argv[0], option, value, wanted);
    return value;
}

static void tell_names(void)
{
    if (!names.n || names.found)
        return;
    fprintf(stderr, "%s: --only \"%s\": no measurement has that name; there are", names.program,
            names.only);
    for (size_t i = 0; i < names.n; i++)
        fprintf(stderr, "%s %s", i ? "," : "", names.asked[i]);
    fputs("\n", stderr);
}

void bench_parse(int argc, char **argv, struct bench_opts *opts)
{
    *opts = (struct bench_opts){
        .max_bytes = BENCH_MAX_BYTES, .target = "barrier", .endpoint = "rdm", .nprocs = 2};
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (!strcmp(arg, "--quick"))
            opts->quick = 1;
        else if (!strcmp(arg, "--unbound"))
            opts->unbound = 1;
        else if (!strcmp(arg, "--samples"))
            opts->nsamples = option_int(argc, argv, &i, 0);
        else if (!strcmp(arg, "--budget-ms"))
            opts->budget_ms = option_time(argc, argv, &i);
        else if (!strcmp(arg, "--max-bytes"))
            opts->max_bytes = option_number(argc, argv, &i, 1);
        else if (!strcmp(arg, "--only"))
            opts->only = option_value(argc, argv, &i);
        else if (!strcmp(arg, "--target"))
            opts->target = option_word(argc, argv, &i, "barrier", "busy");
        else if (!strcmp(arg, "--provider"))
            opts->provider = option_value(argc, argv, &i);
        else if (!strcmp(arg, "--endpoint"))
            opts->endpoint = option_word(argc, argv, &i, "rdm", "msg");
        else if (!strcmp(arg, "--program"))
            opts->program = option_value(argc, argv, &i);
        else if (!strcmp(arg, "--trace"))
            opts->trace = option_value(argc, argv, &i);
        else if (!strcmp(arg, "--nprocs"))
            opts->nprocs = option_int(argc, argv, &i, 1);
        else if (!strcmp(arg, "--mode"))
            opts->mode = option_int(argc, argv, &i, 0);
        else if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
            usage(stdout, argv[0]);
            exit(0);
        } else {
            fprintf(stderr, "%s: unknown option %s (--help shows the options)\n", argv[0], arg);
            exit(2);
        }
    }
    if (opts->max_bytes > BENCH_MAX_BYTES)
        opts->max_bytes = BENCH_MAX_BYTES;
    if (opts->budget_ms <= 0)
        opts->budget_ms = opts->quick ? 10 : 40;
    names.program = argv[0];
    names.only = opts->only;
    if (opts->only)
        atexit(tell_names);
}

int bench_wants(const struct bench_opts *opts, const char *op)
{
    if (!opts->only)
        return 1;
    if (!strcmp(opts->only, op)) {
        names.found = true;
        return 1;
    }
    for (size_t i = 0; i < names.n; i++)
        if (!strcmp(names.asked[i], op))
            return 0;
    if (names.n < MAX_NAMES)
        snprintf(names.asked[names.n++], sizeof names.asked[0], "%s", op);
    return 0;
}

size_t bench_next_size(const struct bench_opts *opts, size_t nbytes)
{
    static const size_t few[] = {8, 1024, 65536, 1048576, 4194304, 16777216};
    size_t next = 0;
    if (!opts->quick) {
        next = nbytes ? nbytes * 2 : 8;
    } else {
        for (size_t i = 0; i < sizeof few / sizeof few[0] && !next; i++)
            if (few[i] > nbytes)
                next = few[i];
    }
    return next && next <= opts->max_bytes ? next : 0;
}

void bench_series_add(struct bench_series *series, double value)
{
    if (series->n == series->cap) {
        series->cap = series->cap ? series->cap * 2 : 1024;
        series->v = realloc(series->v, series->cap * sizeof *series->v);
        if (!series->v) {
            perror("bench: samples");
            exit(1);
        }
    }
    series->v[series->n++] = value;
}

void bench_series_clear(struct bench_series *series)
{
    series->n = 0;
}

static double timed(bench_fn op, bench_fn after, void *ctx, size_t count)
{
    uint64_t start = bench_now_ns();
    op(ctx, count);
    uint64_t end = bench_now_ns();
    if (after)
        after(ctx, count);
    return (double)(end - start);
}

// Operations in a batch. Warms up first: the first touch of pages and connections is not the price
// of an operation.
static size_t calibrate(bench_fn op, bench_fn after, void *ctx)
{
    double per_op = timed(op, after, ctx, 1);
    uint64_t start = bench_now_ns();
    for (int i = 0; i < 200 && bench_now_ns() - start < 2000000; i++) {
        double ns = timed(op, after, ctx, 1);
        per_op = ns < per_op ? ns : per_op;
    }
    if (per_op >= BENCH_BATCH_NS / 5)
        return 1;
    for (size_t count = 16; count <= 65536; count *= 2) {
        double ns = timed(op, after, ctx, count);
        per_op = ns / (double)count;
        if (ns >= BENCH_BATCH_NS)
            break;
    }
    return (size_t)(BENCH_BATCH_NS / (per_op > 0.1 ? per_op : 0.1)) + 1;
}

void bench_measure_batch(const struct bench_opts *opts, bench_fn op, bench_fn after, void *ctx,
                         size_t count, struct bench_series *series)
{
    double budget_ns = opts->budget_ms * 1e6;
    uint64_t start = bench_now_ns();
    timed(op, after, ctx, count);
    for (;;) {
        bench_series_add(series, timed(op, after, ctx, count) / (double)count);
        double spent = (double)(bench_now_ns() - start);
        if (series->n >= MAX_SAMPLES || spent > budget_ns * HARD_LIMIT)
            break;
        if (spent > budget_ns && series->n >= MIN_SAMPLES)
            break;
    }
}

// For some tens of milliseconds after the start the system moves threads that ask each other apart,
// to processors of their own: a process's first measurement begins behind that.
static void settle(const struct bench_opts *opts, bench_fn op, bench_fn after, void *ctx)
{
    static bool settled;
    if (settled || opts->quick)
        return;
    for (uint64_t start = bench_now_ns(); bench_now_ns() - start < SETTLE_NS;)
        timed(op, after, ctx, 1);
    settled = true;
}

void bench_measure(const struct bench_opts *opts, bench_fn op, bench_fn after, void *ctx,
                   struct bench_series *series)
{
    settle(opts, op, after, ctx);
    bench_measure_batch(opts, op, after, ctx, calibrate(op, after, ctx), series);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const struct bench_series *series, double q)
{
    double pos = q * (double)(series->n - 1);
    size_t i = (size_t)pos;
    if (i + 1 >= series->n)
        return series->v[series->n - 1];
    return series->v[i] + (pos - (double)i) * (series->v[i + 1] - series->v[i]);
}

static void print_sorted(const struct bench_opts *opts, const char *bench, const char *op,
                         size_t nbytes, const char *unit, const struct bench_series *series)
{
    double sum = 0;
    for (size_t i = 0; i < series->n; i++)
        sum += series->v[i];
    printf("{\"bench\":\"%s\",\"op\":\"%s\",\"bytes\":%zu,\"unit\":\"%s\",\"median\":%.6g,\"p10\":%"
           ".6g,"
           "\"p90\":%.6g,"
           "\"min\":%.6g,\"max\":%.6g,\"mean\":%.6g,\"n\":%zu",
           bench, op, nbytes, unit, quantile(series, 0.5), quantile(series, 0.1),
           quantile(series, 0.9), series->v[0], series->v[series->n - 1], sum / (double)series->n,
           series->n);
    if (opts->nsamples > 0) {
        printf(",\"samples\":[");
        for (int i = 0; i < opts->nsamples; i++)
            printf("%s%.5g", i ? "," : "", quantile(series, (i + 0.5) / opts->nsamples));
        printf("]");
    }
    printf("}\n");
    fflush(stdout);
}

void bench_emit(const struct bench_opts *opts, const char *bench, const char *op, size_t nbytes,
                const char *unit, struct bench_series *series)
{
    if (!series->n)
        return;
    qsort(series->v, series->n, sizeof *series->v, by_value);
    print_sorted(opts, bench, op, nbytes, unit, series);
    bench_series_clear(series);
}

void bench_emit_rate(const struct bench_opts *opts, const char *bench, const char *op,
                     size_t nbytes, struct bench_series *series)
{
    struct bench_series derived = {0};
    char name[64];
    for (size_t i = 0; i < series->n; i++)
        bench_series_add(&derived, 1e3 / series->v[i]);
    snprintf(name, sizeof name, "%s_rate", op);
    bench_emit(opts, bench, name, nbytes, "Mop/s", &derived);
    for (size_t i = 0; i < series->n; i++)
        bench_series_add(&derived, (double)nbytes / series->v[i]);
    snprintf(name, sizeof name, "%s_bw", op);
    bench_emit(opts, bench, name, nbytes, "GB/s", &derived);
    free(derived.v);
    bench_series_clear(series);
}

double bench_pss_kib(void)
{
    char line[256];
    double kib = -1;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "Pss: %lf", &kib) == 1)
            break;
    fclose(f);
    return kib;
}

void bench_pin(int nth)
{
    cpu_set_t allowed, one;
    sched_getaffinity(0, sizeof allowed, &allowed);
    nth %= CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && nth-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}
