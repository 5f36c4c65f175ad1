// SPDX-License-Identifier: BSD-3-Clause
//
// Queries about the job, and small calls.
#include "every.h"

#if GASNET_SPEC_VERSION_MAJOR != 1 || GASNET_SPEC_VERSION_MINOR != 8 || GASNET_VERSION != 1 || \
    GASNET_MAXNODES < 2 || GASNET_NULL_ARGV_OK != 1
#error "not version 1.8"
#endif
_Static_assert(sizeof(gasnet_register_value_t) == SIZEOF_GASNET_REGISTER_VALUE_T,
               "as promised to the preprocessor");

static void test_segments(void)
{
    segments[nodes].addr = (void *)1;
    CHECK(gasnet_getSegmentInfo(segments, (int)nodes + 1) == GASNET_OK &&
              segments[nodes].addr == (void *)1,
          "an entry behind the last node was written");
    CHECK(gasnet_getSegmentInfo(segments, 0) == GASNET_OK, "no entries");
#ifdef GASNET_SEGMENT_EVERYTHING
    CHECK(segments[next].addr == NULL && segments[next].size == UINTPTR_MAX,
          "the segment is not everything");
    CHECK(gasnet_getMaxLocalSegmentSize() == UINTPTR_MAX &&
              gasnet_getMaxGlobalSegmentSize() == UINTPTR_MAX,
          "limits");
#else
    for (unsigned i = 0; i < nodes; i++)
        CHECK(segments[i].size == SEGMENT && (uintptr_t)segments[i].addr % GASNET_PAGESIZE == 0 &&
                  segments[i].addr,
              "segment of node %u: %p, %zu bytes", i, segments[i].addr, (size_t)segments[i].size);
    for (int i = 0; i < SEGMENT; i += 1000)
        CHECK(mine[i] == 0, "fresh memory is not empty at %d", i);
    CHECK(gasnet_getMaxGlobalSegmentSize() >= SEGMENT &&
              gasnet_getMaxGlobalSegmentSize() <= gasnet_getMaxLocalSegmentSize(),
          "a segment may have %zu bytes here, %zu everywhere",
          (size_t)gasnet_getMaxLocalSegmentSize(), (size_t)gasnet_getMaxGlobalSegmentSize());
#endif
}

/** Both interfaces count the same nodes. */
static void test_neighbors(const gasnet_nodeinfo_t *info)
{
    gex_RankInfo_t *near;
    gex_Rank_t n, mine_at, below = 0, all = 0, neighborhoods, mine_of_all;
    for (unsigned i = 0; i < nodes; i++) {
        below += i < me && info[i].supernode == info[me].supernode;
        all += info[i].supernode == info[me].supernode;
    }
    gex_System_QueryNbrhdInfo(&near, &n, &mine_at);
    gex_System_QueryMyPosition(&neighborhoods, &mine_of_all, NULL, NULL);
    CHECK(n == all && mine_at == below && mine_of_all == info[me].supernode,
          "number %u of %u in neighborhood %u, and %u of %u in supernode %u", mine_at, n,
          mine_of_all, below, all, info[me].supernode);
    for (unsigned i = 0; i < n; i++)
        CHECK(info[near[i].gex_jobrank].supernode == info[me].supernode, "neighbor %u", i);
    for (unsigned i = 0; i < nodes; i++)
        CHECK(info[i].supernode < neighborhoods, "supernode %u of %u", info[i].supernode,
              neighborhoods);
}

static void test_nodes(void)
{
    gasnet_nodeinfo_t *info = calloc(nodes + 1, sizeof *info);
    int near = 0;
    info[nodes].host = 77;
    CHECK(gasnet_getNodeInfo(info, (int)nodes + 1) == GASNET_OK && info[nodes].host == 77,
          "getNodeInfo");
    mine[100] = (char)(me + 1);
    barrier();
    for (unsigned i = 0, hosts = 0, supernodes = 0; i < nodes; i++) {
        // numbers without gaps, in the order of their first nodes
        CHECK(info[i].host <= hosts, "host of node %u: %u", i, info[i].host);
        hosts += info[i].host == hosts;
        CHECK(info[i].supernode <= supernodes, "supernode of node %u: %u", i, info[i].supernode);
        supernodes += info[i].supernode == supernodes;
        CHECK(unattached[i].host == info[i].host && unattached[i].supernode == info[i].supernode,
              "node %u was on host %u before attach, now on %u", i, unattached[i].host,
              info[i].host);
        if (info[i].supernode != info[me].supernode || (segments[i].addr == NULL && i != me))
            continue;
        near++;
        char *there = i == me ? mine : segments[i].addr;
        CHECK(there[info[i].offset + 100] == (char)(i + 1), "node %u is not where its offset says",
              i);
    }
    CHECK(near >= 1 && info[me].offset == 0, "%d nodes are near", near);
    test_neighbors(info);
    barrier();
    mine[100] = 0;
    free(info);
}

static volatile int flag;

static int flag_after(int rounds)
{
    return ++flag >= rounds;
}

void test_job(void)
{
    GASNET_BEGIN_FUNCTION();
    CHECK(me < nodes && gasnet_nodes() == nodes && gasnet_mynode() == me, "the own number");
    test_segments();
    test_nodes();
    CHECK(gasnet_getenv("GASNET_TEST_WORD") &&
              strcmp(gasnet_getenv("GASNET_TEST_WORD"), "for every node") == 0,
          "GASNET_TEST_WORD is %s", gasnet_getenv("GASNET_TEST_WORD"));
    CHECK(!gasnet_getenv("GASNET_NEVER_SET"), "a variable that is not set");
    const int codes[] = {GASNET_OK,          GASNET_ERR_NOT_INIT,  GASNET_ERR_RESOURCE,
                         GASNET_ERR_BAD_ARG, GASNET_ERR_NOT_READY, GASNET_ERR_BARRIER_MISMATCH};
    const char *const names[] = {
        "GASNET_OK",          "GASNET_ERR_NOT_INIT",  "GASNET_ERR_RESOURCE",
        "GASNET_ERR_BAD_ARG", "GASNET_ERR_NOT_READY", "GASNET_ERR_BARRIER_MISMATCH"};
    for (int i = 0; i < 6; i++)
        CHECK(strcmp(gasnet_ErrorName(codes[i]), names[i]) == 0 &&
                  strlen(gasnet_ErrorDesc(codes[i])) > 4,
              "error %d", i);
    CHECK(gasnet_ErrorName(-77) && gasnet_ErrorDesc(4711), "unknown errors have no names");
    for (int mode = GASNET_WAIT_SPIN; mode <= GASNET_WAIT_SPINBLOCK; mode++) {
        CHECK(gasnet_set_waitmode(mode) == GASNET_OK, "wait mode %d", mode);
        barrier();
        flag = 0;
        GASNET_BLOCKUNTIL(flag_after(5));
        CHECK(flag == 5, "BLOCKUNTIL looked %d times", flag);
    }
    int index = message_handlers[message_handlers_count - 1].index,
        other = message_handlers[message_handlers_count - 2].index;
    CHECK(index >= 128 && other >= 128 && index != other, "handlers without index got %d and %d",
          other, index);
    for (int i = 0; i < message_handlers_count - 1; i++)
        CHECK(message_handlers[i].index != index, "handler index %d twice", index);
    gasnet_threadinfo_t info = GASNET_GET_THREADINFO();
    {
        GASNET_POST_THREADINFO(info);
        barrier();
    }
}
