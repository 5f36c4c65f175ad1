// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of every kind with 0 to 16 arguments, requests and replies; what tokens say; limits; messages before a segment is
// there.
#include "ex.h"

enum { LONG_AT = 8192, ROUNDS = 50, PAYLOAD = 3000 };

// arg 0 is the number of arguments; arg i is 1000 * source + i.
static gex_AM_Index_t request[3], reply[3], counted;
static uint32_t replies, counts;  // changed by handlers, which SEQ runs in the only thread

static int args_good(int32_t nargs, const int32_t *args, uint32_t source)
{
    for (int i = 1; i < nargs; i++)
        if (args[i] != (int32_t)source * 1000 + i)
            return 0;
    return 1;
}

#define PARAMS                                                                                                           \
    gex_AM_Arg_t a0, gex_AM_Arg_t a1, gex_AM_Arg_t a2, gex_AM_Arg_t a3, gex_AM_Arg_t a4, gex_AM_Arg_t a5, gex_AM_Arg_t a6, \
        gex_AM_Arg_t a7, gex_AM_Arg_t a8, gex_AM_Arg_t a9, gex_AM_Arg_t a10, gex_AM_Arg_t a11, gex_AM_Arg_t a12,           \
        gex_AM_Arg_t a13, gex_AM_Arg_t a14, gex_AM_Arg_t a15
#define ALL_ARGS a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15

static uint32_t look(gex_Token_t token, int is_req, int is_long, gex_AM_Index_t index)
{
    gex_Token_Info_t info;
    memset(&info, 0, sizeof info);
    CHECK((gex_Token_Info(token, &info, GEX_TI_ALL) & GEX_TI_ALL) == GEX_TI_ALL);
    CHECK(info.gex_is_req == is_req && info.gex_is_long == is_long && info.gex_ep == ep && info.gex_srcrank < n);
    CHECK(info.gex_entry->gex_index == index);
    return info.gex_srcrank;
}

static void check_payload(const unsigned char *data, size_t nbytes, uint32_t source)
{
    for (size_t i = 0; i < nbytes; i++)
        if (data[i] != (unsigned char)(source * 7 + i)) {
            CHECK(!"payload as sent");
            return;
        }
}

static unsigned char mine_to_send[PAYLOAD];

static void short_request(gex_Token_t token, PARAMS)
{
    int32_t args[] = {ALL_ARGS};
    CHECK(args_good(16, args, look(token, 1, 0, request[0])));
    gex_AM_ReplyShort16(token, reply[0], 0, a0, (int)me * 1000 + 1, (int)me * 1000 + 2, (int)me * 1000 + 3,
                        (int)me * 1000 + 4, (int)me * 1000 + 5, (int)me * 1000 + 6, (int)me * 1000 + 7,
                        (int)me * 1000 + 8, (int)me * 1000 + 9, (int)me * 1000 + 10, (int)me * 1000 + 11,
                        (int)me * 1000 + 12, (int)me * 1000 + 13, (int)me * 1000 + 14, (int)me * 1000 + 15);
}

static void short_reply(gex_Token_t token, PARAMS)
{
    int32_t args[] = {ALL_ARGS};
    CHECK(args_good(16, args, look(token, 0, 0, reply[0])));
    replies++;
}

static void medium_request(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0, gex_AM_Arg_t a1)
{
    uint32_t source = look(token, 1, 0, request[1]);
    CHECK(a1 == (int32_t)nbytes && ((uintptr_t)buf & 7) == 0);
    check_payload(buf, nbytes, source);
    CHECK(nbytes <= gex_Token_MaxReplyMedium(token, GEX_EVENT_NOW, 0, 1));
    gex_AM_ReplyMedium(token, reply[1], mine_to_send, nbytes, GEX_EVENT_NOW, 0, a0);
}

static void medium_reply(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0)
{
    check_payload(buf, nbytes, look(token, 0, 0, reply[1]));
    CHECK(a0 == 77);
    replies++;
}

static void long_request(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0)
{
    uint32_t source = look(token, 1, 1, request[2]);
    CHECK(buf == (char *)gex_Segment_QueryAddr(segment) + LONG_AT * (1 + source));
    CHECK(a0 == 99 && nbytes <= gex_Token_MaxReplyLong(token, GEX_EVENT_NOW, 0, 0));
    check_payload(buf, nbytes, source);
    gex_Event_t local = GEX_EVENT_NO_OP;
    gex_AM_ReplyLong0(token, reply[2], mine_to_send, nbytes, segment_of(source), &local, 0);
    CHECK(local == GEX_EVENT_INVALID);
}

static void long_reply(gex_Token_t token, void *buf, size_t nbytes)
{
    CHECK(buf == gex_Segment_QueryAddr(segment));
    check_payload(buf, nbytes, look(token, 0, 1, reply[2]));
    replies++;
}

