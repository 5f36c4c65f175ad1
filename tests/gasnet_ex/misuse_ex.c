// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use of GASNet-EX, one kind per run: the first argument selects it. Each must end the job
// with a message.
#include "ex.h"

static const char *how;
static char big[100];

static int is(const char *what)
{
    return strcmp(how, what) == 0;
}

static gex_AM_Index_t handler, bulk_handler, reply_handler;
static int handled;  // by on_reply, or by on_request when it sends no reply
static void on_request(gex_Token_t token)
{
    if (is("request-in-handler"))
        gex_AM_RequestShort0(tm, 0, handler, 0);
    if (is("prepare-in-handler"))
        gex_AM_PrepareRequestMedium(tm, 0, NULL, 1, 1, NULL, 0, 0);
    if (is("reply-handler-kind"))
        gex_AM_ReplyShort0(token, handler, 0);
    if (is("reply-handler-twice"))
        gex_AM_ReplyShort0(token, reply_handler, 0);
    if (is("reply-handler-source"))
        gex_AM_ReplyMedium0(token, bulk_handler, NULL, 10, GEX_EVENT_NOW, 0);
    if (is("reply-handler-length"))
        gex_AM_ReplyMedium0(token, bulk_handler, how, 1 << 20, GEX_EVENT_NOW, 0);
    if (is("reply-handler-outside"))
        gex_AM_ReplyLong0(token, bulk_handler, how, 1, (void *)(uintptr_t)how, GEX_EVENT_NOW, 0);
    if (is("reply-handler-unknown"))
        gex_AM_ReplyShort0(token, 201, 0);
    if (strncmp(how, "reply-handler", 13) == 0 || is("request-in-reply-handler") ||
        is("reply-in-reply-handler"))
        gex_AM_ReplyShort0(token, reply_handler, 0);
    if (is("transfer-in-handler"))
        gex_RMA_PutBlockingVal(tm, 0, segment_of(0), 1, 1, 0);
    if (is("wait-in-handler"))
        gex_Coll_BarrierBlocking(tm, 0);
}

static void on_bulk(gex_Token_t token, void *buf, size_t nbytes)
{
    (void)token, (void)buf, (void)nbytes;
}

static void on_reply(gex_Token_t token)
{
    if (is("request-in-reply-handler"))
        gex_AM_RequestShort0(tm, 0, handler, 0);
    if (is("reply-in-reply-handler"))
        gex_AM_ReplyShort0(token, reply_handler, 0);
    handled = 1;
}

static void messages(gex_TM_t other)
{
    char buf[100] = "";
    if (is("medium-source"))
        gex_AM_RequestMedium0(tm, 0, bulk_handler, NULL, 10, GEX_EVENT_NOW, 0);
    if (is("long-source"))
        gex_AM_RequestLong0(tm, 0, bulk_handler, NULL, 10, segment_of(0), GEX_EVENT_NOW, 0);
    if (is("limit-arguments"))
        gex_AM_MaxRequestMedium(tm, 0, NULL, 0, 17);
    if (is("put-prepared")) {
        gex_AM_PrepareRequestMedium(tm, 0, NULL, 1, 1, NULL, 0, 0);
        gex_RMA_PutBlockingVal(tm, 0, segment_of(0), 1, 1, 0);
    }
    if (is("rank"))
        gex_AM_RequestShort0(tm, 7, handler, 0);
    if (is("handler"))
        gex_AM_RequestShort0(tm, 0, 222, 0);
    if (is("arguments"))
        gex_AM_RequestShort1(tm, 0, handler, 0, 1);
    if (is("kind"))
        gex_AM_RequestMedium0(tm, 0, handler, buf, 1, GEX_EVENT_NOW, 0);
    if (is("medium-length"))
        gex_AM_RequestMedium0(tm, 0, bulk_handler, buf, 1 << 20, GEX_EVENT_NOW, 0);
    if (is("long-outside"))
        gex_AM_RequestLong0(tm, 0, bulk_handler, buf, 8, buf, GEX_EVENT_NOW, 0);
    if (is("message-to-endpoint"))
        gex_AM_RequestShort0(other, 0, handler, 0);
    if (is("prepare-twice"))
        gex_AM_PrepareRequestMedium(
            tm, 0, gex_AM_PrepareRequestMedium(tm, 0, NULL, 1, 1, NULL, 0, 0), 1, 1, NULL, 0, 0);
    if (is("prepare-least"))
        gex_AM_PrepareRequestMedium(tm, 0, NULL, 1 << 20, 1 << 20, NULL, 0, 0);
    if (is("prepare-lc"))
        gex_AM_PrepareRequestLong(tm, 0, NULL, 1, 1, NULL, GEX_EVENT_NOW, 0, 0);
    if (is("commit-nothing"))
        gex_AM_CommitRequestMedium0(GEX_AM_SRCDESC_NO_OP, handler, 0);
    if (is("commit-kind"))
        gex_AM_CommitRequestLong0(gex_AM_PrepareRequestMedium(tm, 0, NULL, 1, 1, NULL, 0, 0),
                                  handler, 0, NULL);
    if (is("commit-length"))
        gex_AM_CommitRequestMedium0(
            gex_AM_PrepareRequestMedium(tm, 0, buf, 1, 9, GEX_EVENT_NOW, 0, 0), handler, 10);
    if (is("commit-arguments"))
        gex_AM_CommitRequestMedium1(
            gex_AM_PrepareRequestMedium(tm, 0, buf, 1, 9, GEX_EVENT_NOW, 0, 0), handler, 1, 1);
    if (is("cancel-kind"))
        gex_AM_CancelRequestLong(gex_AM_PrepareRequestMedium(tm, 0, buf, 1, 9, GEX_EVENT_NOW, 0, 0),
                                 0);
}

