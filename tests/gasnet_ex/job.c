// SPDX-License-Identifier: BSD-3-Clause
//
// Client, endpoint, segment, job, team queries; transfers and events of every kind.
#include "ex.h"

static void test_queries(void)
{
    static int mark;
    CHECK(strcmp(gex_Client_QueryName(client), "test") == 0 && gex_Client_QueryFlags(client) == 0);
    CHECK(gex_Client_QueryCData(client) == NULL);
    gex_Client_SetCData(client, &mark);
    CHECK(gex_Client_QueryCData(client) == &mark);
    CHECK(gex_EP_QueryClient(ep) == client && gex_EP_QueryIndex(ep) == 0 &&
          gex_EP_QueryFlags(ep) == 0);
    CHECK(gex_EP_QuerySegment(ep) == segment);
    gex_EP_SetCData(ep, &mark);
    CHECK(gex_EP_QueryCData(ep) == &mark);
    CHECK(gex_TM_QueryClient(tm) == client && gex_TM_QueryEP(tm) == ep &&
          gex_TM_QueryFlags(tm) == 0);
    gex_TM_SetCData(tm, &mark);
    CHECK(gex_TM_QueryCData(tm) == &mark);
    CHECK(gex_System_QueryJobRank() == me && gex_System_QueryJobSize() == n);
    CHECK(gex_TM_TranslateRankToJobrank(tm, n - 1) == n - 1 &&
          gex_TM_TranslateJobrankToRank(tm, me) == me);
    CHECK(gex_TM_TranslateJobrankToRank(tm, n) == GEX_RANK_INVALID);
    CHECK(gex_TM_TranslateRankToEP(tm, me, 0).gex_rank == me &&
          gex_TM_TranslateRankToEP(tm, me, 0).gex_ep_index == 0);

    gex_RankInfo_t *info;
    gex_Rank_t count, mine, nbrhds, nbrhd, hosts, host;
    gex_System_QueryNbrhdInfo(&info, &count, &mine);
    CHECK(mine < count && info[mine].gex_jobrank == me);
    for (uint32_t i = 1; i < count; i++)
        CHECK(info[i - 1].gex_jobrank < info[i].gex_jobrank);
    gex_System_QueryHostInfo(&info, &count, &mine);
    CHECK(info[mine].gex_jobrank == me);
    gex_System_QueryMyPosition(&nbrhds, &nbrhd, &hosts, &host);
    CHECK(nbrhd < nbrhds && host < hosts && (nbrhds == 1) == (count == n));
    CHECK(gex_System_QueryMaxThreads() >= 1 && gex_System_QueryHiddenAMConcurrencyLevel() == 0);
    unsigned threads = 7;
    const gex_ProgressThreadInfo_t *thread_info;
    gex_System_SetVerboseErrors(0);
    CHECK(gex_System_GetVerboseErrors() == 0);
    CHECK(gex_System_QueryProgressThreads(client, &threads, &thread_info, 0) ==
              GASNET_ERR_RESOURCE &&
          threads == 7);
    gex_System_SetVerboseErrors(1);
    CHECK(GEX_SPEC_VERSION_MAJOR == 0 && GEX_SPEC_VERSION_MINOR >= 10);
}

static void test_segment(void)
{
    static int mark;
    void *addr, *local, *again;
    uintptr_t nbytes;
    CHECK(gex_Segment_QueryClient(segment) == client && gex_Segment_QueryFlags(segment) == 0);
    CHECK(gex_Segment_QuerySize(segment) == (me + 1) * (uintptr_t)GASNET_PAGESIZE * 4);
    gex_Segment_SetCData(segment, &mark);
    CHECK(gex_Segment_QueryCData(segment) == &mark);
    CHECK(gex_Segment_QueryBound(tm, me, &addr, &local, &nbytes) == 0);
    CHECK(addr == gex_Segment_QueryAddr(segment) && local == addr &&
          nbytes == gex_Segment_QuerySize(segment));
    memset(addr, (int)me + 1, nbytes);
    barrier(tm);
    for (uint32_t r = 0; r < n; r++) {
        gex_Event_Wait(gex_EP_QueryBoundSegmentNB(tm, r, &addr, &local, &nbytes, 0));
        CHECK(nbytes == (r + 1) * (uintptr_t)GASNET_PAGESIZE * 4);
        CHECK(gex_Segment_QueryBound(tm, r, &again, NULL, NULL) == 0 && again == addr);
        if (local)
            CHECK(((char *)local)[0] == (char)(r + 1) &&
                  ((char *)local)[nbytes - 1] == (char)(r + 1));
    }
    barrier(tm);
}

enum { WORDS = 1000 };

/** Fills a place of the next rank's segment by `how`, and checks after the barrier that the data is
 *  there. */
