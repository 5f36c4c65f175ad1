// SPDX-License-Identifier: BSD-3-Clause
//
// In the manner of UPC++'s runtime: headers of GASNet alone; handlers in the client's table with
// flags; memory of neighbors by load and store; a local team with scratch of the asked size; remote
// procedure calls as mediums up to what gex_AM_MaxRequestMedium says for so many arguments, above
// it by a get of the receiver; payloads that are built in place; puts with an event for the source;
// atomics domains; the master's progress between all. With GASNET_PAR a second thread sends, too.
#include <gasnet.h>
#include <gasnet_coll.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>
#if GASNET_PAR
#include <thread>
#endif

#include "runtime.h"

static_assert(sizeof(gex_Event_t) == sizeof(uintptr_t), "events are kept in words");
static_assert(sizeof(gex_TM_t) == sizeof(uintptr_t), "teams, too");
static const char *const compiler GASNETT_USED = PLATFORM_COMPILER_IDSTR;

namespace {

enum { RPC = GEX_AM_INDEX_BASE, RENDEZVOUS, REPLY, DONE };

gex_Client_t client;
gex_EP_t endpoint;
gex_TM_t world, local_team;
gex_Segment_t segment;
gex_Rank_t me, n;
size_t eager;  // bytes of a call that go as they are

struct call {
    gex_Rank_t from;
    unsigned what;
    std::vector<unsigned char> bytes;
    void *source = nullptr;  // at the sender, where the bytes are yet to be fetched
    size_t nbytes = 0;
};
std::mutex lock;
std::deque<call> calls;
std::atomic<int> executed{0}, acknowledged{0};

gex_Rank_t source_of(gex_Token_t token)
{
    gex_Token_Info_t info;
    gex_TI_t have = gex_Token_Info(token, &info, GEX_TI_SRCRANK);
    EXPECT(have & GEX_TI_SRCRANK);
    return info.gex_srcrank;
}

void on_rpc(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t what)
{
    call c;
    c.from = source_of(token);
    c.what = static_cast<unsigned>(what);
    c.bytes.assign(static_cast<unsigned char *>(buf), static_cast<unsigned char *>(buf) + nbytes);
    std::lock_guard<std::mutex> guard(lock);
    calls.push_back(std::move(c));
}

void on_rendezvous(gex_Token_t token, gex_AM_Arg_t what, gex_AM_Arg_t nbytes, gex_AM_Arg_t low,
                   gex_AM_Arg_t high)
{
    call c;
    c.from = source_of(token);
    c.what = static_cast<unsigned>(what);
    c.nbytes = static_cast<size_t>(nbytes);
    c.source = reinterpret_cast<void *>(static_cast<uintptr_t>(static_cast<uint32_t>(low)) |
                                        static_cast<uintptr_t>(static_cast<uint32_t>(high)) << 32);
    std::lock_guard<std::mutex> guard(lock);
    calls.push_back(std::move(c));
}

void on_reply(gex_Token_t, void *buf, size_t nbytes, gex_AM_Arg_t what)
{
    EXPECT(is_filled(buf, (me + 1) % n, static_cast<unsigned>(what), nbytes));
    acknowledged++;
}

void on_done(gex_Token_t, gex_AM_Arg_t count)
{
    acknowledged += count;
}

gex_AM_Entry_t table[] = {
    {RPC, (gex_AM_Fn_t)on_rpc, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 1, nullptr, "rpc"},
    {RENDEZVOUS, (gex_AM_Fn_t)on_rendezvous, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 4, nullptr,
     "rendezvous"},
    {REPLY, (gex_AM_Fn_t)on_reply, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 1, nullptr, "reply"},
    {DONE, (gex_AM_Fn_t)on_done, GEX_FLAG_AM_REQREP | GEX_FLAG_AM_SHORT, 1, nullptr, "done"},
};

/** Runs what has come; large calls fetch their bytes first. Each is answered. */
void progress()
{
    gasnet_AMPoll();
    for (;;) {
        call c;
        {
            std::lock_guard<std::mutex> guard(lock);
            if (calls.empty())
                return;
            c = std::move(calls.front());
            calls.pop_front();
        }
        if (c.source) {
            c.bytes.resize(c.nbytes);
            gex_Event_t event =
                gex_RMA_GetNB(world, c.bytes.data(), c.from, c.source, c.nbytes, 0);
            while (gex_Event_Test(event) != GASNET_OK)
                gasnet_AMPoll();
        }
        EXPECT(is_filled(c.bytes.data(), c.from, c.what, c.bytes.size()));
        executed++;
        if (c.what % 2) {
            gex_AM_RequestShort1(world, c.from, DONE, 0, 1);
            continue;
        }
        size_t nbytes = c.bytes.size() < eager ? c.bytes.size() : eager;
        gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(world, c.from, nullptr, nbytes, nbytes,
                                                          nullptr, 0, 1);
        EXPECT(gex_AM_SrcDescSize(sd) >= nbytes);
        fill(gex_AM_SrcDescAddr(sd), me, c.what, nbytes);
        gex_AM_CommitRequestMedium1(sd, REPLY, nbytes, static_cast<gex_AM_Arg_t>(c.what));
    }
}

void start()
{
    SAFE(gex_Client_Init(&client, &endpoint, &world, "pgas++", nullptr, nullptr, 0));
    me = gex_TM_QueryRank(world);
    n = gex_TM_QuerySize(world);
    SAFE(gex_EP_RegisterHandlers(endpoint, table, sizeof table / sizeof *table));
    gex_RankInfo_t *neighbors;
    gex_Rank_t nneighbors, mine;
    gex_System_QueryNbrhdInfo(&neighbors, &nneighbors, &mine);
    EXPECT(neighbors[mine].gex_jobrank == me);
    uintptr_t wanted = static_cast<uintptr_t>(
        gasnett_getenv_int_withdefault("PGAS_SHARED_HEAP_SIZE", 8 << 20, 1 << 20));
    uintptr_t most = gasnet_getMaxLocalSegmentSize();
    SAFE(gex_Segment_Attach(&segment, world, wanted < most ? wanted : most));
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    for (gex_Rank_t i = 0; i < nneighbors; i++) {
        void *owner = nullptr, *here = nullptr;
        uintptr_t nbytes = 0;
        EXPECT(gex_Segment_QueryBound(world, neighbors[i].gex_jobrank, &owner, &here, &nbytes) ==
               0);
        EXPECT(owner && here && nbytes >= (1u << 20));
        if (here)
            __atomic_add_fetch(static_cast<uint32_t *>(here), 1, __ATOMIC_RELAXED);
    }
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    EXPECT(*static_cast<uint32_t *>(gex_Segment_QueryAddr(segment)) == nneighbors);
    size_t scratch = gex_TM_Split(&local_team, world, static_cast<int>(neighbors[0].gex_jobrank),
                                  static_cast<int>(mine), nullptr, 0,
                                  GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
    EXPECT(scratch > 0 && scratch < (1u << 20));
    char *top = static_cast<char *>(gex_Segment_QueryAddr(segment)) + (1 << 20);
    gex_TM_Split(&local_team, world, static_cast<int>(neighbors[0].gex_jobrank),
                 static_cast<int>(mine), top, scratch, 0);
    EXPECT(gex_TM_QuerySize(local_team) == nneighbors);
    eager = gex_AM_MaxRequestMedium(world, GEX_RANK_INVALID, GEX_EVENT_NOW, 0, 1);
    EXPECT(eager >= 8192 && gex_AM_MaxReplyMedium(world, GEX_RANK_INVALID, GEX_EVENT_NOW, 0, 1) ==
                                eager);
    EXPECT(gasnett_cpu_count() > 0 && gasnett_release_version() > 2000000000);
}

void *remote(gex_Rank_t rank, size_t at)
{
    void *owner = nullptr;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, rank, &owner, nullptr, nullptr, 0));
    return static_cast<char *>(owner) + at;
}