static void transfers(gex_TM_t other)
{
    char buf[100] = "";
    gex_Memvec_t ten = {segment_of(0), 10}, nine = {buf, 9};
    if (is("put-outside"))
        gex_RMA_PutBlocking(tm, 0, buf, buf, 8, 0);
    if (is("get-behind"))
        gex_RMA_GetNB(tm, buf, 0, segment_of(0) + 4090, 8, 0);
    if (is("get-to-behind"))
        gex_RMA_GetNB(tm, segment_of(0) + 4090, 0, segment_of(0), 8, 0);
    if (is("get-to-static"))
        gex_RMA_GetNB(tm, big + 95, 0, segment_of(0), 8, 0);
    if (is("put-rank"))
        gex_RMA_PutNBI(tm, 3, segment_of(0), buf, 8, GEX_EVENT_NOW, 0);
    if (is("no-team"))
        gex_RMA_PutNBI(GEX_TM_INVALID, 0, segment_of(0), buf, 8, GEX_EVENT_NOW, 0);
    if (is("get-overlap"))
        gex_RMA_GetBlocking(tm, segment_of(0) + 7, 0, segment_of(0), 8, 0);
    if (is("put-negative"))
        gex_RMA_PutBlocking(tm, 0, segment_of(0), buf, (size_t)-8, 0);
    if (is("get-negative"))
        gex_RMA_GetNBI(tm, buf, 0, segment_of(0), (size_t)-8, 0);
    if (is("value-width"))
        gex_RMA_PutNBIVal(tm, 0, segment_of(0), 1, 9, 0);
    if (is("unpublished"))
        gex_RMA_GetBlocking(other, buf, 0, segment_of(0), 8, 0);
    if (is("vector-length"))
        gex_VIS_VectorPutBlocking(tm, 0, 1, &ten, 1, &nine, 0);
    if (is("strided-negative")) {
        const ptrdiff_t stride = 8;
        const size_t count = (size_t)-1;
        gex_VIS_StridedPutBlocking(tm, 0, segment_of(0), &stride, buf, &stride, 8, &count, 1, 0);
    }
    if (is("strided-levels"))
        gex_VIS_StridedGetBlocking(tm, buf, NULL, 0, segment_of(0), NULL, 8, NULL, 2, 0);
    if (is("vector-outside")) {
        ten.gex_addr = buf;
        nine.gex_len = 10;
        gex_VIS_VectorPutNB(tm, 0, 1, &ten, 1, &nine, 0);
    }
    if (is("completion-length"))
        gex_VIS_SetPeerCompletionHandler(bulk_handler, buf, 1 << 20, 0);
    if (is("no-op-event"))
        gex_Event_Wait(GEX_EVENT_NO_OP);
    if (is("event-twice") || is("event-tested")) {
        gex_Event_t event = gex_Coll_BroadcastNB(tm, 0, buf, buf, 8, 0);
        gex_Event_Wait(event);
        if (is("event-twice"))
            gex_Event_Wait(event);
        gex_Event_Test(event);
    }
    if (is("get-twice")) {
        gex_Event_t event = gex_RMA_GetNB(tm, buf, 0, segment_of(0), 8, 0);
        gex_Event_Wait(event);
        gex_Event_Test(event);
    }
    if (is("nothing")) {  // leaves may be waited for, and the root must
        gex_Event_t leaf, root = gex_RMA_PutNB(tm, 0, segment_of(0), buf, 8, GEX_EVENT_DEFER, 0);
        leaf = gex_Event_QueryLeaf(root, GEX_EC_LC);
        gex_Event_Wait(leaf);
        gex_Event_Wait(leaf);
        gex_Event_WaitSome(&root, 1, 0);
    }
    if (is("event-garbage"))
        gex_Event_Wait((gex_Event_t)(void *)(buf + 2));
    if (is("events-null"))
        gex_Event_WaitAll(NULL, 2, 0);
    if (is("some-events-null"))
        gex_Event_WaitSome(NULL, 1, 0);
    if (is("test-events-null"))
        gex_Event_TestAll(NULL, 1, 0);
    if (is("test-some-null"))
        gex_Event_TestSome(NULL, 1, 0);
    if (is("rank-of-none"))
        gex_TM_QueryRank(GEX_TM_INVALID);
    if (is("leaf"))
        gex_Event_QueryLeaf(GEX_EVENT_INVALID, GEX_EC_PUT);
    if (is("category"))
        gex_NBI_Wait(1u << 20, 0);
}

