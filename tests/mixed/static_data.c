// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX reaches the static data of a program that uses OpenSHMEM: transfers, strided ones, long
// messages, atomics. Checking mode knows that memory, too.
#include <gasnetex.h>
#include <shmem.h>
#include <string.h>

#include "frame/check.h"

enum { LONG = 200, ROWS = 4, ROW = 16 };

static gex_TM_t tm;
static char text[64], rows[ROWS * 2 * ROW], payload[64];
static int64_t word;
static volatile int messages;

static void on_long(gex_Token_t token, void *buf, size_t nbytes)
{
    (void)token;
    CHECK(buf == payload && nbytes == 5 && !strcmp(payload, "long"), "the payload");
    messages++;
}

static void fill_next(gex_Rank_t next, gex_AD_t ad)
{
    char from[ROWS * ROW];
    memset(from, 'r', sizeof from);
    gex_RMA_PutBlocking(tm, next, text, "put", 4, 0);
    const ptrdiff_t there[] = {2 * ROW}, here[] = {ROW};
    const size_t count[] = {ROWS};
    gex_VIS_StridedPutBlocking(tm, next, rows, there, from, here, ROW, count, 1, 0);
    gex_AM_RequestLong0(tm, next, LONG, "long", 5, payload, GEX_EVENT_NOW, 0);
    gex_Event_Wait(gex_AD_OpNB_I64(ad, NULL, next, &word, GEX_OP_ADD, 7, 0, 0));
}

int main(int argc, char **argv)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_Segment_t segment;
    gex_AD_t ad;
    gex_AM_Entry_t table[] = {{.gex_index = LONG,
                               .gex_fnptr = (gex_AM_Fn_t)on_long,
                               .gex_flags = GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST}};
    shmem_init();
    REQUIRE(gex_Client_Init(&client, &ep, &tm, "data", &argc, &argv, 0) == GASNET_OK);
    REQUIRE(gex_EP_RegisterHandlers(ep, table, 1) == GASNET_OK);
    REQUIRE(gex_Segment_Attach(&segment, tm, GASNET_PAGESIZE) == GASNET_OK);
    gex_AD_Create(&ad, tm, GEX_DT_I64, GEX_OP_ADD, 0);
    int me = shmem_my_pe();
    check_as("PE", me, shmem_n_pes());
    gex_Rank_t next = (gex_Rank_t)((me + 1) % shmem_n_pes());
    shmem_barrier_all();
    fill_next(next, ad);
    GASNET_BLOCKUNTIL(messages == 1);
    shmem_barrier_all();
    char got[4] = "";
    gex_RMA_GetBlocking(tm, got, next, text, sizeof got, 0);
    CHECK(!strcmp(got, "put") && !strcmp(text, "put"), "a put and a get");
    for (int i = 0; i < ROWS * 2 * ROW; i++)
        CHECK(rows[i] == (i / ROW % 2 ? 0 : 'r'), "byte %d of a strided put", i);
    CHECK(word == 7, "an atomic operation: %ld", (long)word);
    gex_AD_Destroy(ad);
    shmem_barrier_all();
    shmem_finalize();
    gasnet_exit(check_result());
}
