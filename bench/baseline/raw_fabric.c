// SPDX-License-Identifier: BSD-3-Clause
/*
 * What libfabric alone does between two processes over loopback, on the provider and endpoint kind
 * a library would use. The target does nothing but poll its completion queue. Lines carry the names
 * of the OpenSHMEM lines they stand beside:
 *   p, put       write handed to the provider (inject where it fits), completed outside the clock
 *   put_quiet    write with FI_DELIVERY_COMPLETE: completes when target memory has changed
 *   put_flush    write, then an 8 B read behind it: the other way to know
 *   get, g       read
 *   p_wait       half of an inject-write ping-pong; each side polls its memory and its queue
 *   p_wait_two   the same over two connections, one for each direction, as between two initiators
 *                and two passive targets: TCP acknowledges by itself what no message of the other
 *                direction acknowledges
 *   put_nbi, get_nbi  windows, the last put delivery complete
 */
#define _GNU_SOURCE
#include "fabric.h"

#include <limits.h>
#include <rdma/fi_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FLAG = 64, DATA = 4096 };  // offsets in each side's region: the flag, the payload

struct job {
    struct fabric f;
    size_t nbytes;
    long turn;
};

static void drain(struct fabric *f)
{
    while (f->in_flight)
        fabric_poll(f);
}

// Posts until the provider accepts it, and polls meanwhile.
#define POST(f, call, what)                   \
    do {                                      \
        ssize_t ret_;                         \
        while ((ret_ = (call)) == -FI_EAGAIN) \
            fabric_poll(f);                   \
        fabric_check(ret_, what);             \
    } while (0)

static void post_write(struct job *j, uint64_t flags)
{
    struct fabric *f = &j->f;
    struct iovec iov = {f->mem + DATA, j->nbytes};
    struct fi_rma_iov rma = {f->rbase + DATA, j->nbytes, f->rkey};
    struct fi_msg_rma msg = {&iov, &f->desc, 1, f->peer, &rma, 1, NULL, 0};
    POST(f, fi_writemsg(f->ep, &msg, flags | FI_COMPLETION), "fi_writemsg");
    f->in_flight++;
}

static void post_read(struct job *j, size_t nbytes)
{
    struct fabric *f = &j->f;
    POST(f, fi_read(f->ep, f->mem + DATA, nbytes, f->desc, f->peer, f->rbase + DATA, f->rkey, NULL),
         "fi_read");
    f->in_flight++;
}

static void inject(struct fabric *f, const void *buf, size_t nbytes, uint64_t offset)
{
    POST(f, fi_inject_write(f->ep, buf, nbytes, f->peer, f->rbase + offset, f->rkey),
         "fi_inject_write");
}

static void put(void *ctx, size_t count)
{
    struct job *j = ctx;
    while (count--) {
        if (j->nbytes <= j->f.info->tx_attr->inject_size) {
            inject(&j->f, j->f.mem + DATA, j->nbytes, DATA);
        } else {  // a blocking put returns when the source may be reused
            post_write(j, 0);
            drain(&j->f);
        }
    }
}

static void put_quiet(void *ctx, size_t count)
{
    struct job *j = ctx;
    while (count--) {
        post_write(j, FI_DELIVERY_COMPLETE);
        drain(&j->f);
    }
}

static void put_flush(void *ctx, size_t count)
{
    struct job *j = ctx;
    while (count--) {
        post_write(j, 0);
        post_read(j, 8);
        drain(&j->f);
    }
}

static void get(void *ctx, size_t count)
{
    struct job *j = ctx;
    while (count--) {
        post_read(j, j->nbytes);
        drain(&j->f);
    }
}

static void flush(void *ctx, size_t count)
{
    struct job *j = ctx;
    (void)count;
    post_read(j, 8);
    drain(&j->f);
}

static void put_window(void *ctx, size_t count)
{
    struct job *j = ctx;
    int small = j->nbytes <= j->f.info->tx_attr->inject_size;
    for (; count > 1; count--) {
        if (small)
            inject(&j->f, j->f.mem + DATA, j->nbytes, DATA);
        else
            post_write(j, 0);
    }
    post_write(j, FI_DELIVERY_COMPLETE);
    drain(&j->f);
}

static void get_window(void *ctx, size_t count)
{
    struct job *j = ctx;
    while (count--)
        post_read(j, j->nbytes);
    drain(&j->f);
}

static void await_flag(struct fabric *f, long turn)
{
    while (__atomic_load_n((long *)(f->mem + FLAG), __ATOMIC_ACQUIRE) < turn)
        fabric_poll(f);
}

static void round_trips(void *ctx, size_t count)
{
    struct job *j = ctx;
    while (count--) {
        j->turn++;
        inject(&j->f, &j->turn, sizeof j->turn, FLAG);
        await_flag(&j->f, j->turn);
    }
}

// The target: replies to the ping-pong, then only polls.
static void serve(struct fabric *f, struct fabric_meet *meet)
{
    for (long turn = 1; !atomic_load(&meet->stop);) {
        long seen = __atomic_load_n((long *)(f->mem + FLAG), __ATOMIC_ACQUIRE);
        if (seen >= turn && seen != LONG_MAX) {
            inject(f, &turn, sizeof turn, FLAG);
            turn++;
        }
        fabric_poll(f);
    }
}

static const struct {
    const char *bench, *name;
    bench_fn op, after;
    int sweep;
} OPS[] = {
    {"latency", "p", put, flush, 0},
    {"latency", "g", get, NULL, 0},
    {"latency", "put", put, flush, 1},
    {"latency", "put_quiet", put_quiet, NULL, 1},
    {"latency", "put_flush", put_flush, NULL, 1},
    {"latency", "get", get, NULL, 1},
};

