// SPDX-License-Identifier: BSD-3-Clause
//
// Messages with negotiated payloads: each kind with the client's and the library's room, truncated,
// cancelled, with flags at commit, and with every number of arguments.
#include "ex.h"
#include "numbers.h"

enum { LONG_AT = 16384, ROUNDS = 30 };

static gex_AM_Index_t medium_request, medium_reply, long_request, long_reply, by_number[17];
static uint32_t replies, numbers_seen[4];
static char source_of_all[8192];

static void fill(char *room, size_t nbytes, uint32_t rank)
{
    for (size_t i = 0; i < nbytes; i++)
        room[i] = (char)(rank * 13 + i);
}

static void look(const char *data, size_t nbytes, uint32_t rank)
{
    for (size_t i = 0; i < nbytes; i++)
        if (data[i] != (char)(rank * 13 + i)) {
            CHECK(!"payload as sent");
            return;
        }
}

static uint32_t sender(gex_Token_t token)
{
    gex_Token_Info_t info;
    gex_Token_Info(token, &info, GEX_TI_SRCRANK);
    return info.gex_srcrank;
}

// a0: bytes of payload; a1: where the reply is built: 0 the library's room, 1 the handler's.
static void on_medium(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0, gex_AM_Arg_t a1)
{
    gex_Event_t local;
    CHECK(nbytes == (size_t)a0);
    look(buf, nbytes, sender(token));
    size_t most =
        gex_Token_MaxReplyMedium(token, GEX_EVENT_NOW, GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 1);
    CHECK(most >= 512);
    if (a0 % 3 == 0) {  // prepared and cancelled
        gex_AM_SrcDesc_t never = gex_AM_PrepareReplyMedium(token, NULL, 1, 2, NULL, 0, 0);
        CHECK(gex_AM_SrcDescSize(never) >= 1 && gex_AM_CancelReplyMedium(never, 0) == 0);
    }
    gex_AM_SrcDesc_t sd =
        a1 ? gex_AM_PrepareReplyMedium(token, source_of_all, 1, nbytes + 1, &local, 0, 1)
           : gex_AM_PrepareReplyMedium(token, NULL, 1, nbytes + 1, NULL, 0, 1);
    CHECK((gex_AM_SrcDescAddr(sd) == source_of_all) == (a1 != 0));
    if (!a1)
        fill(gex_AM_SrcDescAddr(sd), nbytes, me);
    if (a0 % 2)
        gex_AM_CommitReplyMedium(sd, medium_reply, nbytes, a0);
    else
        CHECK(gex_AM_CommitReplyMedium_v2(sd, medium_reply, nbytes, 0, a0) == 0);
}

static void on_medium_back(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0)
{
    CHECK(nbytes == (size_t)a0);
    look(buf, nbytes, sender(token));
    __atomic_add_fetch(&replies, 1, __ATOMIC_RELEASE);
}

static void on_long(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0)
{
    uint32_t rank = sender(token);
    char *dest = segment_of(rank);
    CHECK(buf == (char *)gex_Segment_QueryAddr(segment) + LONG_AT * (1 + rank) &&
          nbytes == (size_t)a0);
    look(buf, nbytes, rank);
    if (a0 % 3 == 0) {
        gex_AM_SrcDesc_t never = gex_AM_PrepareReplyLong(token, NULL, 1, 2, NULL, NULL, 0, 0);
        CHECK(gex_AM_CancelReplyLong(never, 0) == 0);
    }
    gex_AM_SrcDesc_t sd =
        gex_AM_PrepareReplyLong(token, NULL, nbytes, nbytes, a0 % 2 ? dest : NULL, NULL, 0, 1);
    fill(gex_AM_SrcDescAddr(sd), nbytes, me);
    if (a0 % 2)
        gex_AM_CommitReplyLong(sd, long_reply, nbytes, dest, a0);
    else
        CHECK(gex_AM_CommitReplyLong_v2(sd, long_reply, nbytes, dest, 0, a0) == 0);
}

static void on_long_back(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0)
{
    CHECK(buf == gex_Segment_QueryAddr(segment) && nbytes == (size_t)a0);
    look(buf, nbytes, sender(token));
    __atomic_add_fetch(&replies, 1, __ATOMIC_RELEASE);
}

static void wait_for(uint32_t wanted)
{
    GASNET_BLOCKUNTIL(__atomic_load_n(&replies, __ATOMIC_ACQUIRE) == wanted);
}

