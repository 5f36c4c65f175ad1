// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of the six kinds with each number of arguments, in the name of the call and counted:
// every argument, payload and address is checked, and so is the token. Shorts and mediums are also
// sent before there is a segment.
#include "ex.h"
#include "numbers.h"

enum { SHORT, MEDIUM, LONG, KINDS, ROUNDS = 4, ALL = 0x1ffff };

static gex_AM_Index_t shorts[17], bulks[17];
static uint32_t seen[KINDS][2];  // [kind][is it a request?]: a bit for each number of arguments
static int counted;              // calls the functions without a number in their name
static char payload[17 * 20];

static size_t nbytes_of(int k)
{
    return (size_t)k * 20;
}

/** Where the request (or its reply) of `rank` with k arguments puts its payload. */
static char *place(uint32_t rank, int is_req, int k)
{
    return segment_of(rank) + 1024 * (is_req ? 1 : 20) + 512 * k;
}

static int base_of(uint32_t rank)
{
    return (int)rank * 1000 + 7;
}

/** Marks the message as seen; returns whether it is a request. */
static int look(gex_Token_t token, int k, const gex_AM_Arg_t *args, const char *buf, size_t nbytes)
{
    gex_Token_Info_t info;
    CHECK(gex_Token_Info(token, &info, GEX_TI_ALL) == GEX_TI_ALL && info.gex_ep == ep);
    CHECK(info.gex_srcrank == (info.gex_is_req ? (me + n - 1) % n : (me + 1) % n));
    CHECK(info.gex_entry->gex_nargs == (unsigned)k &&
          info.gex_entry->gex_index == (buf ? bulks[k] : shorts[k]));
    CHECK(numbers_good(k, args, base_of(info.gex_srcrank)));
    CHECK(!info.gex_is_long || buf == place(me, info.gex_is_req, k));
    for (size_t i = 0; i < nbytes; i++)
        if (buf[i] != (char)(info.gex_srcrank * 7 + i)) {
            CHECK(!"payload as sent");
            break;
        }
    CHECK(nbytes == (buf ? nbytes_of(k) : 0));
    seen[buf ? info.gex_is_long ? LONG : MEDIUM : SHORT][info.gex_is_req] |= 1u << k;
    return info.gex_is_req;
}

static int is_long(gex_Token_t token)
{
    gex_Token_Info_t info;
    gex_Token_Info(token, &info, GEX_TI_IS_LONG);
    return info.gex_is_long;
}