static void count_only(gex_Token_t token)
{
    look(token, 1, 0, counted);
    counts++;
}

// ---------------------------------------------------------------- a handler for each number of arguments
static gex_AM_Index_t by_number[17];
static uint32_t numbers_seen;
#define NUMBER_HANDLER(k, params, args)                                                \
    static void number##k(gex_Token_t token params)                                    \
    {                                                                                  \
        int32_t got[] = {0 args};                                                      \
        CHECK(args_good(k + 1, got, look(token, 1, 0, by_number[k])));                 \
        numbers_seen |= 1u << k;                                                       \
    }
#define P1 , gex_AM_Arg_t a1
#define P2 P1, gex_AM_Arg_t a2
#define P3 P2, gex_AM_Arg_t a3
#define P4 P3, gex_AM_Arg_t a4
#define P5 P4, gex_AM_Arg_t a5
#define P6 P5, gex_AM_Arg_t a6
#define P7 P6, gex_AM_Arg_t a7
#define P8 P7, gex_AM_Arg_t a8
#define P9 P8, gex_AM_Arg_t a9
#define P10 P9, gex_AM_Arg_t a10
#define P11 P10, gex_AM_Arg_t a11
#define P12 P11, gex_AM_Arg_t a12
#define P13 P12, gex_AM_Arg_t a13
#define P14 P13, gex_AM_Arg_t a14
#define P15 P14, gex_AM_Arg_t a15
#define P16 P15, gex_AM_Arg_t a16
#define A1 , a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A10 A9, a10
#define A11 A10, a11
#define A12 A11, a12
#define A13 A12, a13
#define A14 A13, a14
#define A15 A14, a15
#define A16 A15, a16
NUMBER_HANDLER(0, , )
NUMBER_HANDLER(1, P1, A1)
NUMBER_HANDLER(2, P2, A2)
NUMBER_HANDLER(3, P3, A3)
NUMBER_HANDLER(4, P4, A4)
NUMBER_HANDLER(5, P5, A5)
NUMBER_HANDLER(6, P6, A6)
NUMBER_HANDLER(7, P7, A7)
NUMBER_HANDLER(8, P8, A8)
NUMBER_HANDLER(9, P9, A9)
NUMBER_HANDLER(10, P10, A10)
NUMBER_HANDLER(11, P11, A11)
NUMBER_HANDLER(12, P12, A12)
NUMBER_HANDLER(13, P13, A13)
NUMBER_HANDLER(14, P14, A14)
NUMBER_HANDLER(15, P15, A15)
NUMBER_HANDLER(16, P16, A16)

static void test_numbers(uint32_t to)
{
    int b = (int)me * 1000;
    gex_AM_RequestShort(tm, to, by_number[0], 0);
    gex_AM_RequestShort(tm, to, by_number[1], 0, b + 1);
    gex_AM_RequestShort(tm, to, by_number[2], 0, b + 1, b + 2);
    gex_AM_RequestShort3(tm, to, by_number[3], 0, b + 1, b + 2, b + 3);
    gex_AM_RequestShort4(tm, to, by_number[4], 0, b + 1, b + 2, b + 3, b + 4);
    gex_AM_RequestShort5(tm, to, by_number[5], 0, b + 1, b + 2, b + 3, b + 4, b + 5);
    gex_AM_RequestShort6(tm, to, by_number[6], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6);
    gex_AM_RequestShort7(tm, to, by_number[7], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7);
    gex_AM_RequestShort8(tm, to, by_number[8], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8);
    gex_AM_RequestShort9(tm, to, by_number[9], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9);
    gex_AM_RequestShort10(tm, to, by_number[10], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9,
                          b + 10);
    gex_AM_RequestShort11(tm, to, by_number[11], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9,
                          b + 10, b + 11);
    gex_AM_RequestShort12(tm, to, by_number[12], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9,
                          b + 10, b + 11, b + 12);
    gex_AM_RequestShort13(tm, to, by_number[13], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9,
                          b + 10, b + 11, b + 12, b + 13);
    gex_AM_RequestShort14(tm, to, by_number[14], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9,
                          b + 10, b + 11, b + 12, b + 13, b + 14);
    gex_AM_RequestShort15(tm, to, by_number[15], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9,
                          b + 10, b + 11, b + 12, b + 13, b + 14, b + 15);
    gex_AM_RequestShort(tm, to, by_number[16], 0, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10,
                        b + 11, b + 12, b + 13, b + 14, b + 15, b + 16);
    GASNET_BLOCKUNTIL(numbers_seen == 0x1ffff);
}