/** Calls of every size. `arena`: of the segment, for large ones. */
int send_calls(unsigned first, char *arena)
{
    gex_Rank_t to = (me + 1) % n;
    size_t sizes[] = {0, 17, 300, 4000, 7752, eager - 1, eager, 3 * eager, 100000};
    std::vector<unsigned char> bytes(100000);
    int sent = 0;
    for (size_t nbytes : sizes)
        for (unsigned what = first; what < first + 4; what++, sent++) {
            if (nbytes <= eager) {
                fill(bytes.data(), me, what, nbytes);
                gex_AM_RequestMedium1(world, to, RPC, bytes.data(), nbytes, GEX_EVENT_NOW, 0,
                                      static_cast<gex_AM_Arg_t>(what));
                continue;
            }
            // each in a place of its own, since it is read when the receiver likes
            char *at = arena + (what - first) * 100000;
            fill(at, me, what, 100000);
            gex_AM_RequestShort4(world, to, RENDEZVOUS, 0, static_cast<gex_AM_Arg_t>(what),
                                 static_cast<gex_AM_Arg_t>(nbytes),
                                 static_cast<gex_AM_Arg_t>(reinterpret_cast<uintptr_t>(at)),
                                 static_cast<gex_AM_Arg_t>(reinterpret_cast<uintptr_t>(at) >> 32));
        }
    return sent;
}

