// SPDX-License-Identifier: BSD-3-Clause
/*
 * How many instructions does a call of GASNet from node 0 to node 1 take: in all, and from its
 * entry to the first instruction of the network library? Counted by single steps in a client's
 * program, in the steady state, from the entry of the function that a client calls; what the header
 * makes of AMRequestShort4 and its kin (they are inline) counts as theirs. Transfers are counted as
 * the library's functions, and, named inline.*, as the header inlines them into a function, with
 * its return. "first" is the first call after everything was complete, "next" the one behind it.
 * Compiled with GASNET_SEQ or GASNET_PAR. Run it on one node and on two:
 * LD_BIND_NOW=1 oshrun -n 2 [--emulate-nodes 2] ./gasnet_calls --quick counts only what has a bar;
 * --trace FILE writes the instruction streams for annotate.py (those of replies, which node 1
 * sends, are left out).
 */
#define _GNU_SOURCE
#include <gasnet.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common.h"
#include "step.h"

enum { WARM = 32, COUNTED = 8, COUNTED_QUICK = 4 };
enum { ONEWAY = 200, ONEWAY_LOADED, PING, PONG, ASK, STOP };
#ifdef GASNET_PAR
#define BENCH "insn_gasnet_par"
#else
#define BENCH "insn_gasnet"
#endif

static const char *const PROVIDERS[] = {"libfabric", "libmock"};
static FILE *trace;
static struct bench_opts opts;
static char *far, *near;  // in the other's segment, in mine
static gex_TM_t world, team;  // team: the same processes
static gex_AD_t domain;
static volatile int pongs, stopped;
static int counted;            // times that a call is
static volatile int counting;  // else calls are made without counting: they warm up

// ----------------------------------------------- the calls, as functions with the API's parameters
#define P1 gasnet_handlerarg_t a0
#define P4 P1, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2, gasnet_handlerarg_t a3
#define P8                                                                         \
    P4, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5, gasnet_handlerarg_t a6,    \
        gasnet_handlerarg_t a7
#define P16                                                                        \
    P8, gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10,   \
        gasnet_handlerarg_t a11, gasnet_handlerarg_t a12, gasnet_handlerarg_t a13, \
            gasnet_handlerarg_t a14, gasnet_handlerarg_t a15
#define A1 a0
#define A4 A1, a1, a2, a3
#define A16 A4, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15
#define V1 1
#define V4 V1, 2, 3, 4
#define V16 V4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
#define NO(...)
#define YES(...) , __VA_ARGS__

#define API static __attribute__((noinline)) int
#define COUNTED_CALL(fn, ...)           \
    do {                                \
        if (counting)                   \
            STEP_CALL(fn, __VA_ARGS__); \
        else                            \
            (void)fn(__VA_ARGS__);      \
    } while (0)

