// SPDX-License-Identifier: BSD-3-Clause
//
// More than 4 GiB in one call: a put, puts of rows that are contiguous and of rows with gaps, an
// accumulate, a get. What is sent is zero but for words on both sides of each multiple of 2 GiB;
// behind the end nothing is written.
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

static void check_marks(const char *what, const char *bytes, long value)
{
    for (int i = 0; i < PLACES; i++) {
        long got = *(const long *)(const void *)(bytes + places[i]);
        CHECK(got == value + i, "%s: %ld at %zu", what, got, places[i]);
    }
    CHECK(*(const long *)(const void *)(bytes + GIB) == 0, "%s: between the places", what);
}

static void check_there(const char *what, long value)
{
    char *there = blocks[last];
    for (int i = 0; i < PLACES; i++) {
        long got = ARMCI_GetValueLong(there + places[i], last);
        CHECK(got == value + i, "%s: %ld at %zu", what, got, places[i]);
    }
    CHECK(ARMCI_GetValueLong(there + GIB, last) == 0, "%s: between the places", what);
    CHECK(ARMCI_GetValueLong(there + NBYTES, last) == -1, "%s: behind the end", what);
}

/** Zero bytes that take memory where they are written. */
static char *sparse(void)
{
    char *bytes = mmap(NULL, NBYTES + 8, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(bytes != MAP_FAILED);
    return bytes;
}

static void puts_of_all(char *src)
{
    int stride[2] = {(int)(GIB / 2), (int)GIB}, count[3] = {(int)(GIB / 2), 2, 5};
    mark(src, 100);
    CHECK(ARMCI_Put(src, blocks[last], (armci_size_t)NBYTES, last) == 0);
    check_there("put", 100);
    mark(src, 200);
    CHECK(ARMCI_PutS(src, stride, blocks[last], stride, count, 2, last) == 0);
    check_there("rows without gaps", 200);
    // rows of 1 MiB less a line, so that all but the gaps come
    int row = (1 << 20) - 64, gaps[2] = {1 << 20, (int)GIB}, rows[3] = {row, 1024, 5};
    *(long *)(void *)(src + GIB) = 7;
    *(long *)(void *)(src + GIB + (size_t)row) = 8;  // in a gap
    CHECK(ARMCI_PutS(src, gaps, blocks[last], gaps, rows, 2, last) == 0);
    CHECK(ARMCI_GetValueLong((char *)blocks[last] + GIB, last) == 7);
    CHECK(ARMCI_GetValueLong((char *)blocks[last] + GIB + row, last) == 0);
    CHECK(ARMCI_GetValueLong((char *)blocks[last] + 4 * GIB, last) == 204);
    *(long *)(void *)(src + GIB) = *(long *)(void *)(src + GIB + (size_t)row) = 0;
    ARMCI_PutValueLong(0, (char *)blocks[last] + GIB, last);
}

static void add_and_get(char *src)
{
    long scale = 3;
    mark(src, 0);  // what is there is 200 + i
    CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &scale, src, blocks[last], (armci_size_t)NBYTES, last) == 0);
    ARMCI_Fence(last);
    for (int i = 0; i < PLACES; i++) {
        long got = ARMCI_GetValueLong((char *)blocks[last] + places[i], last);
        CHECK(got == 200 + 4 * i, "accumulate: %ld at %zu", got, places[i]);
        ARMCI_PutValueLong(300 + i, (char *)blocks[last] + places[i], last);
    }
    check_there("accumulate", 300);
    *(long *)(void *)(src + NBYTES) = -2;
    CHECK(ARMCI_Get(blocks[last], src, (armci_size_t)NBYTES, last) == 0);
    check_marks("get", src, 300);
    CHECK(*(long *)(void *)(src + NBYTES) == -2, "get: behind the end");
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
        char *src = sparse();
        puts_of_all(src);
        add_and_get(src);
    }
    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return me == 0 ? check_result() : 0;
}
