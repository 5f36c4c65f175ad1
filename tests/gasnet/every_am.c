// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages: every kind with every number of arguments, as request and as reply.
#include "every.h"

enum { ARGS = 16 };
static int requests, replies, wrong;
static int counted;  // calls the functions whose name has no number of arguments
static char *got_buf;
static size_t got_bytes;
static unsigned expected_round;

static gasnet_handlerarg_t arg(unsigned node, int i)
{
    return (gasnet_handlerarg_t)(node * 1000003u + (unsigned)i * 77777u) ^ (i % 2 ? -1 : 0);
}

static void check_args(gasnet_token_t token, unsigned node, int n, const gasnet_handlerarg_t *a)
{
    gasnet_node_t source = 12345;
    if (gasnet_AMGetMsgSource(token, &source) != GASNET_OK || source != node)
        wrong++;
    for (int i = 0; i < n; i++)
        wrong += a[i] != arg(node, i);
}

#define P0
#define P1 P0, gasnet_handlerarg_t a0
#define P2 P1, gasnet_handlerarg_t a1
#define P3 P2, gasnet_handlerarg_t a2
#define P4 P3, gasnet_handlerarg_t a3
#define P5 P4, gasnet_handlerarg_t a4
#define P6 P5, gasnet_handlerarg_t a5
#define P7 P6, gasnet_handlerarg_t a6
#define P8 P7, gasnet_handlerarg_t a7
#define P9 P8, gasnet_handlerarg_t a8
#define P10 P9, gasnet_handlerarg_t a9
#define P11 P10, gasnet_handlerarg_t a10
#define P12 P11, gasnet_handlerarg_t a11
#define P13 P12, gasnet_handlerarg_t a12
#define P14 P13, gasnet_handlerarg_t a13
#define P15 P14, gasnet_handlerarg_t a14
#define P16 P15, gasnet_handlerarg_t a15
#define A0
#define A1 A0, a0
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
#define V0
#define V1 V0, arg(me, 0)
#define V2 V1, arg(me, 1)
#define V3 V2, arg(me, 2)
#define V4 V3, arg(me, 3)
#define V5 V4, arg(me, 4)
#define V6 V5, arg(me, 5)
#define V7 V6, arg(me, 6)
#define V8 V7, arg(me, 7)
#define V9 V8, arg(me, 8)
#define V10 V9, arg(me, 9)
#define V11 V10, arg(me, 10)
#define V12 V11, arg(me, 11)
#define V13 V12, arg(me, 12)
#define V14 V13, arg(me, 13)
#define V15 V14, arg(me, 14)
#define V16 V15, arg(me, 15)
#define EACH(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
#define REST(...) {0, ##__VA_ARGS__}

// The requests' handlers reply with what they got; the replies' handlers check it. Indexes: 130 + 4
// n + kind.
enum {
    SHORT_REQUEST = 130,
    SHORT_REPLY = 150,
    DATA_REQUEST = 170,
    DATA_REPLY = 190,
    LONG_REQUEST = 210,
    LONG_REPLY = 230
};

static void check_data(const void *buf, size_t nbytes, unsigned node)
{
    if (nbytes == 0)
        return;
    got_buf = (char *)(uintptr_t)buf;
    got_bytes = nbytes;
    wrong += compare(buf, node, expected_round, nbytes) != nbytes;
}

static char *reply_to;  // address for long replies in the previous node's segment
static char copy[65536];

