// SPDX-License-Identifier: BSD-3-Clause
//
// What the clients of GASNet-EX in this room share: objects of a job, and kinds of memory.
#ifndef TESTS_GPU_KINDS_H
#define TESTS_GPU_KINDS_H

#include <gasnet_mk.h>
#include <gasnetex.h>
#include <stdlib.h>

#include "gpu/client.h"

static gex_Client_t client;
static gex_EP_t first;
static gex_TM_t all;
static gex_Segment_t attached;
static uint32_t me, n;

static void barrier(void)
{
    gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
}

__attribute__((unused)) static void begin(int *argc, char ***argv, uintptr_t nbytes)
{
    REQUIRE(gex_Client_Init(&client, &first, &all, "kinds", argc, argv, 0) == GASNET_OK);
    me = gex_TM_QueryRank(all);
    n = gex_TM_QuerySize(all);
    check_as("rank", (int)me, (int)n);
    REQUIRE(gex_Segment_Attach(&attached, all, nbytes) == GASNET_OK);
    load_driver();
}

__attribute__((unused)) static gex_MK_t make_kind(int device)
{
    gex_MK_t kind = GEX_MK_INVALID;
    gex_MK_Create_args_t args;
    memset(&args, 0, sizeof args);
    args.gex_class = GEX_MK_CLASS_CUDA_UVA;
    args.gex_args.gex_class_cuda_uva.gex_CUdevice = device;
    REQUIRE(gex_MK_Create(&kind, client, &args, 0) == GASNET_OK && kind != GEX_MK_INVALID);
    return kind;
}

/** Every rank ends with the number of failures of all. */
__attribute__((unused)) static void end(void)
{
    int32_t mine = checks_failed, sum = -1;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(all, &sum, &mine, GEX_DT_I32, sizeof sum, 1, GEX_OP_ADD,
                                          NULL, NULL, 0));
    if (me == 0)
        printf("%u ranks, %d failed\n", n, sum);
    fflush(stdout);
    exit(sum != 0);
}

#endif