void test_calls()
{
    char *base = static_cast<char *>(gex_Segment_QueryAddr(segment));
    int sent = 0;
#if GASNET_PAR
    int by_other = 0;
    std::thread other([&] { by_other = send_calls(1000, base + (4 << 20)); });
    sent = send_calls(0, base + (2 << 20));
    other.join();
    sent += by_other;
#else
    sent = send_calls(0, base + (2 << 20));
#endif
    while (acknowledged < sent || executed < sent)
        progress();
    EXPECT(acknowledged == sent && executed == sent);
    gex_Event_t event = gex_Coll_BarrierNB(world, 0);
    while (gex_Event_Test(event) != GASNET_OK)
        progress();
}

void test_memory()
{
    gex_Rank_t to = (me + 1) % n, from = (me + n - 1) % n;
    const size_t nbytes = 50000, at = 6 << 20;
    std::vector<unsigned char> mine(nbytes), back(nbytes);
    fill(mine.data(), me, 3, nbytes);
    gex_Event_t source = GEX_EVENT_INVALID;
    gex_Event_t done =
        gex_RMA_PutNB(world, to, remote(to, at), mine.data(), nbytes, &source, 0);
    gex_Event_Wait(source);
    fill(mine.data(), me, 4, nbytes);  // may be used again
    gex_Event_Wait(done);
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    EXPECT(is_filled(static_cast<char *>(gex_Segment_QueryAddr(segment)) + at, from, 3, nbytes));
    gex_Event_Wait(gex_RMA_GetNB(world, back.data(), to, remote(to, at), nbytes, 0));
    EXPECT(is_filled(back.data(), me, 3, nbytes));
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    ptrdiff_t wide[] = {64}, dense[] = {8};
    size_t count[] = {100};
    gex_Event_Wait(gex_VIS_StridedPutNB(world, to, remote(to, at), wide, mine.data(), dense, 8,
                                        count, 1, 0));
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    const char *here = static_cast<const char *>(gex_Segment_QueryAddr(segment)) + at;
    for (size_t i = 0; i < 100; i++)
        EXPECT(static_cast<unsigned char>(here[i * 64 + 5]) == byte_of(from, 4, i * 8 + 5));
}

void test_atomics_and_collectives()
{
    uint64_t *counter = static_cast<uint64_t *>(gex_Segment_QueryAddr(segment)) + 16;
    *counter = 0;
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    gex_AD_t domain;
    gex_AD_Create(&domain, world, GEX_DT_U64, GEX_OP_FADD | GEX_OP_GET | GEX_OP_CSWAP, 0);
    uint64_t sum = 0, old = 0, mine = me, all[3] = {me, 1, me * 2};
    for (int i = 0; i < 30; i++) {
        gex_Event_Wait(gex_AD_OpNB_U64(domain, &old, 0, remote(0, 128), GEX_OP_FADD, me + 1, 0, 0));
        EXPECT(i == 0 || old > sum);
        sum = old;
    }
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    gex_Event_Wait(gex_AD_OpNB_U64(domain, &old, 0, remote(0, 128), GEX_OP_GET, 0, 0, 0));
    EXPECT(old == 30 * static_cast<uint64_t>(n) * (n + 1) / 2);
    gex_Event_Wait(gex_Coll_ReduceToAllNB(world, all, all, GEX_DT_U64, 8, 3, GEX_OP_ADD, nullptr,
                                          nullptr, 0));
    EXPECT(all[1] == n && all[2] == static_cast<uint64_t>(n) * (n - 1));
    gex_Event_Wait(gex_Coll_BroadcastNB(local_team, 0, &mine, &mine, sizeof mine, 0));
    EXPECT(mine == gex_TM_TranslateRankToJobrank(local_team, 0));
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    gex_AD_Destroy(domain);
    gex_Memvec_t scratch;
    EXPECT(gex_TM_Destroy(local_team, &scratch, 0) != 0 && scratch.gex_len > 0);
}

}  // namespace

int main()
{
    start();
    test_calls();
    test_memory();
    test_atomics_and_collectives();
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    gasnet_exit(report("upcxx", me));
    return 1;
}