static void latencies(const struct bench_opts *opts, struct job *j)
{
    struct bench_series series = {0};
    for (size_t i = 0; i < sizeof OPS / sizeof OPS[0]; i++) {
        if (!bench_wants(opts, OPS[i].name))
            continue;
        j->nbytes = 0;
        while ((j->nbytes = bench_next_size(opts, j->nbytes)) && (OPS[i].sweep || j->nbytes == 8)) {
            bench_measure(opts, OPS[i].op, OPS[i].after, j, &series);
            bench_emit(opts, OPS[i].bench, OPS[i].name, j->nbytes, "ns", &series);
        }
    }
}

static void ping_pong(struct bench_opts *opts, struct job *j)
{
    struct bench_series series = {0};
    opts->budget_ms *= 4;
    bench_measure(opts, round_trips, NULL, j, &series);
    opts->budget_ms /= 4;
    for (size_t i = 0; i < series.n; i++)
        series.v[i] /= 2;
    bench_emit(opts, "pingpong", "p_wait", 8, "ns", &series);
}

struct two_way {
    struct fabric out, in;
    long turn;
};

// Sends on one connection, then polls the other until the reply has arrived.
static void round_trips_two(void *ctx, size_t count)
{
    struct two_way *w = ctx;
    while (count--) {
        w->turn++;
        inject(&w->out, &w->turn, sizeof w->turn, FLAG);
        await_flag(&w->in, w->turn);
    }
}

static void ping_pong_two(struct bench_opts *opts, struct fabric_meet meet[2])
{
    struct bench_series series = {0};
    struct two_way w = {.turn = 0};
    fabric_open(&w.out, opts, &meet[0], 0, BENCH_MAX_BYTES + DATA);
    fabric_open(&w.in, opts, &meet[1], 1, BENCH_MAX_BYTES + DATA);
    opts->budget_ms *= 4;
    bench_measure(opts, round_trips_two, NULL, &w, &series);
    opts->budget_ms /= 4;
    for (size_t i = 0; i < series.n; i++)
        series.v[i] /= 2;
    bench_emit(opts, "pingpong", "p_wait_two", 8, "ns", &series);
    atomic_store(&meet[0].stop, 1);
    fabric_close(&w.out);
    fabric_close(&w.in);
}

static void serve_two(const struct bench_opts *opts, struct fabric_meet meet[2])
{
    struct two_way w = {.turn = 0};
    fabric_open(&w.in, opts, &meet[0], 1, BENCH_MAX_BYTES + DATA);
    fabric_open(&w.out, opts, &meet[1], 0, BENCH_MAX_BYTES + DATA);
    for (w.turn = 1; !atomic_load(&meet[0].stop);) {
        if (__atomic_load_n((long *)(w.in.mem + FLAG), __ATOMIC_ACQUIRE) >= w.turn) {
            inject(&w.out, &w.turn, sizeof w.turn, FLAG);
            w.turn++;
        }
        fabric_poll(&w.in);
    }
}

static void windows(const struct bench_opts *opts, struct job *j)
{
    static const struct {
        const char *name;
        bench_fn op;
    } RATES[] = {{"put_nbi", put_window}, {"get_nbi", get_window}};
    struct bench_series series = {0};
    for (size_t i = 0; i < sizeof RATES / sizeof RATES[0]; i++) {
        if (!bench_wants(opts, RATES[i].name))
            continue;
        j->nbytes = 0;
        while ((j->nbytes = bench_next_size(opts, j->nbytes))) {
            size_t count = ((size_t)64 << 20) / j->nbytes;
            bench_measure_batch(opts, RATES[i].op, NULL, j, count < 256 ? count : 256, &series);
            bench_emit_rate(opts, "rate", RATES[i].name, j->nbytes, &series);
        }
    }
}

static void origin(struct bench_opts *opts, struct fabric_meet *meet)
{
    if (opts->mode == 4) {
        ping_pong_two(opts, meet);
        return;
    }
    struct job j = {0};
    fabric_open(&j.f, opts, meet, 0, BENCH_MAX_BYTES + DATA);
    fprintf(stderr, "raw_fabric: provider %s, libfabric %u.%u\n", j.f.info->fabric_attr->prov_name,
            FI_MAJOR(fi_version()), FI_MINOR(fi_version()));
    if (opts->mode == 0)
        latencies(opts, &j);
    if (opts->mode == 1)
        windows(opts, &j);
    if (opts->mode == 2)
        ping_pong(opts, &j);
    atomic_store(&meet->stop, 1);
    fabric_close(&j.f);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    bench_parse(argc, argv, &opts);
    struct fabric_meet *meet =
        mmap(NULL, 2 * sizeof *meet, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (meet == MAP_FAILED) {
        perror("raw_fabric: mmap");
        return 1;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("raw_fabric: fork");
        return 1;
    }
    if (child == 0) {
        struct fabric f;
        if (!opts.unbound)
            bench_pin(1);
        alarm(600);  // ends the poll if the origin dies
        if (opts.mode == 4) {
            serve_two(&opts, meet);
            _exit(0);
        }
        fabric_open(&f, &opts, meet, 1, BENCH_MAX_BYTES + DATA);
        serve(&f, meet);
        _exit(0);
    }
    if (!opts.unbound)
        bench_pin(0);
    origin(&opts, meet);
    waitpid(child, NULL, 0);
    return 0;
}
