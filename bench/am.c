// SPDX-License-Identifier: BSD-3-Clause
/*
 * Active messages and one-sided transfers of GASNet, Causeway's or another. --mode 0: node 0 sends
 * to and measures against node 1, which waits in GASNET_BLOCKUNTIL for the end: round trips (the
 * reply is a short one), floods of one-way messages (the last of a window gets a reply, inside the
 * clock), put and get. --mode 1: time inside gasnet_init and gasnet_attach on every node, and until
 * all have met in a first barrier. --mode 2: the same with CAUSEWAY_ATTACH=nowait.
 */
#include "common.h"

#define GASNET_SEQ 1
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK = 128, REPLY, ONEWAY, MEDIUM, MEDIUM_ASK, TIME, END };
enum { WINDOW_LOCAL = 1024, WINDOW = 256, TRANSFERS = 256, MEBIBYTE = 1 << 20, MAX_NODES = 4096 };

static volatile long replies, ended;  // changed by handlers, which run only inside our own calls
static volatile uint64_t sum;
static double init_ms[MAX_NODES], ready_ms[MAX_NODES];
static volatile int times;

static void ask(gasnet_token_t token, gasnet_handlerarg_t value)
{
    sum += (uint32_t)value;
    gasnet_AMReplyShort1(token, REPLY, value);
}

static void reply(gasnet_token_t token, gasnet_handlerarg_t value)
{
    (void)token, (void)value;
    replies++;
}

static void oneway(gasnet_token_t token, gasnet_handlerarg_t value)
{
    (void)token;
    sum += (uint32_t)value;
}

static void medium(gasnet_token_t token, void *payload, size_t nbytes)
{
    (void)token, (void)nbytes;
    sum += *(uint64_t *)payload;
}

static void medium_ask(gasnet_token_t token, void *payload, size_t nbytes)
{
    medium(token, payload, nbytes);
    gasnet_AMReplyShort1(token, REPLY, 0);
}

static void time_received(gasnet_token_t token, gasnet_handlerarg_t init_us,
                          gasnet_handlerarg_t ready_us)
{
    gasnet_node_t source;
    gasnet_AMGetMsgSource(token, &source);
    init_ms[source] = init_us / 1e3;
    ready_ms[source] = ready_us / 1e3;
    times++;
}

static void end(gasnet_token_t token)
{
    (void)token;
    ended = 1;
}

static gasnet_handlerentry_t handlers[] = {
    {ASK, (void (*)())ask},
    {REPLY, (void (*)())reply},
    {ONEWAY, (void (*)())oneway},
    {MEDIUM, (void (*)())medium},
    {MEDIUM_ASK, (void (*)())medium_ask},
    {TIME, (void (*)())time_received},
    {END, (void (*)())end},
};

