// SPDX-License-Identifier: BSD-3-Clause
// How many non-blocking puts and gets a second, and how many bytes? A window of operations, closed
// by one quiet inside the clock.
#include "pair.h"

enum { WINDOW_OPS = 256, WINDOW_BYTES = 64 << 20 };

struct window {
    char *src, *dst;
    size_t nbytes;
};

static void put_window(void *ctx, size_t count)
{
    struct window *w = ctx;
    while (count--)
        shmem_putmem_nbi(w->dst, w->src, w->nbytes, 1);
    shmem_quiet();
}

static void get_window(void *ctx, size_t count)
{
    struct window *w = ctx;
    while (count--)
        shmem_getmem_nbi(w->src, w->dst, w->nbytes, 1);
    shmem_quiet();
}

static void sweep(const struct bench_opts *opts, const char *name, bench_fn op, struct window *w)
{
    struct bench_series series = {0};
    if (!bench_wants(opts, name))
        return;
    w->nbytes = 0;
    while ((w->nbytes = bench_next_size(opts, w->nbytes))) {
        size_t count = WINDOW_BYTES / w->nbytes;
        bench_measure_batch(opts, op, NULL, w, count < WINDOW_OPS ? count : WINDOW_OPS, &series);
        bench_emit_rate(opts, "rate", name, w->nbytes, &series);
    }
    free(series.v);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    pair_start(argc, argv, &opts);
    struct window w = {.src = pair_alloc(opts.max_bytes), .dst = pair_alloc(opts.max_bytes)};
    shmem_barrier_all();
    if (pair_is_origin()) {
        sweep(&opts, "put_nbi", put_window, &w);
        sweep(&opts, "get_nbi", get_window, &w);
    }
    pair_finish(&opts);
    return 0;
}
