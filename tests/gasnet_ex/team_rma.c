// SPDX-License-Identifier: BSD-3-Clause
//
// Each form of transfer by ranks of another team, whose order is the reverse of the job's, and of a
// part of the job: the bytes are those of the rank's process, whether the header inlines the
// transfer or not, with the team's first ranks and after another team has its memory.
#include "ex.h"

enum { WORDS = 64, FORMS = 8 };  // of each writer, in each segment

static char *place(gex_TM_t team, uint32_t rank, int form, size_t nbytes)
{
    uint32_t job = gex_TM_TranslateRankToJobrank(team, rank);
    size_t at = ((size_t)me * FORMS + (size_t)form) * WORDS * 8;
    return segment_of(job) + at + (nbytes == 4 ? 8 : 0);
}

static uint64_t said(gex_TM_t team, uint32_t rank, int form)
{
    return (uint64_t)(me + 1) << 32 |
           (gex_TM_TranslateRankToJobrank(team, rank) * 16 + (uint32_t)form + 1);
}

static void put_all(gex_TM_t team, uint32_t rank, size_t nbytes)
{
    uint64_t v[6];
    gex_Event_t done[2], lc = GEX_EVENT_INVALID;
    for (int form = 0; form < 6; form++)
        v[form] = said(team, rank, form);
    gex_RMA_PutBlocking(team, rank, place(team, rank, 0, nbytes), &v[0], nbytes, 0);
    done[0] = gex_RMA_PutNB(team, rank, place(team, rank, 1, nbytes), &v[1], nbytes, &lc, 0);
    gex_RMA_PutNBI(team, rank, place(team, rank, 2, nbytes), &v[2], nbytes, GEX_EVENT_NOW, 0);
    gex_RMA_PutBlockingVal(team, rank, place(team, rank, 3, nbytes), v[3], nbytes, 0);
    done[1] = gex_RMA_PutNBVal(team, rank, place(team, rank, 4, nbytes), v[4], nbytes, 0);
    gex_RMA_PutNBIVal(team, rank, place(team, rank, 5, nbytes), v[5], nbytes, 0);
    gex_Event_Wait(lc);
    gex_Event_WaitAll(done, 2, 0);
    gex_NBI_Wait(GEX_EC_PUT, 0);
}

static void get_all(gex_TM_t team, uint32_t rank, size_t nbytes)
{
    uint64_t mask = nbytes == 8 ? UINT64_MAX : UINT32_MAX;
    for (int form = 0; form < 6; form++) {
        char *at = place(team, rank, form, nbytes);
        uint64_t got[4] = {0}, wanted = said(team, rank, form) & mask;
        gex_RMA_GetBlocking(team, &got[0], rank, at, nbytes, 0);
        gex_Event_t done = gex_RMA_GetNB(team, &got[1], rank, at, nbytes, 0);
        gex_RMA_GetNBI(team, &got[2], rank, at, nbytes, 0);
        got[3] = gex_RMA_GetBlockingVal(team, rank, at, nbytes, 0);
        gex_Event_Wait(done);
        gex_NBI_Wait(GEX_EC_GET, 0);
        for (int i = 0; i < 4; i++)
            CHECK(got[i] == wanted);
        // and by the job's own rank
        gex_RMA_GetBlocking(tm, &got[0], gex_TM_TranslateRankToJobrank(team, rank), at, nbytes, 0);
        CHECK(got[0] == wanted);
    }
}

static void test_team(gex_TM_t team)
{
    for (uint32_t rank = 0; rank < gex_TM_QuerySize(team); rank++)
        for (size_t nbytes = 4; nbytes <= 8; nbytes += 4) {
            put_all(team, rank, nbytes);
            get_all(team, rank, nbytes);
        }
}

static gex_TM_t split(int color, int key)
{
    gex_TM_t team = GEX_TM_INVALID;
    gex_TM_Split(&team, tm, color, key, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    return team;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 1 << 20);
    for (int round = 0; round < 3; round++) {
        gex_TM_t reverse = split(0, -(int)me), half = split((int)me % 2, (int)me);
        CHECK(gex_TM_QueryRank(reverse) == n - 1 - me);
        test_team(reverse);
        test_team(half);
        gex_TM_Destroy(half, NULL, 0);
        gex_TM_t again = split((int)me / 2, -(int)me);
        test_team(again);
        gex_TM_Destroy(again, NULL, 0);
        gex_TM_Destroy(reverse, NULL, 0);
    }
    barrier(tm);
    end();
    return 1;
}
