// SPDX-License-Identifier: BSD-3-Clause
//
// Each call of GASNet-EX that communicates, made where it must not be: in a handler, or
// (CALL_OUTSIDE) wrongly outside of one. The first argument selects it. The message must begin with
// the name of the call, whatever the call is made of. misuse.py reads the names here.
#include "ex.h"

static const char *how;
static char *base, buf[64];
static gex_AD_t ad;
static int handled;

#define IS(name) (strcmp(how, #name) == 0)
#define CALL(name, ...) \
    if (IS(name))       \
        name(__VA_ARGS__);

static void transfers(void)
{
    CALL(gex_RMA_PutBlocking, tm, 0, base, buf, 8, 0)
    CALL(gex_RMA_PutNB, tm, 0, base, buf, 8, GEX_EVENT_NOW, 0)
    CALL(gex_RMA_PutNBI, tm, 0, base, buf, 8, GEX_EVENT_NOW, 0)
    CALL(gex_RMA_GetBlocking, tm, buf, 0, base, 8, 0)
    CALL(gex_RMA_GetNB, tm, buf, 0, base, 8, 0)
    CALL(gex_RMA_GetNBI, tm, buf, 0, base, 8, 0)
    CALL(gex_RMA_PutBlockingVal, tm, 0, base, 1, 8, 0)
    CALL(gex_RMA_PutNBVal, tm, 0, base, 1, 8, 0)
    CALL(gex_RMA_PutNBIVal, tm, 0, base, 1, 8, 0)
    CALL(gex_RMA_GetBlockingVal, tm, 0, base, 8, 0)
    CALL(gex_AD_OpNB_I32, ad, NULL, 0, base, GEX_OP_INC, 0, 0, 0)
    CALL(gex_AD_OpNBI_I32, ad, NULL, 0, base, GEX_OP_INC, 0, 0, 0)
}

static void vectors(void)
{
    gex_Memvec_t near = {buf, 8}, far = {base, 8};
    void *nears[] = {buf}, *fars[] = {base};
    ptrdiff_t strides[] = {8};
    size_t counts[] = {1};
    CALL(gex_VIS_VectorPutBlocking, tm, 0, 1, &far, 1, &near, 0)
    CALL(gex_VIS_VectorPutNB, tm, 0, 1, &far, 1, &near, 0)
    CALL(gex_VIS_VectorPutNBI, tm, 0, 1, &far, 1, &near, 0)
    CALL(gex_VIS_VectorGetBlocking, tm, 1, &near, 0, 1, &far, 0)
    CALL(gex_VIS_VectorGetNB, tm, 1, &near, 0, 1, &far, 0)
    CALL(gex_VIS_VectorGetNBI, tm, 1, &near, 0, 1, &far, 0)
    CALL(gex_VIS_IndexedPutBlocking, tm, 0, 1, fars, 8, 1, nears, 8, 0)
    CALL(gex_VIS_IndexedPutNB, tm, 0, 1, fars, 8, 1, nears, 8, 0)
    CALL(gex_VIS_IndexedPutNBI, tm, 0, 1, fars, 8, 1, nears, 8, 0)
    CALL(gex_VIS_IndexedGetBlocking, tm, 1, nears, 8, 0, 1, fars, 8, 0)
    CALL(gex_VIS_IndexedGetNB, tm, 1, nears, 8, 0, 1, fars, 8, 0)
    CALL(gex_VIS_IndexedGetNBI, tm, 1, nears, 8, 0, 1, fars, 8, 0)
    CALL(gex_VIS_StridedPutBlocking, tm, 0, base, strides, buf, strides, 8, counts, 1, 0)
    CALL(gex_VIS_StridedPutNB, tm, 0, base, strides, buf, strides, 8, counts, 1, 0)
    CALL(gex_VIS_StridedPutNBI, tm, 0, base, strides, buf, strides, 8, counts, 1, 0)
    CALL(gex_VIS_StridedGetBlocking, tm, buf, strides, 0, base, strides, 8, counts, 1, 0)
    CALL(gex_VIS_StridedGetNB, tm, buf, strides, 0, base, strides, 8, counts, 1, 0)
    CALL(gex_VIS_StridedGetNBI, tm, buf, strides, 0, base, strides, 8, counts, 1, 0)
}

static void events(void)
{
    gex_Event_t event = GEX_EVENT_INVALID;
    CALL(gex_Event_Wait, event)
    CALL(gex_Event_Test, event)
    CALL(gex_Event_WaitAll, &event, 1, 0)
    CALL(gex_Event_TestAll, &event, 1, 0)
    CALL(gex_Event_WaitSome, &event, 1, 0)
    CALL(gex_Event_TestSome, &event, 1, 0)
    CALL(gex_NBI_Wait, GEX_EC_ALL, 0)
    CALL(gex_NBI_Test, GEX_EC_PUT, 0)
    CALL(gex_NBI_BeginAccessRegion, 0)
    CALL(gex_NBI_EndAccessRegion, 0)
}