#define HANDLERS(n)                                                                                \
    static void short_request_##n(gasnet_token_t token P##n)                                       \
    {                                                                                              \
        gasnet_handlerarg_t a[] = {0 A##n};                                                        \
        check_args(token, prev, n, a + 1);                                                         \
        requests++;                                                                                \
        wrong += (counted ? gasnet_AMReplyShortM(token, SHORT_REPLY + n V##n)                      \
                          : gasnet_AMReplyShort##n(token, SHORT_REPLY + n V##n)) != GASNET_OK;     \
    }                                                                                              \
    static void short_reply_##n(gasnet_token_t token P##n)                                         \
    {                                                                                              \
        gasnet_handlerarg_t a[] = {0 A##n};                                                        \
        check_args(token, next, n, a + 1);                                                         \
        replies++;                                                                                 \
    }                                                                                              \
    static void medium_request_##n(gasnet_token_t token, void *buf, size_t nbytes P##n)            \
    {                                                                                              \
        gasnet_handlerarg_t a[] = {0 A##n};                                                        \
        check_args(token, prev, n, a + 1);                                                         \
        check_data(buf, nbytes, prev);                                                             \
        requests++;                                                                                \
        memcpy(copy, buf, nbytes);                                                                 \
        wrong += (counted ? gasnet_AMReplyMediumM(token, DATA_REPLY + n, copy, nbytes V##n)        \
                          : gasnet_AMReplyMedium##n(token, DATA_REPLY + n, copy,                   \
                                                    nbytes V##n)) != GASNET_OK;                    \
        memset(copy, 0, nbytes);                                                                   \
    }                                                                                              \
    static void medium_reply_##n(gasnet_token_t token, void *buf, size_t nbytes P##n)              \
    {                                                                                              \
        gasnet_handlerarg_t a[] = {0 A##n};                                                        \
        check_args(token, next, n, a + 1);                                                         \
        check_data(buf, nbytes, me);                                                               \
        replies++;                                                                                 \
    }                                                                                              \
    static void long_request_##n(gasnet_token_t token, void *buf, size_t nbytes P##n)              \
    {                                                                                              \
        gasnet_handlerarg_t a[] = {0 A##n};                                                        \
        check_args(token, prev, n, a + 1);                                                         \
        check_data(buf, nbytes, prev);                                                             \
        requests++;                                                                                \
        wrong += (counted ? gasnet_AMReplyLongM(token, LONG_REPLY + n, buf, nbytes, reply_to V##n) \
                          : gasnet_AMReplyLong##n(token, LONG_REPLY + n, buf, nbytes,              \
                                                  reply_to V##n)) != GASNET_OK;                    \
    }                                                                                              \
    static void long_reply_##n(gasnet_token_t token, void *buf, size_t nbytes P##n)                \
    {                                                                                              \
        gasnet_handlerarg_t a[] = {0 A##n};                                                        \
        check_args(token, next, n, a + 1);                                                         \
        check_data(buf, nbytes, me);                                                               \
        replies++;                                                                                 \
    }
EACH(HANDLERS)

#define FN(f) (gasnet_causeway_fnptr_t)(f)
static void on_reply_to(gasnet_token_t token, void *buf, size_t nbytes)
{
    (void)token;
    gasnet_resume_interrupts();  // both are ignored in handlers
    gasnet_hold_interrupts();
    if (nbytes == sizeof reply_to)
        memcpy(&reply_to, buf, nbytes);
}

#define ENTRIES(n)                                                                                \
    {SHORT_REQUEST + n, FN(short_request_##n)}, {SHORT_REPLY + n, FN(short_reply_##n)},           \
    {DATA_REQUEST + n, FN(medium_request_##n)}, {DATA_REPLY + n, FN(medium_reply_##n)},           \
    {LONG_REQUEST + n, FN(long_request_##n)}, {LONG_REPLY + n, FN(long_reply_##n)},
gasnet_handlerentry_t message_handlers[] = {EACH(ENTRIES){0, FN(on_reply_to)},
                                            {0, FN(on_reply_to)}};
const int message_handlers_count = sizeof message_handlers / sizeof *message_handlers;
static gasnet_handler_t reply_to_handler(void)
{
    return message_handlers[message_handlers_count - 2].index;
}

/** One message left and one arrived; so did both replies. */
static void await(const char *what, int n)
{
    static int rounds;
    rounds++;
    GASNET_BLOCKUNTIL(replies >= rounds && requests >= rounds);
    CHECK(wrong == 0 && requests == rounds && replies == rounds,
          "%s%d: %d wrong, %d requests, %d replies of %d", what, n, wrong, requests, replies,
          rounds);
    wrong = 0;
    barrier();
}

static char payload[200000];

static void test_shorts(void)
{
#define SHORT(n)                                                                             \
    CHECK(gasnet_AMRequestShort##n(next, SHORT_REQUEST + n V##n) == GASNET_OK, "short %d", n); \
    await("AMRequestShort", n);
    EACH(SHORT)
}

static void test_mediums(void)
{
    size_t most = gasnet_AMMaxMedium();
#define MEDIUM(n)                                                                         \
    {                                                                                     \
        size_t nbytes = n == 0 ? 0 : n == 16 ? most : (size_t)(n * n * 9);                \
        expected_round = 20 + n;                                                          \
        got_bytes = 0;                                                                    \
        fill(payload, me, expected_round, nbytes);                                        \
        barrier();                                                                        \
        CHECK(gasnet_AMRequestMedium##n(next, DATA_REQUEST + n, payload,                  \
                                        nbytes V##n) == GASNET_OK, "medium %d", n);       \
        memset(payload, 0, nbytes);                                                       \
        await("AMRequestMedium", n);                                                      \
        CHECK(got_bytes == nbytes, "medium of %zu bytes brought %zu", nbytes, got_bytes); \
    }
    EACH(MEDIUM)
}

static void test_longs(void)
{
    size_t most =
        gasnet_AMMaxLongRequest() < sizeof payload ? gasnet_AMMaxLongRequest() : sizeof payload;
    char *where = mine + 500000;
    GASNET_Safe(gasnet_AMRequestMedium0(next, reply_to_handler(), &where, sizeof where));
    GASNET_BLOCKUNTIL(reply_to != NULL);
    barrier();
#define LONG(n)                                                                       \
    {                                                                                 \
        size_t nbytes = n == 0 ? 0 : n == 16 ? most : (size_t)(n * n * 10);           \
        expected_round = 50 + n;                                                      \
        fill(payload, me, expected_round, nbytes);                                    \
        barrier();                                                                    \
        CHECK(gasnet_AMRequestLong##n(next, LONG_REQUEST + n, payload, nbytes, theirs \
                                      + n V##n) == GASNET_OK, "long %d", n);          \
        memset(payload, 0, nbytes);                                                   \
        await("AMRequestLong", n);                                                    \
        CHECK(compare(mine + n, prev, expected_round, nbytes) == nbytes               \
              && compare(where, me, expected_round, nbytes) == nbytes,                \
                  "long of %zu bytes is not where it should be", nbytes);             \
        CHECK(nbytes == 0 || got_buf == where || got_buf == mine + n,                 \
              "a handler got another address");                                       \
    }
    EACH(LONG)
#define ASYNC(n)                                                                           \
    {                                                                                      \
        size_t nbytes = n == 16 ? most : (size_t)(n * n * 11);                             \
        expected_round = 80 + n;                                                           \
        fill(payload, me, expected_round, nbytes);                                         \
        barrier();                                                                         \
        CHECK(gasnet_AMRequestLongAsync##n(next, LONG_REQUEST + n, payload, nbytes, theirs \
                                           + n V##n) == GASNET_OK, "async %d", n);         \
        await("AMRequestLongAsync", n);                                                    \
        CHECK(compare(mine + n, prev, expected_round, nbytes) == nbytes,                   \
              "async long of %zu bytes", nbytes);                                          \
    }
    EACH(ASYNC)
}

/** By the calls with an argument count, to the next node or to itself. */
static void test_counted(char *there)
{
    counted = 1;
    expected_round = 99;
    fill(payload, me, 99, 100);
    barrier();
    CHECK(gasnet_AMRequestShortM(next, SHORT_REQUEST) == GASNET_OK, "short");
    await("AMRequestShortM", 0);
    CHECK(gasnet_AMRequestShortM(next, SHORT_REQUEST + 3 V3) == GASNET_OK, "short");
    await("AMRequestShortM", 3);
    CHECK(gasnet_AMRequestMediumM(next, DATA_REQUEST + 16, payload, 100 V16) == GASNET_OK,
          "medium");
    await("AMRequestMediumM", 16);
    CHECK(gasnet_AMRequestLongM(next, LONG_REQUEST + 1, payload, 100, there V1) == GASNET_OK,
          "long");
    await("AMRequestLongM", 1);
    CHECK(gasnet_AMRequestLongAsyncM(next, LONG_REQUEST + 16, payload, 100, there V16) == GASNET_OK,
          "async");
    await("AMRequestLongAsyncM", 16);
    CHECK(compare(mine, prev, 99, 100) == 100 && compare(mine + 500000, me, 99, 100) == 100,
          "long is not where it should be");
    counted = 0;
    barrier();
}

void test_messages(void)
{
    CHECK(gasnet_AMMaxArgs() == ARGS && gasnet_AMMaxMedium() >= 512 &&
              gasnet_AMMaxLongRequest() >= 512 && gasnet_AMMaxLongReply() >= 512 &&
              gasnet_AMMaxMedium() <= sizeof copy,
          "limits");
    test_shorts();
    test_mediums();
    test_longs();
    test_counted(theirs);
    unsigned was_next = next, was_prev = prev;
    next = prev = me;
    reply_to = mine + 500000;
    test_counted(mine);
    next = was_next;
    prev = was_prev;
    barrier();
    CHECK(gasnet_AMPoll() == GASNET_OK, "AMPoll");
}
