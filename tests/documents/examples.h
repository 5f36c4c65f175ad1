// SPDX-License-Identifier: BSD-3-Clause
//
// What the fragments on the pages of functions leave out: variables and functions of their
// programs. examples.py puts it in front of them.
#ifndef TESTS_DOCUMENTS_EXAMPLES_H
#define TESTS_DOCUMENTS_EXAMPLES_H

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PES = 8 };
static size_t n = 4, nbytes = 8;
static int next, me, npes, rank, pe, round = 1;
static void compute(void)
{
}

#ifdef SHMEM_EXAMPLES
#include <shmem.h>
#include <causeway/device.h>
#include <shmemx.h>
static long box[1000], data[1000], dest[1000], source[1000], word, ntasks = 10;
static unsigned long table[8], value[8];
static size_t where[8];
static int owner[8], full, ready[MAX_PES];
static double edge[1000], block[400];
static shmem_ctx_t ctx;
static shmem_team_t team;
static void work(long task)
{
    (void)task;
}
static void process(size_t from)
{
    (void)from;
}
static int score(void)
{
    return me;
}
static double local_energy(void)
{
    return me;
}
static long number_of_my_items(void)
{
    return me;
}
static void something_else(void)
{
}

static void prepare(void)
{
    me = shmem_my_pe();
    npes = shmem_n_pes();
    next = (me + 1) % npes;
    pe = next;
    rank = me;
    ctx = SHMEM_CTX_DEFAULT;
    team = SHMEM_TEAM_WORLD;
    for (int i = 0; i < npes; i++)
        ready[i] = 1;
}
#endif

#ifdef GASNET_EXAMPLES
#include <gasnet.h>
#include <gasnet_coll.h>
enum { PING = 200 };
static gasnet_seginfo_t segments[MAX_PES];
static gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;
static int argc, queue[8], item, mine, all[8], replies;
static char **argv, here[64], a[32], b[32];
static void *there = here;
static void on_request(gasnet_token_t token)
{
    (void)token;
}
#endif

#ifdef GEX_EXAMPLES
#include <gasnetex.h>
#include <shmem.h>
#include <shmemx.h>
#include <shmemx.h>
static gex_TM_t row, world;
static shmem_team_t team;
static long dest[8], source[8];
#endif

#endif