#define HANDLERS(k, ...)                                                                         \
    static void on_short##k(gex_Token_t token P##k)                                              \
    {                                                                                            \
        gex_AM_Arg_t args[] = {0 A##k};                                                          \
        int b = base_of(me);                                                                     \
        (void)b;                                                                                 \
        if (!look(token, k, args, NULL, 0))                                                      \
            return;                                                                              \
        if (counted)                                                                             \
            CHECK(gex_AM_ReplyShort(token, shorts[k], 0 __VA_ARGS__) == 0);                      \
        else                                                                                     \
            CHECK(gex_AM_ReplyShort##k(token, shorts[k], 0 __VA_ARGS__) == 0);                   \
    }                                                                                            \
    static void on_data##k(gex_Token_t token, void *buf, size_t nbytes P##k)                     \
    {                                                                                            \
        gex_AM_Arg_t args[] = {0 A##k};                                                          \
        int b = base_of(me);                                                                     \
        (void)b;                                                                                 \
        if (!look(token, k, args, buf, nbytes))                                                  \
            return;                                                                              \
        char *to = is_long(token) ? place((me + n - 1) % n, 0, k) : NULL;                        \
        if (to && counted)                                                                       \
            CHECK(gex_AM_ReplyLong(token, bulks[k], payload, nbytes, to, GEX_EVENT_NOW,          \
                                   0 __VA_ARGS__) == 0);                                         \
        else if (to)                                                                             \
            CHECK(gex_AM_ReplyLong##k(token, bulks[k], payload, nbytes, to, GEX_EVENT_NOW,       \
                                      0 __VA_ARGS__) == 0);                                      \
        else if (counted)                                                                        \
            CHECK(gex_AM_ReplyMedium(token, bulks[k], payload, nbytes, GEX_EVENT_NOW,            \
                                     0 __VA_ARGS__) == 0);                                       \
        else                                                                                     \
            CHECK(gex_AM_ReplyMedium##k(token, bulks[k], payload, nbytes, GEX_EVENT_NOW,         \
                                        0 __VA_ARGS__) == 0);                                    \
    }                                                                                            \
    static void ask##k(uint32_t to, int kind)                                                    \
    {                                                                                            \
        size_t nbytes = nbytes_of(k);                                                            \
        char *there = kind == LONG ? place(to, 1, k) : NULL;                                     \
        int b = base_of(me);                                                                     \
        (void)b;                                                                                 \
        if (kind == SHORT && counted)                                                            \
            CHECK(gex_AM_RequestShort(tm, to, shorts[k], 0 __VA_ARGS__) == 0);                   \
        else if (kind == SHORT)                                                                  \
            CHECK(gex_AM_RequestShort##k(tm, to, shorts[k], 0 __VA_ARGS__) == 0);                \
        else if (kind == MEDIUM && counted)                                                      \
            CHECK(gex_AM_RequestMedium(tm, to, bulks[k], payload, nbytes, GEX_EVENT_NOW,         \
                                       0 __VA_ARGS__) == 0);                                     \
        else if (kind == MEDIUM)                                                                 \
            CHECK(gex_AM_RequestMedium##k(tm, to, bulks[k], payload, nbytes, GEX_EVENT_NOW,      \
                                          0 __VA_ARGS__) == 0);                                  \
        else if (counted)                                                                        \
            CHECK(gex_AM_RequestLong(tm, to, bulks[k], payload, nbytes, there, GEX_EVENT_NOW,    \
                                     0 __VA_ARGS__) == 0);                                       \
        else                                                                                     \
            CHECK(gex_AM_RequestLong##k(tm, to, bulks[k], payload, nbytes, there, GEX_EVENT_NOW, \
                                        0 __VA_ARGS__) == 0);                                    \
    }
EACH_NUMBER(HANDLERS)

static void test_kind(uint32_t to, int kind)
{
    seen[kind][0] = seen[kind][1] = 0;
    barrier(tm);
#define ASK(k, ...) ask##k(to, kind);
    EACH_NUMBER(ASK)
    GASNET_BLOCKUNTIL(seen[kind][0] == ALL && seen[kind][1] == ALL);
    barrier(tm);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 0);
    const gex_Flags_t either = GEX_FLAG_AM_REQREP;
#define REGISTER(k, ...)                                                                       \
    {                                                                                          \
        gex_AM_Entry_t two[] = {                                                               \
            {0, (gex_AM_Fn_t)on_short##k, GEX_FLAG_AM_SHORT | either, k, NULL, "on_short" #k}, \
            {0, (gex_AM_Fn_t)on_data##k, GEX_FLAG_AM_MEDLONG | either, k, NULL, "on_data" #k}, \
        };                                                                                     \
        CHECK(gex_EP_RegisterHandlers(ep, two, 2) == GASNET_OK);                               \
        shorts[k] = two[0].gex_index;                                                          \
        bulks[k] = two[1].gex_index;                                                           \
    }
    EACH_NUMBER(REGISTER)
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (char)(me * 7 + i);
    uint32_t to = (me + 1) % n;
    for (int round = 0; round < ROUNDS; round++) {
        counted = round % 2;
        if (round == 2)
            CHECK(gex_Segment_Attach(&segment, tm, 1 << 16) == GASNET_OK);
        test_kind(to, SHORT);
        test_kind(to, MEDIUM);
        if (round >= 2)
            test_kind(to, LONG);
    }
    end();
    return 1;
}
