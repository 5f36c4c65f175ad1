// SPDX-License-Identifier: BSD-3-Clause
//
// More than 4 GiB in one call: a put, a put of rows that are contiguous, a get. What is sent is
// zero but for words on both sides of each multiple of 2 GiB; behind the end nothing is written.
#include <armci.h>
#include <stdint.h>
#include <sys/mman.h>

#include "frame/check.h"

#define GIB ((size_t)1 << 30)
#define NBYTES (5 * GIB)

static const size_t places[] = {0,       2 * GIB - 8, 2 * GIB,   4 * GIB - 8,
                                4 * GIB, 4 * GIB + 8, NBYTES - 8};
enum { PLACES = sizeof places / sizeof *places };

static void *blocks[64];
static int last;

static void mark(char *bytes, long value)
{
    for (int i = 0; i < PLACES; i++)
        *(long *)(void *)(bytes + places[i]) = value + i;
}

static void check_marks(const char *what, long value)
{
    char *there = blocks[last];
    for (int i = 0; i < PLACES; i++) {
        long got = ARMCI_GetValueLong(there + places[i], last);
        CHECK(got == value + i, "%s: %ld at %zu", what, got, places[i]);
    }
    CHECK(ARMCI_GetValueLong(there + GIB, last) == 0);
    CHECK(ARMCI_GetValueLong(there + NBYTES, last) == -1, "%s: behind the end", what);
}

int main(void)
{
    REQUIRE(ARMCI_Init() == 0);
    int me = armci_msg_me();
    last = armci_msg_nproc() - 1;
    check_as("process", me, last + 1);
    REQUIRE(ARMCI_Malloc(blocks, me == last ? (armci_size_t)NBYTES + 8 : 0) == 0);
    if (me == last)
        *(long *)(void *)((char *)blocks[me] + NBYTES) = -1;
    ARMCI_Barrier();
    if (me == 0) {
        char *src = mmap(NULL, NBYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        REQUIRE(src != MAP_FAILED);
        mark(src, 100);
        CHECK(ARMCI_Put(src, blocks[last], (armci_size_t)NBYTES, last) == 0);
        check_marks("put", 100);
        mark(src, 200);
        int stride[2] = {(int)(GIB / 2), (int)GIB}, count[3] = {(int)(GIB / 2), 2, 5};
        CHECK(ARMCI_PutS(src, stride, blocks[last], stride, count, 2, last) == 0);
        check_marks("rows", 200);
        // a get of what lies across 4 GiB
        char *half = mmap(NULL, NBYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        REQUIRE(half != MAP_FAILED);
        CHECK(ARMCI_Get((char *)blocks[last] + 4 * GIB - 8, half, 4096, last) == 0);
        CHECK(((long *)(void *)half)[0] == 203 && ((long *)(void *)half)[1] == 204);
    }
    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return me == 0 ? check_result() : 0;
}