static void must(int rc)
{
    if (rc != GASNET_OK) {
        fprintf(stderr, "am: %s\n", gasnet_ErrorDesc(rc));
        gasnet_exit(1);
    }
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

// ---------------------------------------------------------------- messages
struct transfer {
    char *mine, *theirs;
    size_t nbytes;
};

enum kind { SHORTS, MEDIUMS, LONGS };

static inline void send(const struct transfer *t, enum kind kind, int asks)
{
    if (kind == SHORTS)
        gasnet_AMRequestShort1(1, asks ? ASK : ONEWAY, 1);
    else if (kind == MEDIUMS)
        gasnet_AMRequestMedium0(1, asks ? MEDIUM_ASK : MEDIUM, t->mine, t->nbytes);
    else
        gasnet_AMRequestLong0(1, asks ? MEDIUM_ASK : MEDIUM, t->mine, t->nbytes, t->theirs);
}

static inline void round_trips(const struct transfer *t, enum kind kind, size_t count)
{
    while (count--) {
        long before = replies;
        send(t, kind, 1);
        GASNET_BLOCKUNTIL(replies != before);
    }
}

// The order of messages is not guaranteed, but credits bound how many of them the last one can
// overtake.
static inline void flood(const struct transfer *t, enum kind kind, size_t count)
{
    long before = replies;
    while (--count)
        send(t, kind, 0);
    send(t, kind, 1);
    GASNET_BLOCKUNTIL(replies != before);
}

#define OF_KIND(name, kind)                               \
    static void name##_round_trips(void *t, size_t count) \
    {                                                     \
        round_trips(t, kind, count);                      \
    }                                                     \
    static void name##_flood(void *t, size_t count)       \
    {                                                     \
        flood(t, kind, count);                            \
    }
OF_KIND(short, SHORTS)
OF_KIND(medium, MEDIUMS)
OF_KIND(long, LONGS)

// ---------------------------------------------------------------- transfers
static void put(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        gasnet_put_bulk(1, t->theirs, t->mine, t->nbytes);
}

static void get(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        gasnet_get_bulk(t->mine, 1, t->theirs, t->nbytes);
}

static void puts_nbi(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        gasnet_put_nbi_bulk(1, t->theirs, t->mine, t->nbytes);
    gasnet_wait_syncnbi_puts();
}

static void gets_nbi(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        gasnet_get_nbi_bulk(t->mine, 1, t->theirs, t->nbytes);
    gasnet_wait_syncnbi_gets();
}

// Small ones in windows, each ended by one wait.
static void puts_nbi_window(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        gasnet_put_nbi(1, t->theirs + count * t->nbytes, t->mine, t->nbytes);
    gasnet_wait_syncnbi_puts();
}

static void gets_nbi_window(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        gasnet_get_nbi(t->mine + count * t->nbytes, 1, t->theirs, t->nbytes);
    gasnet_wait_syncnbi_gets();
}

static gasnet_handle_t handles[TRANSFERS];

static void puts_nb_window(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    for (size_t i = 0; i < count; i++)
        handles[i] = gasnet_put_nb(1, t->theirs + i * t->nbytes, t->mine, t->nbytes);
    gasnet_wait_syncnb_all(handles, count);
}

static void gets_nb_window(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    for (size_t i = 0; i < count; i++)
        handles[i] = gasnet_get_nb(t->mine + i * t->nbytes, 1, t->theirs, t->nbytes);
    gasnet_wait_syncnb_all(handles, count);
}

static void messages(struct bench_opts *opts, struct transfer *t, size_t window)
{
    static const struct {
        const char *round_trip, *flood;
        bench_fn round_trips, messages;
        size_t sizes[3];
    } KINDS[] = {
        {"short_round_trip", "short_flood", short_round_trips, short_flood, {0}},
        {"medium_round_trip", "medium_flood", medium_round_trips, medium_flood, {8, 512, 3968}},
        {"long_round_trip", "long_flood", long_round_trips, long_flood, {8, 512, 4096}},
    };
    struct bench_series series = {0};
    for (int i = 0; i < 9; i++) {
        t->nbytes = KINDS[i / 3].sizes[i % 3];
        if (t->nbytes == 0 && i > 0)
            continue;
        if (bench_wants(opts, KINDS[i / 3].round_trip)) {
            bench_measure(opts, KINDS[i / 3].round_trips, NULL, t, &series);
            bench_emit(opts, "am", KINDS[i / 3].round_trip, t->nbytes, "ns", &series);
        }
        if (i == 0)
            opts->budget_ms /= 2;
        if (bench_wants(opts, KINDS[i / 3].flood)) {
            bench_measure_batch(opts, KINDS[i / 3].messages, NULL, t, window, &series);
            bench_emit(opts, "am", KINDS[i / 3].flood, t->nbytes, "ns", &series);
        }
    }
}

static void transfers(struct bench_opts *opts, struct transfer *t)
{
    static const struct {
        const char *name;
        bench_fn op;
    } LATENCY[] = {{"put", put}, {"get", get}},
      SMALL[] = {{"put_nb_flood", puts_nb_window},
                 {"get_nb_flood", gets_nb_window},
                 {"put_nbi_flood", puts_nbi_window},
                 {"get_nbi_flood", gets_nbi_window}},
      BANDWIDTH[] = {{"put_nbi", puts_nbi}, {"get_nbi", gets_nbi}};
    struct bench_series series = {0};
    for (size_t i = 0; i < sizeof LATENCY / sizeof LATENCY[0]; i++)
        for (t->nbytes = 8; t->nbytes <= 4096 && bench_wants(opts, LATENCY[i].name);
             t->nbytes *= 8) {
            bench_measure(opts, LATENCY[i].op, NULL, t, &series);
            bench_emit(opts, "am", LATENCY[i].name, t->nbytes, "ns", &series);
        }
    for (size_t i = 0; i < sizeof SMALL / sizeof SMALL[0]; i++)
        for (t->nbytes = 8; t->nbytes <= 256 && bench_wants(opts, SMALL[i].name); t->nbytes *= 32) {
            bench_measure_batch(opts, SMALL[i].op, NULL, t, TRANSFERS, &series);
            bench_emit(opts, "am", SMALL[i].name, t->nbytes, "ns", &series);
        }
    t->nbytes = MEBIBYTE;
    for (size_t i = 0; i < sizeof BANDWIDTH / sizeof BANDWIDTH[0]; i++) {
        if (!bench_wants(opts, BANDWIDTH[i].name))
            continue;
        bench_measure_batch(opts, BANDWIDTH[i].op, NULL, t, 64, &series);
        bench_emit_rate(opts, "am", BANDWIDTH[i].name, t->nbytes, &series);
    }
}

static void measure(struct bench_opts *opts)
{
    gasnet_seginfo_t segments[2];
    gasnet_nodeinfo_t nodes[2];
    must(gasnet_getSegmentInfo(segments, 2));
    must(gasnet_getNodeInfo(nodes, 2));
    struct transfer t = {.mine = segments[0].addr, .theirs = segments[1].addr};
    memset(t.mine, 1, MEBIBYTE);
    opts->budget_ms *= 4;
    messages(opts, &t, nodes[0].supernode == nodes[1].supernode ? WINDOW_LOCAL : WINDOW);
    opts->budget_ms /= 2;
    transfers(opts, &t);
}

// ---------------------------------------------------------------- start
static void tell_times(const struct bench_opts *opts, double init, double ready)
{
    struct bench_series series = {0};
    int n = (int)gasnet_nodes();
    gasnet_AMRequestShort2(0, TIME, (gasnet_handlerarg_t)(init * 1e3),
                           (gasnet_handlerarg_t)(ready * 1e3));
    if (gasnet_mynode() == 0) {
        GASNET_BLOCKUNTIL(times == n);
        for (int i = 0; i < n; i++)
            bench_series_add(&series, init_ms[i]);
        bench_emit(opts, "am", opts->mode == 2 ? "init_nowait" : "init", 0, "ms", &series);
        for (int i = 0; i < n; i++)
            bench_series_add(&series, ready_ms[i]);
        bench_emit(opts, "am", opts->mode == 2 ? "ready_nowait" : "ready", 0, "ms", &series);
    }
    barrier();
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    bench_parse(argc, argv, &opts);
    if (opts.mode == 2)
        setenv("CAUSEWAY_ATTACH", "nowait", 1);
    uint64_t start = bench_now_ns();
    must(gasnet_init(&argc, &argv));
    must(
        gasnet_attach(handlers, sizeof handlers / sizeof handlers[0], opts.mode ? 0 : MEBIBYTE, 0));
    double init = (double)(bench_now_ns() - start) / 1e6;
    if (gasnet_nodes() < 2 || gasnet_nodes() > MAX_NODES) {
        fprintf(stderr, "am: needs 2 to %d nodes\n", MAX_NODES);
        gasnet_exit(2);
    }
    if (opts.mode) {
        barrier();
        double ready = (double)(bench_now_ns() - start) / 1e6;
        barrier();  // to tell them, nodes connect, which takes the processors from those still on
                    // their way out of the first
        tell_times(&opts, init, ready);
    } else {
        bench_pin((int)gasnet_mynode());  // as the two of the baseline: two that share a core
                                          // measure the scheduler
        barrier();
        if (gasnet_mynode() == 0) {
            measure(&opts);
            gasnet_AMRequestShort0(1, END);
        } else if (gasnet_mynode() == 1) {
            GASNET_BLOCKUNTIL(ended);
        }
        barrier();
    }
    gasnet_exit(0);
    return 0;
}
