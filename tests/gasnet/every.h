// SPDX-License-Identifier: BSD-3-Clause
//
// What the programs of this room share. Node i works with the next one in the ring; what is put
// carries who put it, in which round, and where, so that nothing stale and nothing of another
// passes for right.
#ifndef GASNET_EVERY_H
#define GASNET_EVERY_H

#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef EVERY_MAIN
#define EVERY_VAR
#else
#define EVERY_VAR extern
#endif
EVERY_VAR int failures, checks;
EVERY_VAR unsigned me, nodes, next, prev;
EVERY_VAR gasnet_seginfo_t *segments;
EVERY_VAR char *mine, *theirs;  // segments: my own, the next node's (its address there)

enum { SEGMENT = 1 << 20 };

#define CHECK(condition, ...)                                              \
    do {                                                                   \
        checks++;                                                          \
        if (!(condition) && ++failures <= 20) {                            \
            printf("FAIL %s:%d node %u of %u: ", __FILE__, __LINE__, me, nodes); \
            printf(__VA_ARGS__);                                           \
            printf("\n");                                                  \
            fflush(stdout);                                                \
        }                                                                  \
    } while (0)

static inline void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    int rc = gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK(rc == GASNET_OK, "anonymous barrier gives %d", rc);
}

/** Byte i of what `who` sends in a round. */
static inline unsigned char pattern(unsigned who, unsigned round, size_t i)
{
    return (unsigned char)(who * 131 + round * 31 + i * 7 + (i >> 8) + 1);
}

static inline void fill(void *at, unsigned who, unsigned round, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        ((unsigned char *)at)[i] = pattern(who, round, i);
}

/** The index of the first wrong byte, or nbytes. */
static inline size_t compare(const void *at, unsigned who, unsigned round, size_t nbytes)
{
    size_t i = 0;
    while (i < nbytes && ((const volatile unsigned char *)at)[i] == pattern(who, round, i))
        i++;
    return i;
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
