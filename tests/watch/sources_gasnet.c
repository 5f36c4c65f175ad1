// SPDX-License-Identifier: BSD-3-Clause
//
// Sources of puts that change before their sync, implicit gets without one, ids of barriers that
// differ; with an argument after it, and none.
#include <gasnet.h>
#include <gasnetex.h>
#include <stdio.h>

static char words[8][64];

static void change(void *what)
{
    *(char *)what ^= 1;
}

int main(int argc, char **argv)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_TM_t tm;
    void *there;
    int right;
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0));
    gasnet_QueryGexObjects(&client, &ep, &tm, NULL);
    right = argc > 1;
    uint32_t me = gasnet_mynode(), next = (me + 1) % gasnet_nodes();
    gex_Segment_QueryBound(tm, next, &there, NULL, NULL);
    for (int turn = 0; me == 0 && turn < 3; turn++) {
        gasnet_handle_t bulk = gasnet_put_nb_bulk(next, there, words[0], 64);  // line A
        if (!right)
            change(words[0]);
        gasnet_wait_syncnb(bulk);
        change(words[0]);
        gasnet_put_nbi_bulk(next, there, words[1], 8);  // line B
        if (!right)
            change(words[1]);
        gasnet_wait_syncnbi_puts();
        change(words[1]);
        gex_Event_t event = gex_RMA_PutNB(tm, next, there, words[2], 64, GEX_EVENT_DEFER, 0);  // C
        if (!right)
            change(words[2]);
        while (gex_Event_Test(event) != GASNET_OK)
            ;
        change(words[2]);
        gasnet_begin_nbi_accessregion();
        gasnet_put_nbi_bulk(next, there, words[3], 32);  // line D
        bulk = gasnet_end_nbi_accessregion();
        gasnet_wait_syncnbi_all();  // not of the region
        if (!right)
            change(words[3]);
        gasnet_wait_syncnb_all(&bulk, 1);
        change(words[3]);
        // their sources are free when the calls return
        bulk = gasnet_put_nb(next, there, words[4], 64);
        gasnet_put_nbi(next, there, words[5], 64);
        event = gex_RMA_PutNB(tm, next, there, words[6], 64, GEX_EVENT_NOW, 0);
        change(words[4]);
        change(words[5]);
        change(words[6]);
        gasnet_wait_syncnb(bulk);
        gasnet_wait_syncnbi_all();
        gex_Event_Wait(event);
        event = gex_RMA_PutNB(tm, next, there, words[7], 64, GEX_EVENT_DEFER, 0);
        gex_Event_Wait(gex_Event_QueryLeaf(event, GEX_EC_LC));
        change(words[7]);
        gex_Event_Wait(event);
    }
    if (me == 0) {
        gasnet_get_nbi(words[0], next, there, 64);
        gasnet_wait_syncnbi_gets();
        gex_RMA_GetNBI(tm, words[0], next, there, 64, 0);
        while (gex_NBI_Test(GEX_EC_GET, 0) != GASNET_OK)
            ;
        gasnet_begin_nbi_accessregion();
        gasnet_get_nbi_bulk(words[1], next, there, 64);
        gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
        for (int i = 2; i < 4; i++)
            gasnet_get_nbi_bulk(words[i], next, there, 64);  // never waited for
        gex_RMA_GetNBI(tm, words[4], next, there, 64, 0);
        gasnet_wait_syncnbi_puts();
        if (right)
            gex_NBI_Wait(GEX_EC_GET, 0);
    }
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    int wanted = right ? GASNET_OK : GASNET_ERR_BARRIER_MISMATCH;
    for (int turn = 0; turn < 3; turn++) {
        gasnet_barrier_notify(right ? 7 : 7 + (int)me, 0);
        if (gasnet_barrier_wait(right ? 7 : 7 + (int)me, 0) != wanted)
            printf("FAIL: ids that differ\n");
        gasnet_barrier_notify(4, 0);
        int id = me == 0 && !right ? 5 : 4, rc;
        while ((rc = gasnet_barrier_try(id, 0)) == GASNET_ERR_NOT_READY)
            ;
        if (rc != (me == 0 ? wanted : GASNET_OK))
            printf("FAIL: ids of two calls\n");
        // the program wants it
        gasnet_barrier_notify(3, me == 1 ? GASNET_BARRIERFLAG_MISMATCH : 0);
        if (gasnet_barrier_wait(3, 0) != GASNET_ERR_BARRIER_MISMATCH)
            printf("FAIL: no mismatch\n");
    }
    printf("sources_gasnet done\n");
    gasnet_exit(0);
}