static void test_puts(void)
{
    uint32_t to = (me + 1) % n, from = (me + n - 1) % n;
    static uint64_t src[WORDS], back[WORDS];
    uint64_t *mine = gex_Segment_QueryAddr(segment), *theirs = (uint64_t *)segment_of(to);
    for (int how = 0; how < 9; how++) {
        gex_Event_t event = GEX_EVENT_INVALID, local = GEX_EVENT_NO_OP;
        for (int i = 0; i < WORDS; i++)
            src[i] = (uint64_t)(me * 100 + (uint32_t)how) << 32 | (uint32_t)i;
        barrier(tm);
        switch (how) {
        case 0:
            gex_RMA_PutBlocking(tm, to, theirs, src, sizeof src, 0);
            break;
        case 1:
            event =
                gex_RMA_PutNB(tm, to, theirs, src, sizeof src, GEX_EVENT_NOW, GEX_FLAG_LC_COPY_NO);
            CHECK(gex_Event_Test(gex_Event_QueryLeaf(event, GEX_EC_LC)) == GASNET_OK);
            break;
        case 2:
            event = gex_RMA_PutNB(tm, to, theirs, src, sizeof src, GEX_EVENT_DEFER,
                                  GEX_FLAG_LC_COPY_YES);
            break;
        case 3:
            event = gex_RMA_PutNB(tm, to, theirs, src, sizeof src, &local, 0);
            gex_Event_Wait(local);
            CHECK(gex_Event_Test(gex_Event_QueryLeaf(event, GEX_EC_LC)) == GASNET_OK);
            break;
        case 4:
            gex_RMA_PutNBI(tm, to, theirs, src, sizeof src, GEX_EVENT_NOW, 0);
            break;
        case 5:
            gex_RMA_PutNBI(tm, to, theirs, src, sizeof src, GEX_EVENT_DEFER, 0);
            break;
        case 6:
            gex_RMA_PutNBI(tm, to, theirs, src, sizeof src, GEX_EVENT_GROUP, GEX_FLAG_IMMEDIATE);
            break;
        case 7:
            gex_NBI_BeginAccessRegion(0);
            gex_RMA_PutNBI(tm, to, theirs, src, sizeof src, GEX_EVENT_DEFER, 0);
            event = gex_NBI_EndAccessRegion(0);
            break;
        default:
            for (int i = 0; i < WORDS; i += 3)
                gex_RMA_PutBlockingVal(tm, to, theirs + i, src[i], 8, 0);
            for (int i = 1; i < WORDS; i += 3)
                gex_Event_Wait(gex_RMA_PutNBVal(tm, to, theirs + i, src[i], 8, 0));
            for (int i = 2; i < WORDS; i += 3)
                gex_RMA_PutNBIVal(tm, to, theirs + i, src[i], 8, 0);
        }
        gex_Event_Wait(gex_Event_QueryLeaf(event, GEX_EC_LC));
        gex_Event_Wait(event);
        gex_NBI_Wait(GEX_EC_PUT, 0);
        barrier(tm);
        for (int i = 0; i < WORDS; i++)
            if (mine[i] != ((uint64_t)(from * 100 + (uint32_t)how) << 32 | (uint32_t)i)) {
                CHECK(!"a put arrived");
                break;
            }
        memset(back, 0, sizeof back);
        if (how % 3 == 0)
            gex_RMA_GetBlocking(tm, back, to, theirs, sizeof back, 0);
        else if (how % 3 == 1)
            gex_Event_Wait(gex_RMA_GetNB(tm, back, to, theirs, sizeof back, 0));
        else
            gex_RMA_GetNBI(tm, back, to, theirs, sizeof back, 0);
        gex_NBI_Wait(how % 2 ? GEX_EC_GET : GEX_EC_ALL, 0);
        CHECK(memcmp(back, src, sizeof src) == 0);
        CHECK(gex_RMA_GetBlockingVal(tm, to, theirs + 7, 8, 0) == src[7]);
        barrier(tm);
    }
}

static void test_events(void)
{
    uint32_t to = (me + 1) % n;
    char *theirs = segment_of(to);
    gex_Event_t events[6];
    memset(events, 0, sizeof events);
    CHECK(gex_Event_Test(GEX_EVENT_INVALID) == GASNET_OK);
    CHECK(gex_Event_TestAll(events, 6, 0) == GASNET_OK &&
          gex_Event_TestSome(events, 6, 0) == GASNET_OK);
    gex_Event_WaitSome(events, 6, 0);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 6; i++)
            events[i] = i == 2 ? gex_Coll_BarrierNB(tm, 0)
                               : gex_RMA_PutNB(tm, to, theirs + 64 * i, &round, sizeof round,
                                               GEX_EVENT_NOW, 0);
        if (round == 0) {
            gex_Event_WaitAll(events, 6, 0);
        } else if (round == 1) {
            while (gex_Event_TestAll(events, 6, 0) != GASNET_OK)
                gasnet_AMPoll();
        } else {
            for (int left = 6; left > 0;) {
                if (round == 2)
                    gex_Event_WaitSome(events, 6, 0);
                else
                    while (gex_Event_TestSome(events, 6, 0) != GASNET_OK)
                        gasnet_AMPoll();
                left = 0;
                for (int i = 0; i < 6; i++)
                    left += events[i] != GEX_EVENT_INVALID;
            }
        }
        for (int i = 0; i < 6; i++)
            CHECK(events[i] == GEX_EVENT_INVALID);
    }
    gex_RMA_PutNBI(tm, to, theirs, &to, sizeof to, GEX_EVENT_NOW, 0);
    while (gex_NBI_Test(GEX_EC_PUT | GEX_EC_RMW, 0) != GASNET_OK)
        gasnet_AMPoll();
    CHECK(gex_NBI_Test(GEX_EC_ALL, 0) == GASNET_OK && gex_NBI_Test(GEX_EC_GET, 0) == GASNET_OK);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 0);
    void *addr = &addr;
    CHECK(gex_Segment_QueryBound(tm, 0, &addr, NULL, NULL) != 0 && addr == &addr);
    CHECK(gex_Segment_Attach(&segment, tm, (me + 1) * (uintptr_t)GASNET_PAGESIZE * 4) == GASNET_OK);
    test_queries();
    test_segment();
    test_puts();
    test_events();
    gex_HSL_t hsl = GEX_HSL_INITIALIZER;
    gex_HSL_Lock(&hsl);
    gex_HSL_Unlock(&hsl);
    CHECK(gex_HSL_Trylock(&hsl) == GASNET_OK);
    gex_HSL_Unlock(&hsl);
    gex_HSL_Destroy(&hsl);
    gex_HSL_Init(&hsl);
    gex_HSL_Destroy(&hsl);
    end();
    return 1;
}
