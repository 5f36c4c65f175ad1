// SPDX-License-Identifier: BSD-3-Clause
//
// disagree_fronts INTERFACE CASE: collectives of ARMCI, DART and GASNet-EX, and of two interfaces
// at once, that processes call with different arguments. As disagree.c.
#include <armci.h>
#include <dash/dart/if/dart.h>
#include <gasnetex.h>
#include <message.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static int me, npes, odd;
static int buf[64], into[256];
static gex_TM_t tm;
static gex_Client_t client;
static gex_EP_t ep;

static int is(const char *name)
{
    return strcmp(what, name) == 0;
}

static void armci(void)
{
    void *blocks[8];
    ARMCI_Group group;
    int list[] = {2, 1, 0};
    if (is("alone")) {
        if (odd)
            ARMCI_Malloc(blocks, 100);
        ARMCI_Barrier();
    }
    if (is("free") && ARMCI_Malloc(blocks, 100) == 0) {
        if (odd)
            ARMCI_Free(blocks[me]);
        armci_msg_barrier();
    }
    if (is("length"))
        armci_msg_bcast(buf, odd ? 8 : 4, 0);
    if (is("root"))
        armci_msg_brdcst(buf, 4, odd);
    if (is("operation"))
        armci_msg_igop(buf, 2, odd ? "max" : "+");
    if (is("type"))
        armci_msg_gop_scope(SCOPE_ALL, buf, 2, "+", odd ? ARMCI_FLOAT : ARMCI_INT);
    if (is("group")) {
        ARMCI_Group_create(3, list, &group);
        armci_msg_group_igop(buf, odd ? 2 : 3, "+", &group);
    }
    if (is("finalize") && !odd)
        ARMCI_Finalize();
    ARMCI_Malloc(blocks, (armci_size_t)me * 8);  // sizes may differ
    ARMCI_Free(blocks[me]);
    ARMCI_Barrier();
}

static void dart(void)
{
    dart_gptr_t gptr;
    dart_group_t group;
    dart_team_t team;
    if (is("alone")) {
        if (odd)
            dart_team_memalloc_aligned(DART_TEAM_ALL, 4, DART_TYPE_INT, &gptr);
        dart_barrier(DART_TEAM_ALL);
    }
    if (is("team") && dart_team_get_group(DART_TEAM_ALL, &group) == DART_OK) {
        if (odd)
            dart_team_create(DART_TEAM_ALL, group, &team);
        dart_allreduce(buf, into, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL);
    }
    if (is("root"))
        dart_bcast(buf, 4, DART_TYPE_INT, DART_TEAM_UNIT_ID(odd), DART_TEAM_ALL);
    if (is("elements"))
        dart_allgather(buf, into, odd ? 5 : 4, DART_TYPE_INT, DART_TEAM_ALL);
    if (is("operation"))
        dart_allreduce(buf, into, 4, DART_TYPE_INT, odd ? DART_OP_MAX : DART_OP_SUM, DART_TEAM_ALL);
    if (is("type"))
        dart_reduce(buf, into, 4, odd ? DART_TYPE_FLOAT : DART_TYPE_INT, DART_OP_SUM,
                    DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
    dart_team_memalloc_aligned(DART_TEAM_ALL, 4, DART_TYPE_INT, &gptr);
    dart_team_memfree(gptr);
    dart_barrier(DART_TEAM_ALL);
}

static void gex(void)
{
    gex_Event_t event = GEX_EVENT_INVALID;
    if (is("length"))
        event = gex_Coll_BroadcastNB(tm, 0, into, buf, odd ? 8 : 4, 0);
    if (is("root"))
        event = gex_Coll_BroadcastNB(tm, (gex_Rank_t)odd, into, buf, 4, 0);
    if (is("operation"))
        event = gex_Coll_ReduceToAllNB(tm, into, buf, GEX_DT_I32, 4, 2,
                                       odd ? GEX_OP_MAX : GEX_OP_ADD, NULL, NULL, 0);
    if (is("kind"))
        event = odd ? gex_Coll_BarrierNB(tm, 0)
                    : gex_Coll_ReduceToOneNB(tm, 0, into, buf, GEX_DT_I32, 4, 2, GEX_OP_ADD, NULL,
                                             NULL, 0);
    gex_TM_t part;
    if (is("alone") && odd)
        gex_TM_Split(&part, tm, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    else if (is("alone"))
        event = gex_Coll_BarrierNB(tm, 0);
    gex_Event_Wait(event);
    gex_Event_t events[20];
    for (int i = 0; i < 20; i++)  // several at once, which is right
        events[i] = gex_Coll_BroadcastNB(tm, 0, into, buf, 4, 0);
    gex_Event_WaitAll(events, 20, 0);
    gex_Coll_BarrierBlocking(tm, 0);
    gex_TM_Split(&part, tm, odd, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_Coll_BarrierBlocking(part, 0);
    gex_TM_Destroy(part, NULL, 0);
}

static void mixed(void)
{
    if (is("shmem-armci") && odd)
        shmem_barrier_all();
    else if (is("dart-armci") && odd)
        dart_barrier(DART_TEAM_ALL);
    else
        ARMCI_Barrier();
}

static int wants(const char *which, const char *interface)
{
    return strcmp(which, interface) == 0 || strcmp(which, "mixed") == 0;
}

int main(int argc, char **argv)
{
    const char *interface = argc > 2 ? argv[1] : "none";
    what = argc > 2 ? argv[2] : "nothing";
    if (wants(interface, "armci"))
        ARMCI_Init();
    if (wants(interface, "dart"))
        dart_init(&argc, &argv);
    if (strcmp(interface, "gex") == 0)
        gex_Client_Init(&client, &ep, &tm, "disagree", &argc, &argv, 0);
    if (wants(interface, "shmem"))
        shmem_init();
    if (strcmp(interface, "gex") == 0) {
        me = (int)gex_System_QueryJobRank();
        npes = (int)gex_System_QueryJobSize();
    } else if (strcmp(interface, "dart") == 0) {
        dart_team_unit_t unit;
        size_t size;
        dart_team_myid(DART_TEAM_ALL, &unit);
        dart_size(&size);
        me = unit.id;
        npes = (int)size;
    } else {
        me = armci_msg_me();
        npes = armci_msg_nproc();
    }
    odd = me == npes - 1;
    if (strcmp(interface, "armci") == 0)
        armci();
    else if (strcmp(interface, "dart") == 0)
        dart();
    else if (strcmp(interface, "gex") == 0)
        gex();
    else
        mixed();
    if (is("nothing") && me == 0)
        puts("agreed");
    if (!is("nothing"))
        printf("NOT NOTICED: %s\n", what);
    fflush(stdout);
    if (wants(interface, "shmem"))
        shmem_finalize();
    if (wants(interface, "armci"))
        ARMCI_Finalize();
    if (wants(interface, "dart"))
        dart_exit();
    if (strcmp(interface, "gex") == 0)
        gasnet_exit(0);
    return 0;
}
