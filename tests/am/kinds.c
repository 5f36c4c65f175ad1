// SPDX-License-Identifier: BSD-3-Clause
//
// Every kind of request with every number of arguments and many sizes, to every PE and back: each
// request gets a reply of the same kind with the arguments in reverse and another payload. Both
// handlers check all they get. Also requests without a reply, longs to private memory, longs whose
// source is in use until the reply, and messages sent without waiting for the previous one, so that
// rings and buffers wrap around.
#include "am_test.h"

enum { LONGEST = 1 << 20, SLOT = LONGEST + 64 };

static _Atomic uint64_t replies, requests;
static uint8_t *segment;  // [npes] areas of SLOT bytes, each written by that PE;
                          // then as many for replies
static uint8_t *carried;  // the payloads of replies
static uint8_t private_memory[8192];
static uint64_t *addresses;  // symmetric: the address of each PE's private_memory

enum {
    SHORT_REQ = 0,
    MEDIUM_REQ = 20,
    LONG_REQ = 40,
    SHORT_REP = 60,
    MEDIUM_REP = 80,
    LONG_REP = 100,
    ONEWAY = 120,
    RAW_REQ
};

static uint32_t arg_of(uint32_t seed, int i)
{
    return scramble(seed * 31 + (uint32_t)i);
}

/** The first argument, if there is one, is the seed of the others. Without arguments the seed is
 *  fixed. */
static uint32_t seed_of(const cw_am_msg_t *msg)
{
    return msg->nargs ? msg->args[0] : 7;
}

static void check_args(const cw_am_msg_t *msg, const uint32_t *args, int nargs, bool reply)
{
    uint32_t seed = seed_of(msg);
    CHECK(msg->nargs == nargs && msg->is_reply == reply && msg->source >= 0 &&
          msg->source < cw_world.npes);
    CHECK(cw_am_running() == msg);
    bool right = true;
    for (int i = 1; i < nargs; i++)
        right = right && args[i] == arg_of(seed, i) && msg->args[i] == args[i];
    CHECK(right);
}

static void make_args(uint32_t *args, int nargs, uint32_t seed)
{
    for (int i = 0; i < nargs; i++)
        args[i] = i == 0 ? seed : arg_of(seed, i);
}

static void send_reply(cw_am_msg_t *msg, size_t nbytes)
{
    uint32_t args[CW_AM_MAX_ARGS], seed = seed_of(msg);
    make_args(args, msg->nargs, seed);
    static uint8_t bytes[LONGEST];
    if (msg->kind != CW_AM_SHORT)
        fill_pattern(bytes, nbytes, seed + 1);
    if (msg->kind == CW_AM_SHORT)
        cw_am_reply_short(msg, HEAD(SHORT_REP + msg->nargs, msg->nargs), args);
    else if (msg->kind == CW_AM_MEDIUM)
        cw_am_reply_medium(msg, HEAD(MEDIUM_REP + msg->nargs, msg->nargs), args, bytes, nbytes);
    else
        cw_am_reply_long(msg, HEAD(LONG_REP + msg->nargs, msg->nargs), args, bytes, nbytes,
                         carried + (size_t)cw_world.pe * SLOT, 0);
}

static void short_request(cw_am_msg_t *msg, const uint32_t *args, int nargs)
{
    check_args(msg, args, nargs, false);
    atomic_fetch_add(&requests, 1);
    send_reply(msg, 0);
}

static void short_reply(cw_am_msg_t *msg, const uint32_t *args, int nargs)
{
    check_args(msg, args, nargs, true);
    atomic_fetch_add(&replies, 1);
}

static void loaded_request(cw_am_msg_t *msg, void *payload, size_t nbytes, const uint32_t *args,
                           int nargs)
{
    check_args(msg, args, nargs, false);
    CHECK(is_pattern(payload, nbytes, seed_of(msg)));
    CHECK(msg->kind == CW_AM_LONG ? payload == segment + (size_t)msg->source * SLOT
                                  : (uintptr_t)payload % 8 == 0);
    atomic_fetch_add(&requests, 1);
    send_reply(msg, nbytes);
}

static void loaded_reply(cw_am_msg_t *msg, void *payload, size_t nbytes, const uint32_t *args,
                         int nargs)
{
    check_args(msg, args, nargs, true);
    CHECK(is_pattern(payload, nbytes, seed_of(msg) + 1));
    CHECK(msg->kind == CW_AM_LONG ? payload == carried + (size_t)msg->source * SLOT
                                  : (uintptr_t)payload % 8 == 0);
    atomic_fetch_add(&replies, 1);
}

