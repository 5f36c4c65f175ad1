// SPDX-License-Identifier: BSD-3-Clause
//
// A job of GASNet, both interfaces, that leaves handles, events, a team, a domain and a segment;
// with an argument it gives all of them back.
#include <gasnet.h>
#include <gasnetex.h>
#include <stdio.h>

// what is left stays in reach
static gex_Event_t puts_left[3];
static gasnet_valget_handle_t value;
static gex_TM_t half;
static gex_Segment_t mine;
static gex_AD_t ad;
static char words[64];

int main(int argc, char **argv)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_TM_t tm;
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0));
    gasnet_QueryGexObjects(&client, &ep, &tm, NULL);
    uint32_t me = gasnet_mynode(), next = (me + 1) % gasnet_nodes();
    void *there;
    gex_Segment_QueryBound(tm, next, &there, NULL, NULL);
    for (int i = 0; i < 3; i++)
        puts_left[i] = gex_RMA_PutNB(tm, next, there, words, 8, GEX_EVENT_NOW, 0);
    gasnet_handle_t got = gasnet_get_nb_bulk(words, next, there, 16);
    value = gasnet_get_nb_val(next, there, 8);
    gex_Event_t all = gex_Coll_BarrierNB(tm, 0);
    gex_TM_Split(&half, tm, (int)me, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_AD_Create(&ad, tm, GEX_DT_I32, GEX_OP_INC, 0);
    gex_Segment_Create(&mine, client, NULL, 4096, GEX_MK_HOST, 0);
    if (argc > 1) {
        gex_Event_WaitAll(puts_left, 3, 0);
        gasnet_wait_syncnb_all(&got, 1);
        gasnet_wait_syncnb_valget(value);
        while (gex_Event_Test(all) != GASNET_OK)
            ;
        gex_TM_Destroy(half, NULL, 0);
        gex_AD_Destroy(ad);
        gex_Segment_Destroy(mine, 0);
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    printf("left done\n");
    gasnet_exit(0);
}