/** What no call has given: bytes of the program. */
static void *garbage(void)
{
    static uint64_t words[64];
    memset(words, 0x5a, sizeof words);
    return words;
}

static void handles(void)
{
    char buf[8] = "";
    if (is("team-garbage"))
        gex_RMA_PutNBI((gex_TM_t)garbage(), 0, segment_of(0), buf, 8, GEX_EVENT_NOW, 0);
    if (is("team-foreign"))
        gex_AM_RequestShort0((gex_TM_t)(void *)ep, 0, handler, 0);
    if (is("team-asked"))
        gex_TM_QuerySize((gex_TM_t)garbage());
    if (is("endpoint-garbage"))
        gex_EP_QueryIndex((gex_EP_t)garbage());
    if (is("endpoint-of-pair"))
        gex_TM_Pair((gex_EP_t)garbage(), 0);
    if (is("client-garbage"))
        gex_Client_QueryName((gex_Client_t)garbage());
    if (is("segment-garbage"))
        gex_Segment_QueryAddr((gex_Segment_t)garbage());
    if (is("domain-garbage"))
        gex_AD_OpNBI_I32((gex_AD_t)garbage(), NULL, 0, segment_of(0), GEX_OP_INC, 0, 0, 0);
}

/** Made, used, destroyed, and used again. */
static void destroyed(void)
{
    gex_TM_t made;
    gex_AD_t ad;
    gex_Segment_t mine;
    gex_EP_t second;
    CHECK(gex_EP_Create(&second, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
    CHECK(gex_EP_QueryIndex(second) == 1);
    gex_TM_Split(&made, tm, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    CHECK(gex_TM_QuerySize(made) == 1);
    gex_Event_t left =
        is("team-in-use") || is("team-left") ? gex_Coll_BarrierNB(made, 0) : GEX_EVENT_INVALID;
    gex_TM_Destroy(made, NULL, 0);
    gex_Event_Wait(left);
    if (is("team-destroyed"))
        gex_Coll_BarrierNB(made, 0);
    gex_AD_Create(&ad, tm, GEX_DT_I32, GEX_OP_INC, 0);
    gex_AD_OpNBI_I32(ad, NULL, 0, segment_of(0), GEX_OP_INC, 0, 0, 0);
    if (is("domain-outside"))
        gex_AD_OpNBI_I32(ad, NULL, 0, segment_of(0) + 4096, GEX_OP_INC, 0, 0, 0);
    if (is("domain-unaligned"))
        gex_AD_OpNBI_I32(ad, NULL, 0, segment_of(0) + 2, GEX_OP_INC, 0, 0, 0);
    gex_AD_Destroy(ad);
    if (is("domain-destroyed"))
        gex_AD_QueryOps(ad);
    CHECK(gex_Segment_Create(&mine, client, NULL, 4096, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK(gex_Segment_QuerySize(mine) >= 4096);
    gex_Segment_Destroy(mine, 0);
    if (is("segment-destroyed"))
        gex_EP_BindSegment(second, mine, 0);
}

static void objects(gex_TM_t other)
{
    gex_TM_t made;
    gex_EP_Location_t wrong = {9, 0}, twice[] = {{0, 0}, {0, 0}};
    gex_AD_t ad;
    if (is("pair-barrier"))
        gex_Coll_BarrierNB(other, 0);
    if (is("pair-split"))
        gex_TM_Split(&made, other, 0, 0, NULL, 0, 0);
    if (is("pair-index"))
        gex_TM_Pair(ep, GASNET_MAXEPS);
    if (is("destroy-world"))
        gex_TM_Destroy(tm, NULL, 0);
    if (is("create-rank"))
        gex_TM_Create(&made, 1, tm, &wrong, 1, NULL, 0, 0);
    if (is("create-nowhere"))
        gex_TM_Create(NULL, 1, tm, twice, 1, NULL, 0, 0);
    if (is("create-twice"))
        gex_TM_Create(&made, 1, tm, twice, 2, NULL, 0, 0);
    if (is("destroy-attached"))
        gex_Segment_Destroy(segment, 0);
    if (is("publish-nothing")) {
        gex_EP_t none = GEX_EP_INVALID;
        gex_EP_PublishBoundSegment(tm, &none, 1, 0);
    }
    if (is("domain-type"))
        gex_AD_Create(&ad, tm, GEX_DT_USER, GEX_OP_ADD, 0);
    if (is("domain-none"))
        gex_AD_OpNBI_I32(GEX_AD_INVALID, NULL, 0, segment_of(0), GEX_OP_INC, 0, 0, 0);
    if (is("domain-operation")) {
        gex_AD_Create(&ad, tm, GEX_DT_I32, GEX_OP_ADD, 0);
        gex_AD_OpNB_I32(ad, NULL, 0, segment_of(0), GEX_OP_SUB, 1, 0, 0);
    }
    if (is("reduce-operation"))
        gex_Coll_ReduceToAllNB(tm, &made, &made, GEX_DT_DBL, 8, 1, GEX_OP_XOR, NULL, NULL, 0);
    if (is("reduce-overlap"))
        gex_Coll_ReduceToAllNB(tm, segment_of(0) + 4, segment_of(0), GEX_DT_I32, 4, 2, GEX_OP_ADD,
                               NULL, NULL, 0);
    if (is("broadcast-behind"))
        gex_Coll_BroadcastNB(tm, 0, segment_of(0), &big[1], sizeof big, 0);
    if (is("root"))
        gex_Coll_BroadcastNB(tm, 4, &made, &made, 8, 0);
}

int main(int argc, char **argv)
{
    how = argv[1];
    if (is("rank-before-init"))
        gex_System_QueryJobRank();
    if (is("size-before-init"))
        gex_System_QueryJobSize();
    if (is("team-before-init"))
        gex_TM_QuerySize(GEX_TM_INVALID);
    if (is("before-init"))
        gex_Coll_BarrierNB(tm, 0);
    begin(&argc, &argv, is("no-segment") ? 0 : 4096);
    if (is("no-segment"))
        gex_RMA_PutBlocking(tm, 0, (void *)(uintptr_t)how, how, 1, 0);
    gex_AM_Entry_t entries[] = {
        {0, (gex_AM_Fn_t)on_request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL,
         "on_request"},
        {0, (gex_AM_Fn_t)on_bulk, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP, 0, NULL, "on_bulk"},
        {0, (gex_AM_Fn_t)on_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "on_reply"},
    };
    CHECK(gex_EP_RegisterHandlers(ep, entries, 3) == GASNET_OK);
    handler = entries[0].gex_index;
    bulk_handler = entries[1].gex_index;
    reply_handler = entries[2].gex_index;
    if (is("right-then-beyond"))  // of two ranks: what was right is remembered, of each source
        for (int i = 0; i < 4; i++)
            gex_RMA_PutBlocking(tm, 1 - me, segment_of(1 - me) + 4088 + i / 3,
                                i == 0 ? (void *)&client : entries, 8, 0);
    gex_TM_t other = gex_TM_Pair(ep, 1);
    messages(other);
    transfers(other);
    objects(other);
    handles();
    destroyed();
    if (strstr(how, "handler")) {
        gex_AM_RequestShort0(tm, 0, handler, 0);
        GASNET_BLOCKUNTIL(handled);
    }
    printf("%s went through\n", how);
    end();
    return 1;
}
