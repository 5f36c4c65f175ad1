// SPDX-License-Identifier: BSD-3-Clause
//
// GASNET_PAR: threads do everything at once, each with its own part of the segment: transfers,
// events, messages fixed and negotiated, atomics, vectors; and two of them create and destroy teams
// over parents of their own.
#include "ex.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 60, PART = 8192, MESSAGES = 8 };

static gex_AM_Index_t add_handler, answer_handler;
static uint32_t replied[THREADS];
static gex_AD_t ad;

static void on_add(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0)
{
    uint32_t sum = 0, word;
    for (size_t i = 0; i + 4 <= nbytes; i += 4) {
        memcpy(&word, (char *)buf + i, 4);
        sum += word;
    }
    if (sum % 2) {
        gex_AM_ReplyMedium(token, answer_handler, &sum, 4, GEX_EVENT_NOW, 0, a0);
    } else {
        gex_AM_SrcDesc_t sd = gex_AM_PrepareReplyMedium(token, NULL, 4, 4, NULL, 0, 1);
        memcpy(gex_AM_SrcDescAddr(sd), &sum, 4);
        gex_AM_CommitReplyMedium1(sd, answer_handler, 4, a0);
    }
}

static void on_answer(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t a0)
{
    uint32_t sum;
    (void)token;
    CHECK(nbytes == 4 && a0 >= 0 && a0 < THREADS);
    memcpy(&sum, buf, 4);
    __atomic_add_fetch(&replied[a0], sum, __ATOMIC_RELEASE);
}

static void messages(int thread, uint32_t to, uint32_t *expected_p)
{
    uint32_t data[50];
    for (int i = 0; i < MESSAGES; i++) {
        for (uint32_t k = 0; k < 50; k++)
            *expected_p += data[k] = (uint32_t)thread * 1000 + k * (uint32_t)(i + 1);
        if (i % 2) {
            gex_AM_RequestMedium1(tm, to, add_handler, data, sizeof data, GEX_EVENT_NOW, 0, thread);
        } else {
            gex_AM_SrcDesc_t sd =
                gex_AM_PrepareRequestMedium(tm, to, NULL, sizeof data, sizeof data, NULL, 0, 1);
            memcpy(gex_AM_SrcDescAddr(sd), data, sizeof data);
            gex_AM_CommitRequestMedium1(sd, add_handler, sizeof data, thread);
        }
    }
    GASNET_BLOCKUNTIL(__atomic_load_n(&replied[thread], __ATOMIC_ACQUIRE) == *expected_p);
}

static void transfers(int thread, uint32_t to, int round)
{
    char *theirs = segment_of(to) + 64 + PART * thread, mine[PART], back[PART];
    const size_t count[] = {PART / 32};
    const ptrdiff_t far[] = {16}, near[] = {32};
    memset(mine, thread + round, sizeof mine);
    gex_Event_t events[3];
    events[0] = gex_RMA_PutNB(tm, to, theirs, mine, 1000, GEX_EVENT_DEFER, 0);
    gex_NBI_BeginAccessRegion(0);
    gex_RMA_PutNBI(tm, to, theirs + 1000, mine, PART - 1000, GEX_EVENT_GROUP, 0);
    events[1] = gex_NBI_EndAccessRegion(0);
    events[2] = gex_RMA_PutNBVal(tm, to, theirs, (gex_RMA_Value_t)(thread + round), 1, 0);
    gex_Event_WaitAll(events, 3, 0);
    gex_RMA_GetBlocking(tm, back, to, theirs, PART, 0);
    CHECK(memcmp(mine, back, PART) == 0);
    memset(mine, thread + round + 1, sizeof mine);
    gex_Event_Wait(gex_VIS_StridedPutNB(tm, to, theirs, far, mine, near, 16, count, 1, 0));
    gex_RMA_GetNBI(tm, back, to, theirs, PART, 0);
    gex_NBI_Wait(GEX_EC_GET, 0);
    CHECK(back[0] == mine[0] && back[PART / 2 - 1] == mine[0] &&
          back[PART / 2] == (char)(thread + round));
}

static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg;
    uint32_t to = (me + 1) % n, expected = 0;
    int64_t old;
    for (int round = 0; round < ROUNDS; round++) {
        transfers(thread, to, round);
        if (round % 4 == 0)
            messages(thread, to, &expected);
        gex_Event_Wait(gex_AD_OpNB_I64(ad, &old, 0, segment_of(0), GEX_OP_FADD, 1, 0, 0));
        gex_AD_OpNBI_I64(ad, NULL, 0, segment_of(0) + 8, GEX_OP_ADD, 2, 0, 0);
        CHECK(old >= 0 && old < (int64_t)n * THREADS * ROUNDS);
    }
    gex_NBI_Wait(GEX_EC_ALL, 0);
    return NULL;
}

// ---------------------------------------------------------------- teams in two threads
static gex_TM_t parents[2];

static void *make_teams(void *arg)
{
    gex_TM_t parent = *(gex_TM_t *)arg;
    for (int round = 0; round < 15; round++) {
        gex_TM_t a, b;
        uint32_t one = 1, size = 0;
        gex_TM_Split(&a, parent, 0, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
        gex_TM_Split(&b, a, (int)me % 2, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
        gex_Event_Wait(
            gex_Coll_ReduceToAllNB(a, &size, &one, GEX_DT_U32, 4, 1, GEX_OP_ADD, NULL, NULL, 0));
        CHECK(size == n && gex_TM_QueryRank(a) == me);
        gex_Event_Wait(
            gex_Coll_ReduceToAllNB(b, &size, &one, GEX_DT_U32, 4, 1, GEX_OP_ADD, NULL, NULL, 0));
        CHECK(size == gex_TM_QuerySize(b) && size == (n + 1 - me % 2) / 2);
        gex_TM_Destroy(b, NULL, 0);
        gex_TM_Destroy(a, NULL, 0);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    begin(&argc, &argv, 65536);
    gex_AM_Entry_t table[] = {
        {0, (gex_AM_Fn_t)on_add, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "on_add"},
        {0, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1, NULL, "on_answer"},
    };
    CHECK(gex_EP_RegisterHandlers(ep, table, 2) == GASNET_OK);
    add_handler = table[0].gex_index;
    answer_handler = table[1].gex_index;
    memset(segment_of(me), 0, 64);
    gex_AD_Create(&ad, tm, GEX_DT_I64, GEX_OP_FADD | GEX_OP_ADD, 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    barrier(tm);
    CHECK(gex_RMA_GetBlockingVal(tm, 0, segment_of(0), 8, 0) == (uint64_t)n * THREADS * ROUNDS);
    CHECK(gex_RMA_GetBlockingVal(tm, 0, segment_of(0) + 8, 8, 0) ==
          2 * (uint64_t)n * THREADS * ROUNDS);
    barrier(tm);
    gex_AD_Destroy(ad);
    for (int i = 0; i < 2; i++)
        gex_TM_Split(&parents[i], tm, 0, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, make_teams, &parents[i]) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    end();
    return 1;
}