#define MESSAGES(n, some)                                                                       \
    API short_##n(gasnet_node_t node, gasnet_handler_t h some(P##n))                            \
    {                                                                                           \
        return gasnet_AMRequestShort##n(node, h some(A##n));                                    \
    }                                                                                           \
    API medium_##n(gasnet_node_t node, gasnet_handler_t h, void *src, size_t nbytes some(P##n)) \
    {                                                                                           \
        return gasnet_AMRequestMedium##n(node, h, src, nbytes some(A##n));                      \
    }                                                                                           \
    API long_##n(gasnet_node_t node, gasnet_handler_t h, void *src, size_t nbytes,              \
                 void *dest some(P##n))                                                         \
    {                                                                                           \
        return gasnet_AMRequestLong##n(node, h, src, nbytes, dest some(A##n));                  \
    }                                                                                           \
    API reply_short_##n(gasnet_token_t token, gasnet_handler_t h some(P##n))                    \
    {                                                                                           \
        return gasnet_AMReplyShort##n(token, h some(A##n));                                     \
    }                                                                                           \
    API reply_medium_##n(gasnet_token_t token, gasnet_handler_t h, void *src,                   \
                         size_t nbytes some(P##n))                                              \
    {                                                                                           \
        return gasnet_AMReplyMedium##n(token, h, src, nbytes some(A##n));                       \
    }                                                                                           \
    API reply_long_##n(gasnet_token_t token, gasnet_handler_t h, void *src, size_t nbytes,      \
                       void *dest some(P##n))                                                   \
    {                                                                                           \
        return gasnet_AMReplyLong##n(token, h, src, nbytes, dest some(A##n));                   \
    }                                                                                           \
    STEP_CALLER static void do_short_##n(void)                                                  \
    {                                                                                           \
        COUNTED_CALL(short_##n, 1, ONEWAY some(V##n));                                          \
    }                                                                                           \
    STEP_CALLER static void do_medium_##n(void)                                                 \
    {                                                                                           \
        COUNTED_CALL(medium_##n, 1, ONEWAY_LOADED, near, 8 some(V##n));                         \
    }                                                                                           \
    STEP_CALLER static void do_long_##n(void)                                                   \
    {                                                                                           \
        COUNTED_CALL(long_##n, 1, ONEWAY_LOADED, near, 8, far some(V##n));                      \
    }                                                                                           \
    STEP_CALLER static void do_reply_short_##n(gasnet_token_t token)                            \
    {                                                                                           \
        COUNTED_CALL(reply_short_##n, token, PONG some(V##n));                                  \
    }                                                                                           \
    STEP_CALLER static void do_reply_medium_##n(gasnet_token_t token)                           \
    {                                                                                           \
        COUNTED_CALL(reply_medium_##n, token, PONG, near, 8 some(V##n));                        \
    }                                                                                           \
    STEP_CALLER static void do_reply_long_##n(gasnet_token_t token)                             \
    {                                                                                           \
        COUNTED_CALL(reply_long_##n, token, PONG, near, 8, far some(V##n));                     \
    }
MESSAGES(0, NO)
MESSAGES(1, YES)
MESSAGES(4, YES)
MESSAGES(16, YES)

#define CALL(name, fn, ...)                 \
    STEP_CALLER static void do_##name(void) \
    {                                       \
        COUNTED_CALL(fn, __VA_ARGS__);      \
    }
CALL(put_8, gasnet_put, 1, far, near, 8)
CALL(put_64, gasnet_put, 1, far, near, 64)
CALL(put_bulk_8, gasnet_put_bulk, 1, far, near, 8)
CALL(put_nb_8, gasnet_put_nb, 1, far, near, 8)
CALL(put_nbi_4, gasnet_put_nbi, 1, far, near, 4)
CALL(put_nbi_8, gasnet_put_nbi, 1, far, near, 8)
CALL(put_nbi_16, gasnet_put_nbi, 1, far, near, 16)
CALL(put_nbi_64, gasnet_put_nbi, 1, far, near, 64)
CALL(put_nbi_256, gasnet_put_nbi, 1, far, near, 256)
CALL(put_nbi_bulk_8, gasnet_put_nbi_bulk, 1, far, near, 8)
CALL(put_nbi_bulk_16, gasnet_put_nbi_bulk, 1, far, near, 16)
CALL(put_nbi_bulk_64, gasnet_put_nbi_bulk, 1, far, near, 64)
CALL(put_nbi_bulk_256, gasnet_put_nbi_bulk, 1, far, near, 256)
CALL(put_val_4, gasnet_put_val, 1, far, 7, 4)
CALL(put_nb_val_4, gasnet_put_nb_val, 1, far, 7, 4)
CALL(put_nbi_val_4, gasnet_put_nbi_val, 1, far, 7, 4)
CALL(get_8, gasnet_get, near, 1, far, 8)
CALL(get_64, gasnet_get, near, 1, far, 64)
CALL(get_nb_8, gasnet_get_nb, near, 1, far, 8)
CALL(get_nbi_8, gasnet_get_nbi, near, 1, far, 8)
CALL(get_nbi_bulk_256, gasnet_get_nbi_bulk, near, 1, far, 256)
CALL(get_val_4, gasnet_get_val, 1, far, 4)

#define INLINE(fn, parameters, transfer, ...)                              \
    static __attribute__((noinline)) void in_##fn parameters { transfer; } \
    CALL(in_##fn, in_##fn, __VA_ARGS__)
#define OF_PUT (gasnet_node_t node, char *dest, char *src)
#define OF_GET (char *dest, gasnet_node_t node, char *src)
#define OF_VALUE (gasnet_node_t node, char *dest, gasnet_register_value_t value)
INLINE(put_8, OF_PUT, gasnet_put(node, dest, src, 8), 1, far, near)
INLINE(put_64, OF_PUT, gasnet_put(node, dest, src, 64), 1, far, near)
INLINE(put_nb_8, OF_PUT, (void)gasnet_put_nb(node, dest, src, 8), 1, far, near)
INLINE(put_nbi_8, OF_PUT, gasnet_put_nbi(node, dest, src, 8), 1, far, near)
INLINE(put_nbi_64, OF_PUT, gasnet_put_nbi_bulk(node, dest, src, 64), 1, far, near)
INLINE(put_val_4, OF_VALUE, gasnet_put_val(node, dest, value, 4), 1, far, 7)
INLINE(put_nbi_val_4, OF_VALUE, gasnet_put_nbi_val(node, dest, value, 4), 1, far, 7)
INLINE(get_8, OF_GET, gasnet_get(dest, node, src, 8), near, 1, far)
INLINE(get_nbi_8, OF_GET, gasnet_get_nbi(dest, node, src, 8), near, 1, far)
INLINE(gex_put_nbi_8, OF_PUT, gex_RMA_PutNBI(world, node, dest, src, 8, GEX_EVENT_NOW, 0), 1, far,
       near)
INLINE(gex_team_put_nbi_8, OF_PUT, gex_RMA_PutNBI(team, node, dest, src, 8, GEX_EVENT_NOW, 0), 1,
       far, near)
INLINE(gex_ad_fadd_8, OF_PUT,
       (void)gex_AD_OpNB_U64(domain, (uint64_t *)(void *)src, node, dest, GEX_OP_FADD, 1, 0, 0), 1,
       far, near)

#define PLAIN(name, fn)                     \
    STEP_CALLER static void do_##name(void) \
    {                                       \
        COUNTED_CALL(fn);                   \
    }
PLAIN(poll, gasnet_AMPoll)
PLAIN(wait_syncnbi_puts, gasnet_wait_syncnbi_puts)
PLAIN(wait_syncnbi_all, gasnet_wait_syncnbi_all)
PLAIN(try_syncnbi_puts, gasnet_try_syncnbi_puts)

static void put_before(void)
{
    gasnet_put_nbi(1, far, near, 8);
}

static const struct {
    const char *name;
    void (*call)(void);
    void (*before)(void);  // what is to be under way
    enum { FULL, QUICK, QUICK_NEAR } when;  // also with --quick; on one node only
} CALLS[] = {
    {"AMRequestShort0", do_short_0, NULL, QUICK},
    {"AMRequestShort1", do_short_1, NULL, QUICK},
    {"AMRequestShort4", do_short_4, NULL, QUICK},
    {"AMRequestShort16", do_short_16, NULL, FULL},
    {"AMRequestMedium0", do_medium_0, NULL, QUICK_NEAR},
    {"AMRequestMedium1", do_medium_1, NULL, FULL},
    {"AMRequestMedium4", do_medium_4, NULL, QUICK_NEAR},
    {"AMRequestMedium16", do_medium_16, NULL, FULL},
    {"AMRequestLong0", do_long_0, NULL, QUICK_NEAR},
    {"AMRequestLong1", do_long_1, NULL, FULL},
    {"AMRequestLong4", do_long_4, NULL, QUICK_NEAR},
    {"AMRequestLong16", do_long_16, NULL, FULL},
    {"AMPoll", do_poll, NULL, QUICK},
    {"put.8", do_put_8, NULL, QUICK},
    {"put.64", do_put_64, NULL, FULL},
    {"put_bulk.8", do_put_bulk_8, NULL, FULL},
    {"put_nb.8", do_put_nb_8, NULL, QUICK},
    {"put_nbi.4", do_put_nbi_4, NULL, FULL},
    {"put_nbi.8", do_put_nbi_8, NULL, QUICK},
    {"put_nbi.16", do_put_nbi_16, NULL, FULL},
    {"put_nbi.64", do_put_nbi_64, NULL, FULL},
    {"put_nbi.256", do_put_nbi_256, NULL, FULL},
    {"put_nbi_bulk.8", do_put_nbi_bulk_8, NULL, QUICK},
    {"put_nbi_bulk.16", do_put_nbi_bulk_16, NULL, FULL},
    {"put_nbi_bulk.64", do_put_nbi_bulk_64, NULL, FULL},
    {"put_nbi_bulk.256", do_put_nbi_bulk_256, NULL, FULL},
    {"put_val.4", do_put_val_4, NULL, FULL},
    {"put_nb_val.4", do_put_nb_val_4, NULL, FULL},
    {"put_nbi_val.4", do_put_nbi_val_4, NULL, FULL},
    {"get.8", do_get_8, NULL, QUICK},
    {"get.64", do_get_64, NULL, FULL},
    {"get_nb.8", do_get_nb_8, NULL, FULL},
    {"get_nbi.8", do_get_nbi_8, NULL, FULL},
    {"get_nbi_bulk.256", do_get_nbi_bulk_256, NULL, FULL},
    {"get_val.4", do_get_val_4, NULL, FULL},
    {"inline.put.8", do_in_put_8, NULL, QUICK_NEAR},
    {"inline.put.64", do_in_put_64, NULL, FULL},
    {"inline.put_nb.8", do_in_put_nb_8, NULL, FULL},
    {"inline.put_nbi.8", do_in_put_nbi_8, NULL, QUICK_NEAR},
    {"inline.put_nbi.64", do_in_put_nbi_64, NULL, FULL},
    {"inline.put_val.4", do_in_put_val_4, NULL, FULL},
    {"inline.put_nbi_val.4", do_in_put_nbi_val_4, NULL, FULL},
    {"inline.get.8", do_in_get_8, NULL, QUICK_NEAR},
    {"inline.get_nbi.8", do_in_get_nbi_8, NULL, FULL},
    {"inline.gex_put_nbi.8", do_in_gex_put_nbi_8, NULL, QUICK_NEAR},
    {"inline.gex_team_put_nbi.8", do_in_gex_team_put_nbi_8, NULL, QUICK_NEAR},
    {"gex_AD_OpNB_U64.fadd", do_in_gex_ad_fadd_8, NULL, QUICK_NEAR},
    {"wait_syncnbi_puts", do_wait_syncnbi_puts, NULL, QUICK},
    {"wait_syncnbi_all", do_wait_syncnbi_all, NULL, QUICK},
    {"wait_syncnbi_puts_after_put", do_wait_syncnbi_puts, put_before, FULL},
    {"try_syncnbi_puts_after_put", do_try_syncnbi_puts, put_before, FULL},
};

static const struct {
    const char *name;
    void (*call)(gasnet_token_t token);
} REPLIES[] = {
    {"AMReplyShort0", do_reply_short_0},   {"AMReplyShort1", do_reply_short_1},
    {"AMReplyShort4", do_reply_short_4},   {"AMReplyShort16", do_reply_short_16},
    {"AMReplyMedium0", do_reply_medium_0}, {"AMReplyMedium1", do_reply_medium_1},
    {"AMReplyMedium4", do_reply_medium_4}, {"AMReplyMedium16", do_reply_medium_16},
    {"AMReplyLong0", do_reply_long_0},     {"AMReplyLong1", do_reply_long_1},
    {"AMReplyLong4", do_reply_long_4},     {"AMReplyLong16", do_reply_long_16},
};
enum { NCALLS = sizeof CALLS / sizeof CALLS[0], NREPLIES = sizeof REPLIES / sizeof REPLIES[0] };
static struct bench_series reply_total[NREPLIES], reply_entry[NREPLIES];

// ---------------------------------------------------------------- counting
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
    bench_emit(&opts, BENCH, op, 0, "instructions", series);
}

/** A reply to the newest request implies that the other node has handled all before it. */
static void ping(gasnet_handler_t handler, int which)
{
    int before = pongs;
    gasnet_AMRequestShort1(1, handler, which);
    while (pongs == before) {
        gasnet_AMPoll();
        sched_yield();
    }
}

static void settle(void)
{
    gasnet_wait_syncnbi_all();
    ping(PING, 0);
    gasnet_wait_syncnbi_all();
}

static void count(int i)
{
    struct bench_series total[2] = {{0}}, entry[2] = {{0}};
    for (int n = 0; n < (opts.quick ? WARM / 4 : WARM); n++) {
        CALLS[i].call();
        if (n % 8 == 7)
            settle();
    }
    for (int round = 0; round < counted; round++) {
        settle();
        for (int nth = 0; nth < 2; nth++) {
            if (CALLS[i].before)
                CALLS[i].before();
            step_clear();
            counting = 1;
            CALLS[i].call();
            counting = 0;
            add_counts(&total[nth], &entry[nth]);
            if (trace && round == counted - 1)
                step_write(trace, CALLS[i].name, nth ? "next" : "first");
        }
    }
    step_clear();
    emit(CALLS[i].name, "total.first", &total[0]);
    emit(CALLS[i].name, "total.next", &total[1]);
    emit(CALLS[i].name, "to_provider.first", &entry[0]);
    emit(CALLS[i].name, "to_provider.next", &entry[1]);
}

// ---------------------------------------------------------------- handlers, and the other node
static void oneway()  // NOLINT: any arguments
{
}

static void on_ping(gasnet_token_t token, gasnet_handlerarg_t which)
{
    (void)which;
    gasnet_AMReplyShort0(token, PONG);
}

static void on_pong()  // NOLINT: any arguments
{
    pongs++;
}

static void on_ask(gasnet_token_t token, gasnet_handlerarg_t which)
{
    static int asked[NREPLIES];
    counting = ++asked[which] > WARM;
    step_clear();
    REPLIES[which].call(token);
    if (counting)
        add_counts(&reply_total[which], &reply_entry[which]);
    counting = 0;
}

static void on_stop(gasnet_token_t token)
{
    (void)token;
    stopped = 1;
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static int is_due(int i)
{
    gasnet_nodeinfo_t nodes[2];
    gasnet_getNodeInfo(nodes, 2);
    return !opts.quick || CALLS[i].when == QUICK ||
           (CALLS[i].when == QUICK_NEAR && nodes[0].supernode == nodes[1].supernode);
}

static void count_all(void)
{
    if (opts.trace && !(trace = fopen(opts.trace, "w"))) {
        perror(opts.trace);
        gasnet_exit(1);
    }
    for (int i = 0; i < NCALLS; i++)
        if (bench_wants(&opts, CALLS[i].name) && is_due(i))
            count(i);
    for (int i = 0; i < NREPLIES && !opts.quick; i++)
        for (int n = 0; n < WARM + counted && bench_wants(&opts, REPLIES[i].name); n++)
            ping(ASK, i);
    gasnet_AMRequestShort0(1, STOP);
    if (trace)
        fclose(trace);
}

/** Does not sleep: the count excludes waking it. */
static void serve(void)
{
    while (!stopped) {
        gasnet_AMPoll();
        sched_yield();
    }
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{ONEWAY, oneway}, {ONEWAY_LOADED, oneway}, {PING, on_ping},
                                     {PONG, on_pong},  {ASK, on_ask},           {STOP, on_stop}};
    gasnet_seginfo_t segments[2];
    bench_parse(argc, argv, &opts);
    if (!STEP_WORKS) {
        printf("SKIP: the single-step harness is for x86-64 Linux\n");
        return 77;
    }
    counted = opts.quick ? COUNTED_QUICK : COUNTED;
    gasnet_init(&argc, &argv);
    if (gasnet_nodes() != 2 ||
        gasnet_attach(table, sizeof table / sizeof table[0], GASNET_PAGESIZE, 0) != GASNET_OK) {
        fprintf(stderr, "gasnet_calls: wants a job of 2\n");
        gasnet_exit(2);
    }
    step_init();
    gasnet_QueryGexObjects(NULL, NULL, &world, NULL);
    gex_TM_Split(&team, world, 0, (int)gasnet_mynode(), NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_AD_Create(&domain, world, GEX_DT_U64, GEX_OP_FADD, 0);
    gasnet_getSegmentInfo(segments, 2);
    far = segments[!gasnet_mynode()].addr;
    near = (char *)segments[gasnet_mynode()].addr + 2048;
    barrier();
    if (gasnet_mynode() == 0)
        count_all();
    else
        serve();
    barrier();
    for (int i = 0; gasnet_mynode() == 1 && i < NREPLIES; i++) {
        emit(REPLIES[i].name, "total.next", &reply_total[i]);
        emit(REPLIES[i].name, "to_provider.next", &reply_entry[i]);
    }
    barrier();
    gasnet_exit(0);
    return 1;
}