#define P0
#define P1 , uint32_t a0
#define P2 P1, uint32_t a1
#define P3 P2, uint32_t a2
#define P4 P3, uint32_t a3
#define P5 P4, uint32_t a4
#define P6 P5, uint32_t a5
#define P7 P6, uint32_t a6
#define P8 P7, uint32_t a7
#define P9 P8, uint32_t a8
#define P10 P9, uint32_t a9
#define P11 P10, uint32_t a10
#define P12 P11, uint32_t a11
#define P13 P12, uint32_t a12
#define P14 P13, uint32_t a13
#define P15 P14, uint32_t a14
#define P16 P15, uint32_t a15
#define A0 0
#define A1 a0
#define A2 A1, a1
#define A3 A2, a2
#define A4 A3, a3
#define A5 A4, a4
#define A6 A5, a5
#define A7 A6, a6
#define A8 A7, a7
#define A9 A8, a8
#define A10 A9, a9
#define A11 A10, a10
#define A12 A11, a11
#define A13 A12, a12
#define A14 A13, a13
#define A15 A14, a14
#define A16 A15, a15

#define DEFINE(n)                                                         \
    static void short_request##n(cw_am_msg_t *m P##n)                     \
    {                                                                     \
        short_request(m, (uint32_t[]){A##n}, n);                          \
    }                                                                     \
    static void short_reply##n(cw_am_msg_t *m P##n)                       \
    {                                                                     \
        short_reply(m, (uint32_t[]){A##n}, n);                            \
    }                                                                     \
    static void loaded_request##n(cw_am_msg_t *m, void *p, size_t s P##n) \
    {                                                                     \
        loaded_request(m, p, s, (uint32_t[]){A##n}, n);                   \
    }                                                                     \
    static void loaded_reply##n(cw_am_msg_t *m, void *p, size_t s P##n)   \
    {                                                                     \
        loaded_reply(m, p, s, (uint32_t[]){A##n}, n);                     \
    }
#define ALL(x) \
    x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15) x(16)
ALL(DEFINE)

static void register_all(void)
{
#define REGISTER(n)                                                                 \
    cw_am_register(TEST_AM_CLIENT, SHORT_REQ + n, (cw_am_handler_t)short_request##n);   \
    cw_am_register(TEST_AM_CLIENT, SHORT_REP + n, (cw_am_handler_t)short_reply##n);     \
    cw_am_register(TEST_AM_CLIENT, MEDIUM_REQ + n, (cw_am_handler_t)loaded_request##n); \
    cw_am_register(TEST_AM_CLIENT, LONG_REQ + n, (cw_am_handler_t)loaded_request##n);   \
    cw_am_register(TEST_AM_CLIENT, MEDIUM_REP + n, (cw_am_handler_t)loaded_reply##n);   \
    cw_am_register(TEST_AM_CLIENT, LONG_REP + n, (cw_am_handler_t)loaded_reply##n);
    ALL(REGISTER)
}

static void oneway(cw_am_msg_t *msg, uint32_t number)
{
    (void)msg, (void)number;
    atomic_fetch_add(&requests, 1);
}

static void raw_request(cw_am_msg_t *msg, void *payload, size_t nbytes, uint32_t seed)
{
    CHECK(payload == private_memory && is_pattern(payload, nbytes, seed) &&
          msg->kind == CW_AM_LONG);
    atomic_fetch_add(&requests, 1);
    uint32_t args[1] = {seed};
    cw_am_reply_short(msg, HEAD(SHORT_REP + 1, 1), args);
}

static bool takes_raw(const cw_am_msg_t *msg, const void *dest, size_t nbytes)
{
    return !msg->is_reply && dest == private_memory && nbytes <= sizeof private_memory;
}

static void send_one(cw_am_kind_t kind, int pe, int nargs, size_t nbytes, uint32_t seed,
                     unsigned flags)
{
    static uint8_t bytes[LONGEST];
    uint32_t args[CW_AM_MAX_ARGS];
    make_args(args, nargs, seed);
    if (nargs == 0)
        seed = 7;
    fill_pattern(bytes, nbytes, seed);
    if (kind == CW_AM_SHORT)
        cw_am_request_short(pe, HEAD(SHORT_REQ + nargs, nargs), args, 0);
    else if (kind == CW_AM_MEDIUM)
        cw_am_request_medium(pe, HEAD(MEDIUM_REQ + nargs, nargs), args, bytes, nbytes, 0);
    else
        cw_am_request_long(pe, HEAD(LONG_REQ + nargs, nargs), args, bytes, nbytes,
                           segment + (size_t)cw_world.pe * SLOT, flags);
}

static void every_kind(int pe)
{
    static const size_t sizes[] = {0,    1,    7,     8,     63,    64,     65,
                                   100,  128,  500,   1024,  2049,  3967,   3968,
                                   3969, 8192, 16384, 16385, 65536, LONGEST};
    uint32_t seed = (uint32_t)cw_world.pe * 1000 + 1;
    uint64_t sent = 0;
    for (int nargs = 0; nargs <= CW_AM_MAX_ARGS; nargs++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            if (i == 0)
                send_one(CW_AM_SHORT, pe, nargs, 0, seed++, 0), sent++;
            await(&replies, sent);
            if (sizes[i] <= CW_AM_PACKET)
                send_one(CW_AM_MEDIUM, pe, nargs, sizes[i], seed++, 0), sent++;
            await(&replies, sent);
            if (sizes[i] > 20000 && nargs % 5 != 0)
                continue;
            send_one(CW_AM_LONG, pe, nargs, sizes[i], seed++, nargs % 2 ? CW_AM_ASYNC : 0);
            await(&replies, ++sent);
        }
    }
    atomic_store(&replies, 0);
}

static void raw_longs(int pe)
{
    for (size_t nbytes = 0; nbytes <= CW_AM_PACKET; nbytes += 31) {
        uint8_t bytes[CW_AM_PACKET];
        uint32_t seed = (uint32_t)(nbytes * 77 + (size_t)pe);
        fill_pattern(bytes, nbytes, seed);
        cw_am_request_long(pe, HEAD(RAW_REQ, 1), &seed, bytes, nbytes,
                           (void *)(uintptr_t)addresses[pe], CW_AM_RAW);
        await(&replies, nbytes / 31 + 1);
    }
    atomic_store(&replies, 0);
}

/** Many messages in flight at once; waits only at the end. */
static void many(int rounds)
{
    uint64_t expected = 0;
    for (int i = 0; i < rounds; i++) {
        int pe = (int)(scramble((uint32_t)(i * 131 + cw_world.pe)) % (uint32_t)cw_world.npes);
        uint32_t number = (uint32_t)i;
        if (i % 3 == 0)
            cw_am_request_short(pe, HEAD(ONEWAY, 1), &number, 0);
        else
            send_one(i % 3 == 1 ? CW_AM_SHORT : CW_AM_MEDIUM, pe, i % 17, (size_t)i * 37 % 3000,
                     number, 0),
                expected++;
    }
    await(&replies, expected);
    atomic_store(&replies, 0);
}

/** With IMMEDIATE no call waits, and a refused message has no effect. */
static void immediate(int pe)
{
    uint64_t sent = 0;
    for (int i = 0; i < 5000; i++) {
        uint32_t args[2];
        make_args(args, 2, (uint32_t)i);
        int rc = cw_am_request_short(pe, HEAD(SHORT_REQ + 2, 2), args, CW_AM_IMMEDIATE);
        CHECK(rc == CW_OK || rc == CW_EAGAIN);
        sent += rc == CW_OK;
    }
    CHECK(sent > 0);
    await(&replies, sent);
    for (int i = 0; i < 100; i++)
        cw_am_poll();
    CHECK(atomic_load(&replies) == sent);
    atomic_store(&replies, 0);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3000;
    test_begin(CW_THREAD_SINGLE);
    register_all();
    cw_am_register(TEST_AM_CLIENT, ONEWAY, (cw_am_handler_t)oneway);
    cw_am_register(TEST_AM_CLIENT, RAW_REQ, (cw_am_handler_t)raw_request);
    cw_am_take_raw(TEST_AM_CLIENT, takes_raw);
    CHECK(cw_am_registered(TEST_AM_CLIENT, ONEWAY) == (cw_am_handler_t)oneway &&
          !cw_am_registered(TEST_AM_CLIENT, 255) && !cw_am_registered(TEST_AM_CLIENT, 256));
    segment = cw_heap_malloc(64, (size_t)cw_world.npes * SLOT);
    carried = cw_heap_malloc(64, (size_t)cw_world.npes * SLOT);
    addresses = cw_heap_malloc(64, (size_t)cw_world.npes * sizeof *addresses);
    uint64_t mine = (uintptr_t)private_memory;
    for (int pe = 0; pe < cw_world.npes; pe++)
        cw_put(&cw_ctx_default, &addresses[cw_world.pe], &mine, sizeof mine, pe);
    cw_quiet_default();
    cw_barrier(cw_group_world);
    for (int shift = 0; shift < cw_world.npes; shift++) {
        int pe = (cw_world.pe + shift) % cw_world.npes;
        every_kind(pe);
        cw_barrier(cw_group_world);
        raw_longs(pe);
        cw_barrier(cw_group_world);
        immediate(pe);
        cw_barrier(cw_group_world);
    }
    many(rounds);
    return test_finish();
}