static void together(void)
{
    gex_TM_t made;
    gex_AD_t domain;
    gex_EP_Location_t first = {0, 0};
    int32_t word = 0;
    CALL(gex_Coll_BarrierNB, tm, 0)
    CALL(gex_Coll_BarrierBlocking, tm, 0)
    CALL(gex_Coll_BroadcastNB, tm, 0, &word, &word, 4, 0)
    CALL(gex_Coll_ReduceToOneNB, tm, 0, &word, &word, GEX_DT_I32, 4, 1, GEX_OP_ADD, NULL, NULL, 0)
    CALL(gex_Coll_ReduceToAllNB, tm, &word, &word, GEX_DT_I32, 4, 1, GEX_OP_ADD, NULL, NULL, 0)
    CALL(gex_TM_Split, &made, tm, 0, 0, NULL, 0, 0)
    CALL(gex_TM_Create, &made, 1, tm, &first, 1, NULL, 0, 0)
    CALL(gex_AD_Create, &domain, tm, GEX_DT_I32, GEX_OP_ADD, 0)
    CALL(gex_AD_Destroy, ad)
    CALL(gasnet_barrier, 0, GASNET_BARRIERFLAG_UNNAMED)
    CALL(gasnet_barrier_notify, 0, GASNET_BARRIERFLAG_ANONYMOUS)
    CALL(gasnet_AMPoll)
}

static void messages(void)
{
    CALL(gex_AM_RequestShort0, tm, 0, 200, 0)
    CALL(gex_AM_RequestMedium0, tm, 0, 201, buf, 1, GEX_EVENT_NOW, 0)
    CALL(gex_AM_RequestLong0, tm, 0, 201, buf, 1, base, GEX_EVENT_NOW, 0)
    CALL(gex_AM_PrepareRequestMedium, tm, 0, NULL, 1, 1, NULL, 0, 0)
    CALL(gex_AM_PrepareRequestLong, tm, 0, NULL, 1, 1, NULL, NULL, 0, 0)
}

static void on_request(gex_Token_t token)
{
    (void)token;
    transfers();
    vectors();
    events();
    together();
    messages();
    handled = 1;
}

static void on_bulk(gex_Token_t token, void *payload, size_t nbytes)
{
    (void)token, (void)payload, (void)nbytes;
}

#define CALL_OUTSIDE(name, first, ...) \
    if (IS(name)) {                    \
        first;                         \
        name(__VA_ARGS__);             \
    }

static void outside(void)
{
    static gex_HSL_t lock = GEX_HSL_INITIALIZER;
    gex_Event_t none = GEX_EVENT_NO_OP;
    CALL_OUTSIDE(gex_HSL_Lock, gex_HSL_Lock(&lock), &lock)
    CALL_OUTSIDE(gex_HSL_Trylock, gex_HSL_Lock(&lock), &lock)
    CALL_OUTSIDE(gex_HSL_Unlock, (void)0, &lock)
    CALL_OUTSIDE(gex_HSL_Init, (void)0, NULL)
    CALL_OUTSIDE(gex_HSL_Destroy, gex_HSL_Lock(&lock), &lock)
    CALL_OUTSIDE(gex_Event_TestAll, (void)0, &none, 1, 0)
    CALL_OUTSIDE(gex_Event_WaitSome, (void)0, &none, 1, 0)
    CALL_OUTSIDE(gex_RMA_PutNBIVal, (void)0, tm, 0, base, 1, 0, 0)
    CALL_OUTSIDE(gex_RMA_PutNBI, (void)0, tm, 0, base, NULL, 8, GEX_EVENT_NOW, 0)
    CALL_OUTSIDE(gex_RMA_GetNB, gex_HSL_Lock(&lock), tm, buf, 0, base, 8, 0)
    CALL_OUTSIDE(gex_NBI_Wait, gex_NBI_BeginAccessRegion(0), GEX_EC_ALL, 0)
    CALL_OUTSIDE(gex_NBI_BeginAccessRegion, gex_NBI_BeginAccessRegion(0), 0)
    CALL_OUTSIDE(gex_NBI_EndAccessRegion, (void)0, 0)
    CALL_OUTSIDE(gasnet_barrier, (void)0, 0, 64)
}

int main(int argc, char **argv)
{
    how = argv[1];
    begin(&argc, &argv, 4096);
    base = segment_of(0);
    gex_AM_Entry_t entries[] = {
        {200, (gex_AM_Fn_t)on_request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL,
         "on_request"},
        {201, (gex_AM_Fn_t)on_bulk, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 0, NULL, "on_bulk"},
    };
    CHECK(gex_EP_RegisterHandlers(ep, entries, 2) == GASNET_OK);
    gex_AD_Create(&ad, tm, GEX_DT_I32, GEX_OP_INC, 0);
    if (argc > 2) {
        outside();
    } else {
        gex_AM_RequestShort0(tm, 0, 200, 0);
        GASNET_BLOCKUNTIL(handled);
    }
    printf("%s went through\n", how);
    end();
    return 1;
}
