// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the programs of this room. Node i works with the next one in the ring; data carries the
// number of its sender, its round and its place, so that stale or foreign data never passes as
// right.
#ifndef GASNET_EVERY_H
#define GASNET_EVERY_H

#include <gasnet.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

#ifdef EVERY_MAIN
#define EVERY_VAR
#else
#define EVERY_VAR extern
#endif
EVERY_VAR unsigned me, nodes, next, prev;
EVERY_VAR gasnet_seginfo_t *segments;
EVERY_VAR gasnet_nodeinfo_t *unattached;  // what gasnet_getNodeInfo says before gasnet_attach
EVERY_VAR char *mine, *theirs;  // segments: its own, the next node's (its address there)

enum { SEGMENT = 1 << 20 };

static inline void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    int rc = gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK(rc == GASNET_OK, "anonymous barrier gives %d", rc);
}

/** Byte i of the data that `node` sends in a round. */
static inline unsigned char pattern(unsigned node, unsigned round, size_t i)
{
    return (unsigned char)(node * 131 + round * 31 + i * 7 + (i >> 8) + 1);
}

static inline void fill(void *at, unsigned node, unsigned round, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        ((unsigned char *)at)[i] = pattern(node, round, i);
}

/** The index of the first wrong byte, or nbytes. */
static inline size_t compare(const void *at, unsigned node, unsigned round, size_t nbytes)
{
    size_t i = 0;
    while (i < nbytes && ((const volatile unsigned char *)at)[i] == pattern(node, round, i))
        i++;
    return i;
}

/** After gasnet_init: the numbers of the job. */
static inline void every_numbers(void)
{
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    next = (me + 1) % nodes;
    prev = (me + nodes - 1) % nodes;
    check_as("node", me, nodes);
}

/** gasnet_attach, then the numbers and the segments. */
static inline void every_attach(gasnet_handlerentry_t *handlers, int nhandlers, uintptr_t nbytes)
{
    GASNET_Safe(gasnet_attach(handlers, nhandlers, nbytes, 0));
    every_numbers();
    segments = calloc(nodes + 1, sizeof *segments);
    GASNET_Safe(gasnet_getSegmentInfo(segments, (int)nodes + 1));
    mine = segments[me].addr;
    theirs = segments[next].addr;
}

/** Prints the counts of the program's checks and ends the job. */
static inline void every_end(const char *program)
{
    printf("node %u: %s: %d checks, %d failed\n", me, program, checks_done, checks_failed);
    gasnet_exit(checks_failed != 0);
}

void test_put_get(void);
void test_values(void);
void test_sync(void);
void test_regions(void);
void test_vis(void);
void test_barriers(void);
void test_locks(void);
void test_messages(void);
void test_job(void);
extern gasnet_handlerentry_t message_handlers[];
extern const int message_handlers_count;

#endif
