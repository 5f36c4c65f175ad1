// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of every kind, requests and replies; the properties of tokens; limits; floods. Numbers
// of arguments: numbers.c.
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

#define PARAMS                                                                               \
    gex_AM_Arg_t a0, gex_AM_Arg_t a1, gex_AM_Arg_t a2, gex_AM_Arg_t a3, gex_AM_Arg_t a4,     \
        gex_AM_Arg_t a5, gex_AM_Arg_t a6, gex_AM_Arg_t a7, gex_AM_Arg_t a8, gex_AM_Arg_t a9, \
            gex_AM_Arg_t a10, gex_AM_Arg_t a11, gex_AM_Arg_t a12,                            \
        gex_AM_Arg_t a13, gex_AM_Arg_t a14, gex_AM_Arg_t a15
#define ALL_ARGS a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15

static uint32_t look(gex_Token_t token, int is_req, int is_long, gex_AM_Index_t index)
{
    gex_Token_Info_t info;
    memset(&info, 0, sizeof info);
    CHECK((gex_Token_Info(token, &info, GEX_TI_ALL) & GEX_TI_ALL) == GEX_TI_ALL);
    CHECK(info.gex_is_req == is_req && info.gex_is_long == is_long && info.gex_ep == ep &&
          info.gex_srcrank < n);
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
    gex_AM_ReplyShort16(
        token, reply[0], 0, a0, (int)me * 1000 + 1, (int)me * 1000 + 2, (int)me * 1000 + 3,
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

static void medium_request(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0,
                           gex_AM_Arg_t a1)
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

static void test_kinds(uint32_t to)
{
    int b = (int)me * 1000;
    for (int round = 0; round < ROUNDS; round++) {
        size_t nbytes = (size_t)round * PAYLOAD / ROUNDS;
        uint32_t before = replies;
        gex_AM_RequestShort16(tm, to, request[0], 0, 16, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6,
                              b + 7, b + 8, b + 9, b + 10, b + 11, b + 12, b + 13, b + 14, b + 15);
        GASNET_BLOCKUNTIL(replies == before + 1);
        gex_Event_t local = GEX_EVENT_NO_OP;
        CHECK(gex_AM_RequestMedium2(tm, to, request[1], mine_to_send, nbytes, &local, 0, 77,
                                    (int)nbytes) == 0);
        CHECK(local == GEX_EVENT_INVALID);
        GASNET_BLOCKUNTIL(replies == before + 2);
        gex_AM_RequestLong(tm, to, request[2], mine_to_send, nbytes,
                           segment_of(to) + LONG_AT * (1 + me), GEX_EVENT_GROUP, 0, 99);
        gex_NBI_Wait(GEX_EC_AM, 0);
        GASNET_BLOCKUNTIL(replies == before + 3);
    }
}

/** Many messages without waiting; immediate ones are either sent or not. */
static void test_floods(uint32_t to)
{
    uint32_t sent = 0, all[2] = {0, 0};
    for (int i = 0; i < 2000; i++)
        sent += gex_AM_RequestShort(tm, to, counted, i % 2 ? GEX_FLAG_IMMEDIATE : 0) == 0;
    CHECK(sent >= 1000);
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(tm, &all[0], &sent, GEX_DT_U32, 4, 1, GEX_OP_ADD, NULL, NULL, 0));
    do
        gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, &all[1], &counts, GEX_DT_U32, 4, 1, GEX_OP_ADD,
                                              NULL, NULL, 0));
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
    CHECK(gex_EP_RegisterHandlers(ep, table, sizeof table / sizeof *table) == GASNET_OK);
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
    gex_AM_Entry_t twice[] = {{211, short_request, 0, 0, NULL, "first"},
                              {210, short_request, 0, 0, NULL, "other"},
                              {211, short_reply, 0, 0, NULL, "second"}};
    CHECK(gex_EP_RegisterHandlers(ep, twice, 3) == GASNET_ERR_BAD_ARG);
    CHECK(gex_EP_RegisterHandlers(ep, twice, 2) == GASNET_OK);  // none of them was taken then
    gex_System_SetVerboseErrors(1);
    for (size_t i = 0; i < PAYLOAD; i++)
        mine_to_send[i] = (unsigned char)(me * 7 + i);
    barrier(tm);

    uint32_t to = (me + 1) % n;
    CHECK(gex_Segment_Attach(&segment, tm, 1 << 20) == GASNET_OK);
    CHECK(gex_AM_MaxArgs() == 16 && gex_AM_LUBRequestMedium() >= 512 &&
          gex_AM_LUBReplyMedium() >= 512);
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