static void test_medium(uint32_t to)
{
    uint32_t wanted = replies;
    for (int i = 0; i < ROUNDS; i++) {
        size_t nbytes = (size_t)(i * 100 + i % 7 + 1);
        gex_Event_t local = GEX_EVENT_NO_OP;
        gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(tm, to, NULL, 1, 2, NULL, 0, 2);
        CHECK(gex_AM_SrcDescSize(sd) >= 1 && gex_AM_SrcDescSize(sd) <= 2);
        CHECK(gex_AM_CancelRequestMedium(sd, 0) == 0);
        if (i % 2) {
            sd = gex_AM_PrepareRequestMedium(tm, to, source_of_all, nbytes, 1 << 20, &local, 0, 2);
            CHECK(gex_AM_SrcDescAddr(sd) == source_of_all && gex_AM_SrcDescSize(sd) < 1 << 20);
        } else {
            sd = gex_AM_PrepareRequestMedium(tm, to, NULL, nbytes, nbytes + 500, NULL,
                                             GEX_FLAG_IMMEDIATE, 2);
            if (sd == GEX_AM_SRCDESC_NO_OP)
                sd = gex_AM_PrepareRequestMedium(tm, to, NULL, nbytes, nbytes + 500, NULL, 0, 2);
            CHECK(((uintptr_t)gex_AM_SrcDescAddr(sd) & 7) == 0);
            fill(gex_AM_SrcDescAddr(sd), nbytes, me);
        }
        CHECK(gex_AM_SrcDescSize(sd) >= nbytes);
        if (i % 3 == 0)
            gex_AM_CommitRequestMedium(sd, medium_request, nbytes, (int)nbytes, i % 2);
        else
            while (gex_AM_CommitRequestMedium_v2(sd, medium_request, nbytes,
                                                 i % 3 == 1 ? GEX_FLAG_IMMEDIATE : 0, (int)nbytes,
                                                 i % 2))
                ;
        CHECK(i % 2 == 0 || local == GEX_EVENT_INVALID);
        if (i % 4 == 3)
            wait_for(wanted + (uint32_t)i + 1);
    }
    wait_for(wanted + ROUNDS);
}

static void test_long(uint32_t to)
{
    char *dest = segment_of(to) + LONG_AT * (1 + me);
    uint32_t wanted = replies;
    for (int i = 0; i < ROUNDS; i++) {
        size_t nbytes = (size_t)(i * 250 + i % 5 + 1);
        gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestLong(tm, to, NULL, 1, 2, NULL, NULL, 0, 1);
        CHECK(gex_AM_CancelRequestLong(sd, 0) == 0);
        if (i % 2)
            sd = gex_AM_PrepareRequestLong(tm, to, source_of_all, nbytes, nbytes, dest,
                                           GEX_EVENT_GROUP, 0, 1);
        else
            sd = gex_AM_PrepareRequestLong(tm, to, NULL, nbytes, nbytes + 1, NULL, NULL, 0, 1);
        if (i % 2 == 0)
            fill(gex_AM_SrcDescAddr(sd), nbytes, me);
        if (i % 4 < 2)
            gex_AM_CommitRequestLong(sd, long_request, nbytes, dest, (int)nbytes);
        else
            CHECK(gex_AM_CommitRequestLong_v2(sd, long_request, nbytes, dest, 0, (int)nbytes) == 0);
        gex_NBI_Wait(GEX_EC_AM, 0);
        wait_for(wanted + (uint32_t)i + 1);  // the place is used again
    }
}

