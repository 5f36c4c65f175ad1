// SPDX-License-Identifier: BSD-3-Clause
//
// In the manner of Realm's network module over GASNet-EX: names that keep compilers silent, a
// primordial endpoint with the attached segment and another one with memory of the client,
// published together and named by pairs; messages of a header and a payload built in place with
// GEX_FLAG_IMMEDIATE, which another thread commits, or tries again; payloads up to the largest
// medium, then longs into a ring of the receiver, then gets by the receiver; completions by
// counts; a thread that only polls; quiescence by sums; every payload is checked where it arrives.
#ifndef GASNET_PAR
#define GASNET_PAR 1
#endif
#include <gasnet.h>

#include <gasnet_coll.h>
#include <gasnet_mk.h>
#include <gasnet_tools.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime.h"

static const void *ignored_1 __attribute__((unused)) = (void *)_gasneti_threadkey_init;
static const void *ignored_2 __attribute__((unused)) = (void *)_gasnett_trace_printf_noop;

namespace {

enum { MEDIUM = GEX_AM_INDEX_BASE, LONG, FETCH, COMPLETE };

gex_Client_t client;
gex_EP_t prim, other;
gex_TM_t world;
gex_Segment_t attached, bound;
gex_Rank_t me, n;
size_t most_medium;
std::vector<unsigned char> memory(1 << 20);  // of the client, bound to the second endpoint
std::atomic<uint64_t> sent{0}, received{0}, completed{0};
std::atomic<bool> over{false};
gex_MK_Class_t kind_class = GEX_MK_CLASS_HOST;

struct header {
    uint32_t what, nbytes;
};

struct fetch {
    gex_Rank_t from;
    header h;
    gex_AM_Arg_t offset;
    bool second;  // of the second endpoint
};
std::mutex lock;
std::deque<fetch> fetches;

gex_Rank_t source_of(gex_Token_t token)
{
    gex_Token_Info_t info;
    gex_Token_Info(token, &info, GEX_TI_SRCRANK | GEX_TI_EP);
    EXPECT(info.gex_ep == prim);
    return info.gex_srcrank;
}

void on_medium(gex_Token_t token, void *buf, size_t nbytes)
{
    header h;
    memcpy(&h, buf, sizeof h);
    EXPECT(nbytes == sizeof h + h.nbytes);
    EXPECT(is_filled(static_cast<char *>(buf) + sizeof h, source_of(token), h.what, h.nbytes));
    received++;
    gex_AM_ReplyShort1(token, COMPLETE, 0, 1);
}

void on_long(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t what)
{
    EXPECT(is_filled(buf, source_of(token), static_cast<unsigned>(what), nbytes));
    received++;
    gex_AM_ReplyShort1(token, COMPLETE, 0, 1);
}

void on_fetch(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t offset, gex_AM_Arg_t second)
{
    fetch f;
    EXPECT(nbytes == sizeof f.h);
    f.from = source_of(token);
    memcpy(&f.h, buf, sizeof f.h);
    f.offset = offset;
    f.second = second != 0;
    std::lock_guard<std::mutex> guard(lock);
    fetches.push_back(f);
}

void on_complete(gex_Token_t, gex_AM_Arg_t count)
{
    completed += static_cast<uint64_t>(count);
}

gex_AM_Entry_t handlers[] = {
    {MEDIUM, (gex_AM_Fn_t)on_medium, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0, nullptr,
     "medium"},
    {LONG, (gex_AM_Fn_t)on_long, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_LONG, 1, nullptr, "long"},
    {FETCH, (gex_AM_Fn_t)on_fetch, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 2, nullptr, "fetch"},
    {COMPLETE, (gex_AM_Fn_t)on_complete, GEX_FLAG_AM_REQREP | GEX_FLAG_AM_SHORT, 1, nullptr,
     "complete"},
};

// ---------------------------------------------------------------- the poller
void run_fetches()
{
    std::deque<fetch> mine;
    {
        std::lock_guard<std::mutex> guard(lock);
        mine.swap(fetches);
    }
    for (const fetch &f : mine) {
        std::vector<unsigned char> bytes(f.h.nbytes);
        void *base = nullptr;
        gex_EP_Index_t index = f.second ? gex_EP_QueryIndex(other) : 0;
        gex_TM_t pair = gex_TM_Pair(prim, index);
        gex_Event_Wait(
            gex_EP_QueryBoundSegmentNB(pair, f.from, &base, nullptr, nullptr, 0));
        gex_Event_t event = gex_RMA_GetNB(pair, bytes.data(), f.from,
                                          static_cast<char *>(base) + f.offset, f.h.nbytes, 0);
        while (gex_Event_Test(event) != GASNET_OK)
            gasnet_AMPoll();
        EXPECT(is_filled(bytes.data(), f.from, f.h.what, f.h.nbytes));
        received++;
        gex_AM_RequestShort1(gex_TM_Pair(prim, 0), f.from, COMPLETE, 0, 1);
    }
}

void poll()
{
    while (!over) {
        gasnet_AMPoll();
        run_fetches();
        gasnett_sched_yield();
    }
}

// ---------------------------------------------------------------- sending
void send_medium(gex_Rank_t to, unsigned what, size_t nbytes)
{
    header h = {what, static_cast<uint32_t>(nbytes)};
    size_t total = sizeof h + nbytes;
    gex_AM_SrcDesc_t sd;
    while ((sd = gex_AM_PrepareRequestMedium(gex_TM_Pair(prim, 0), to, nullptr, total, total,
                                             nullptr, GEX_FLAG_IMMEDIATE, 0)) ==
           GEX_AM_SRCDESC_NO_OP)
        gasnett_sched_yield();
    EXPECT(gex_AM_SrcDescSize(sd) >= total);
    char *at = static_cast<char *>(gex_AM_SrcDescAddr(sd));
    memcpy(at, &h, sizeof h);
    fill(at + sizeof h, me, what, nbytes);
    gex_AM_CommitRequestMedium0(sd, MEDIUM, total);
    sent++;
}

/** With GEX_FLAG_IMMEDIATE: not 0 means that nothing was sent. */
void send_long(gex_Rank_t to, unsigned what, const void *bytes, size_t nbytes, void *dest)
{
    while (gex_AM_RequestLong1(gex_TM_Pair(prim, 0), to, LONG, bytes, nbytes, dest, GEX_EVENT_NOW,
                               GEX_FLAG_IMMEDIATE, static_cast<gex_AM_Arg_t>(what)) != 0)
        gasnett_sched_yield();
    sent++;
}

void send_fetch(gex_Rank_t to, unsigned what, size_t nbytes, gex_AM_Arg_t offset, bool second)
{
    header h = {what, static_cast<uint32_t>(nbytes)};
    gex_AM_RequestMedium2(gex_TM_Pair(prim, 0), to, FETCH, &h, sizeof h, GEX_EVENT_NOW, 0, offset,
                          second);
    sent++;
}

/** thread: 0, 1; each has places of its own. */
void send_all(unsigned thread)
{
    gex_Rank_t to = (me + 1) % n;
    size_t payloads[] = {0, 1, 100, 3000, 6224, 7752, most_medium - sizeof(header)};
    char *ring = static_cast<char *>(gex_Segment_QueryAddr(attached));
    void *theirs = nullptr;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, to, &theirs, nullptr, nullptr, 0));
    std::vector<unsigned char> bytes(30000);
    for (unsigned round = 0; round < 6; round++) {
        unsigned what = thread * 1000 + round;
        for (size_t nbytes : payloads)
            send_medium(to, what, nbytes);
        size_t at = (thread * 6 + round) * 32768;
        fill(bytes.data(), me, what, bytes.size());
        send_long(to, what, bytes.data(), bytes.size(), static_cast<char *>(theirs) + at);
        size_t source = (1 << 20) + at;
        fill(ring + source, me, what, 32000);
        send_fetch(to, what, 32000, static_cast<gex_AM_Arg_t>(source), false);
        fill(memory.data() + at, me, what, 20000);
        send_fetch(to, what, 20000, static_cast<gex_AM_Arg_t>(at), true);
    }
}