static void test_kinds(uint32_t to)
{
    int b = (int)me * 1000;
    for (int round = 0; round < ROUNDS; round++) {
        size_t nbytes = (size_t)round * PAYLOAD / ROUNDS;
        uint32_t before = replies;
        gex_AM_RequestShort16(tm, to, request[0], 0, 16, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9,
                              b + 10, b + 11, b + 12, b + 13, b + 14, b + 15);
        GASNET_BLOCKUNTIL(replies == before + 1);
        gex_Event_t local = GEX_EVENT_NO_OP;
        CHECK(gex_AM_RequestMedium2(tm, to, request[1], mine_to_send, nbytes, &local, 0, 77, (int)nbytes) == 0);
        CHECK(local == GEX_EVENT_INVALID);
        GASNET_BLOCKUNTIL(replies == before + 2);
        gex_AM_RequestLong(tm, to, request[2], mine_to_send, nbytes, segment_of(to) + LONG_AT * (1 + me),
                           GEX_EVENT_GROUP, 0, 99);
        gex_NBI_Wait(GEX_EC_AM, 0);
        GASNET_BLOCKUNTIL(replies == before + 3);
    }
}

/** Many without waiting; immediate ones are either sent or not. */
static void test_floods(uint32_t to)
{
    uint32_t sent = 0, all[2] = {0, 0};
    for (int i = 0; i < 2000; i++)
        sent += gex_AM_RequestShort(tm, to, counted, i % 2 ? GEX_FLAG_IMMEDIATE : 0) == 0;
    CHECK(sent >= 1000);
    gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, &all[0], &sent, GEX_DT_U32, 4, 1, GEX_OP_ADD, NULL, NULL, 0));
    do
        gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, &all[1], &counts, GEX_DT_U32, 4, 1, GEX_OP_ADD, NULL, NULL, 0));
    while (all[1] != all[0] && (gasnet_AMPoll(), 1));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 0);
    gex_AM_Entry_t table[] = {
        {0, short_request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 16, NULL, "short_request"},
        {0, short_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 16, NULL, "short_reply"},
        {200, medium_request, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 2, NULL, "medium_request"},
        {0, medium_reply, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1, NULL, "medium_reply"},
        {0, long_request, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1, NULL, "long_request"},
        {0, long_reply, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP, 0, NULL, "long_reply"},
        {0, count_only, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, NULL},
    };
    gex_AM_Fn_t numbers[] = {number0, number1,  number2,  number3,  number4,  number5,  number6,  number7, number8,
                             number9, number10, number11, number12, number13, number14, number15, number16};
    CHECK(gex_EP_RegisterHandlers(ep, table, sizeof table / sizeof *table) == GASNET_OK);
    for (unsigned i = 0; i < 17; i++) {
        gex_AM_Entry_t entry = {0, numbers[i], GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, i, NULL, "number"};
        CHECK(gex_EP_RegisterHandlers(ep, &entry, 1) == GASNET_OK);
        by_number[i] = entry.gex_index;
    }
    for (int i = 0; i < 3; i++) {
        request[i] = table[2 * i].gex_index;
        reply[i] = table[2 * i + 1].gex_index;
        CHECK(request[i] >= GEX_AM_INDEX_BASE && request[i] != reply[i]);
    }
    counted = table[6].gex_index;
    CHECK(request[1] == 200);
    gex_System_SetVerboseErrors(0);
    gex_AM_Entry_t bad = {200, short_request, 0, 0, NULL, "taken"};
    CHECK(gex_EP_RegisterHandlers(ep, &bad, 1) == GASNET_ERR_BAD_ARG);
    bad.gex_index = 5;
    CHECK(gex_EP_RegisterHandlers(ep, &bad, 1) == GASNET_ERR_BAD_ARG);
    gex_System_SetVerboseErrors(1);
    for (size_t i = 0; i < PAYLOAD; i++)
        mine_to_send[i] = (unsigned char)(me * 7 + i);
    barrier(tm);

    uint32_t to = (me + 1) % n;
    test_numbers(to);  // no segment yet
    CHECK(gex_Segment_Attach(&segment, tm, 1 << 20) == GASNET_OK);
    CHECK(gex_AM_MaxArgs() == 16 && gex_AM_LUBRequestMedium() >= 512 && gex_AM_LUBReplyMedium() >= 512);
    CHECK(gex_AM_MaxRequestMedium(tm, to, GEX_EVENT_NOW, 0, 16) >= gex_AM_LUBRequestMedium());
    CHECK(gex_AM_MaxReplyMedium(tm, to, GEX_EVENT_NOW, 0, 16) >= gex_AM_LUBReplyMedium());
    CHECK(gex_AM_MaxRequestLong(tm, to, GEX_EVENT_NOW, 0, 16) >= gex_AM_LUBRequestLong());
    CHECK(gex_AM_MaxReplyLong(tm, to, GEX_EVENT_NOW, 0, 16) >= gex_AM_LUBReplyLong());
    test_kinds(to);
    test_kinds(me);
    test_floods(to);
    end();
    return 1;
}