// --------------------------------------------------- every number of arguments, in the eight calls
#define NUMBER_HANDLER(k, ...)                                                             \
    static void number##k(gex_Token_t token, void *buf, size_t nbytes P##k)                \
    {                                                                                      \
        gex_Token_Info_t info;                                                             \
        gex_AM_Arg_t args[] = {0 A##k};                                                    \
        (void)buf;                                                                         \
        CHECK(gex_Token_Info(token, &info, GEX_TI_ALL) == GEX_TI_ALL);                     \
        CHECK(nbytes == 0 && numbers_good(k, args, b));                                    \
        __atomic_or_fetch(&numbers_seen[2 * !info.gex_is_req + info.gex_is_long], 1u << k, \
                          __ATOMIC_RELEASE);                                               \
        if (info.gex_is_req)                                                               \
            reply##k(token, info.gex_is_long);                                             \
    }
#define REPLYING(k, ...)                                                                          \
    static void reply##k(gex_Token_t token, int is_long)                                          \
    {                                                                                             \
        gex_AM_SrcDesc_t sd = is_long ? gex_AM_PrepareReplyLong(token, NULL, 0, 0, NULL, NULL, 0, \
                                                                k)                                \
                                      : gex_AM_PrepareReplyMedium(token, NULL, 0, 0, NULL, 0, k); \
        if (is_long && rounds % 2)                                                                \
            gex_AM_CommitReplyLong##k(sd, by_number[k], 0, NULL __VA_ARGS__);                     \
        else if (is_long)                                                                         \
            CHECK(gex_AM_CommitReplyLong##k##_v2(sd, by_number[k], 0, NULL, 0 __VA_ARGS__) == 0); \
        else if (rounds % 2)                                                                      \
            gex_AM_CommitReplyMedium##k(sd, by_number[k], 0 __VA_ARGS__);                         \
        else                                                                                      \
            CHECK(gex_AM_CommitReplyMedium##k##_v2(sd, by_number[k], 0, 0 __VA_ARGS__) == 0);     \
    }                                                                                             \
    static void ask##k(uint32_t to)                                                               \
    {                                                                                             \
        gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(tm, to, NULL, 0, 0, NULL, 0, k);        \
        if (rounds % 2)                                                                           \
            gex_AM_CommitRequestMedium##k(sd, by_number[k], 0 __VA_ARGS__);                       \
        else                                                                                      \
            CHECK(gex_AM_CommitRequestMedium##k##_v2(sd, by_number[k], 0, 0 __VA_ARGS__) == 0);   \
        sd = gex_AM_PrepareRequestLong(tm, to, NULL, 0, 0, NULL, NULL, 0, k);                     \
        if (rounds % 2)                                                                           \
            gex_AM_CommitRequestLong##k(sd, by_number[k], 0, NULL __VA_ARGS__);                   \
        else                                                                                      \
            CHECK(gex_AM_CommitRequestLong##k##_v2(sd, by_number[k], 0, NULL,                     \
                                                   0 __VA_ARGS__) == 0);                          \
    }
static int rounds;
static const int b = 0;
EACH_NUMBER(REPLYING)
EACH_NUMBER(NUMBER_HANDLER)

static void test_numbers(uint32_t to)
{
    void (*const ask[])(uint32_t) = {ask0, ask1,  ask2,  ask3,  ask4,  ask5,  ask6,  ask7, ask8,
                                     ask9, ask10, ask11, ask12, ask13, ask14, ask15, ask16};
    for (int i = 0; i < 4; i++)
        numbers_seen[i] = 0;
    rounds++;
    barrier(tm);
    for (int k = 0; k <= 16; k++)
        ask[k](to);
    for (int i = 0; i < 4; i++)
        GASNET_BLOCKUNTIL(__atomic_load_n(&numbers_seen[i], __ATOMIC_ACQUIRE) == 0x1ffff);
    barrier(tm);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 1 << 20);
    gex_AM_Entry_t table[] = {
        {0, (gex_AM_Fn_t)on_medium, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 2, NULL, "on_medium"},
        {0, (gex_AM_Fn_t)on_medium_back, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1, NULL,
         "on_medium_back"},
        {0, (gex_AM_Fn_t)on_long, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1, NULL, "on_long"},
        {0, (gex_AM_Fn_t)on_long_back, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, 1, NULL,
         "on_long_back"},
    };
    gex_AM_Fn_t numbers[] = {(gex_AM_Fn_t)number0,  (gex_AM_Fn_t)number1,  (gex_AM_Fn_t)number2,
                             (gex_AM_Fn_t)number3,  (gex_AM_Fn_t)number4,  (gex_AM_Fn_t)number5,
                             (gex_AM_Fn_t)number6,  (gex_AM_Fn_t)number7,  (gex_AM_Fn_t)number8,
                             (gex_AM_Fn_t)number9,  (gex_AM_Fn_t)number10, (gex_AM_Fn_t)number11,
                             (gex_AM_Fn_t)number12, (gex_AM_Fn_t)number13, (gex_AM_Fn_t)number14,
                             (gex_AM_Fn_t)number15, (gex_AM_Fn_t)number16};
    CHECK(gex_EP_RegisterHandlers(ep, table, 4) == GASNET_OK);
    medium_request = table[0].gex_index;
    medium_reply = table[1].gex_index;
    long_request = table[2].gex_index;
    long_reply = table[3].gex_index;
    CHECK(medium_request == 255 && medium_reply == 254);
    for (unsigned i = 0; i < 17; i++) {
        gex_AM_Entry_t entry = {0, numbers[i], GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP,
                                i, NULL,       "number"};
        CHECK(gex_EP_RegisterHandlers(ep, &entry, 1) == GASNET_OK);
        by_number[i] = entry.gex_index;
    }
    fill(source_of_all, sizeof source_of_all, me);
    barrier(tm);
    uint32_t to = (me + 1) % n;
    CHECK(gex_AM_MaxRequestMedium(tm, GEX_RANK_INVALID, NULL, GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 0) >=
          4 * 512);
    CHECK(gex_AM_MaxRequestLong(tm, to, NULL, GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 16) >= 8000);
    CHECK(gex_AM_MaxReplyLong(tm, to, NULL, GEX_FLAG_AM_PREPARE_LEAST_CLIENT, 16) >= 8000);
    CHECK(gex_AM_MaxReplyMedium(tm, to, NULL, GEX_FLAG_AM_PREPARE_LEAST_CLIENT, 16) >= 512);
    test_medium(to);
    test_medium(me);
    barrier(tm);
    test_long(to);
    test_numbers(to);
    test_numbers(to);
    end();
    return 1;
}