/** All messages of all have been received: sums, twice the same. */
void wait_until_quiet()
{
    uint64_t before = 0;
    for (;;) {
        uint64_t mine[2] = {sent, received}, all[2] = {0, 0};
        gex_Event_Wait(gex_Coll_ReduceToAllNB(world, all, mine, GEX_DT_U64, 8, 2, GEX_OP_ADD,
                                              nullptr, nullptr, 0));
        if (all[0] == all[1] && all[0] == before)
            break;
        before = all[0];
    }
    while (completed < sent)
        gasnett_sched_yield();
    EXPECT(completed == sent && sent == 2 * 6 * 10);
}

void start(int *argc, char ***argv)
{
    SAFE(gex_Client_Init(&client, &prim, &world, "objects", argc, argv, 0));
    me = gex_TM_QueryRank(world);
    n = gex_TM_QuerySize(world);
    SAFE(gex_EP_RegisterHandlers(prim, handlers, sizeof handlers / sizeof *handlers));
    gex_RankInfo_t *neighbors;
    gex_Rank_t nneighbors;
    gex_System_QueryNbrhdInfo(&neighbors, &nneighbors, nullptr);
    EXPECT(nneighbors >= 1 && kind_class == GEX_MK_CLASS_HOST);
    SAFE(gex_Segment_Attach(&attached, world, 4 << 20));
    SAFE(gex_EP_Create(&other, client, GEX_EP_CAPABILITY_RMA, 0));
    SAFE(gex_Segment_Create(&bound, client, memory.data(), memory.size(), GEX_MK_HOST, 0));
    SAFE(gex_EP_BindSegment(other, bound, 0));
    gex_EP_t all[] = {prim, other};
    SAFE(gex_EP_PublishBoundSegment(world, all, 2, 0));
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    most_medium = gex_AM_MaxRequestMedium(gex_TM_Pair(prim, 0), (me + 1) % n, nullptr,
                                          GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 0);
    EXPECT(most_medium >= 8192 && gex_AM_LUBRequestMedium() >= 8192);
    EXPECT(gex_AM_MaxRequestLong(gex_TM_Pair(prim, 0), (me + 1) % n, GEX_EVENT_NOW, 0, 1) >=
           30000);
}

}  // namespace

int main(int argc, char **argv)
{
    start(&argc, &argv);
    std::thread poller(poll), sender(send_all, 1u);
    send_all(0);
    sender.join();
    wait_until_quiet();
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    over = true;
    poller.join();
    gasnet_exit(report("realm", me));
    return 1;
}
