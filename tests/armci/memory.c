// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of different sizes on different processes, 0 among them; puts, gets and single values to
// all of them, in both directions; blocks that come and go; their memory returns to the system.
#include <armci.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

enum { PROCS_MOST = 64, ROUNDS = 50 };

static int me, nprocs;

static unsigned char byte_of(int owner, size_t at)
{
    return (unsigned char)((size_t)owner * 31 + at * 7 + at / 251);
}

/** Each process writes its stripe of every block; every process reads all. */
static void write_and_read(void *blocks[], const size_t nbytes[])
{
    for (int proc = 0; proc < nprocs; proc++) {
        size_t from = nbytes[proc] * (size_t)me / (size_t)nprocs,
               to = nbytes[proc] * (size_t)(me + 1) / (size_t)nprocs;
        char *bytes = malloc(to - from + 1);
        for (size_t i = from; i < to; i++)
            bytes[i - from] = (char)byte_of(proc, i);
        CHECK(ARMCI_Put(bytes, (char *)blocks[proc] + from, (armci_size_t)(to - from), proc) == 0);
        free(bytes);
    }
    ARMCI_Barrier();
    for (int proc = 0; proc < nprocs; proc++) {
        unsigned char *bytes = calloc(nbytes[proc] + 1, 1);
        CHECK(ARMCI_Get(blocks[proc], bytes, (armci_size_t)nbytes[proc], proc) == 0);
        size_t bad = 0;
        for (size_t i = 0; i < nbytes[proc]; i++)
            bad += bytes[i] != byte_of(proc, i);
        CHECK(bad == 0, "%zu of %zu bytes of process %d", bad, nbytes[proc], proc);
        free(bytes);
    }
    ARMCI_Barrier();
}

static void sizes(void)
{
    void *blocks[PROCS_MOST];
    size_t nbytes[PROCS_MOST];
    for (int round = 0; round < 4; round++) {
        for (int proc = 0; proc < nprocs; proc++)
            nbytes[proc] =
                (size_t)((proc + round) % 3) * ((size_t)1 << (10 + 3 * round)) + (size_t)proc % 2;
        REQUIRE(ARMCI_Malloc(blocks, (armci_size_t)nbytes[me]) == 0);
        for (int proc = 0; proc < nprocs; proc++)
            CHECK((blocks[proc] == NULL) == (nbytes[proc] == 0));
        write_and_read(blocks, nbytes);
        CHECK(ARMCI_Free(blocks[me]) == 0);
    }
}

static void copies(void)
{
    char bytes[] = "0123456789";
    ARMCI_Copy(bytes, bytes + 2, 8);  // they may overlap
    CHECK_STR(bytes, "0101234567");
    ARMCI_Copy(bytes, NULL, 0);
}

static void values(void)
{
    void *blocks[PROCS_MOST];
    REQUIRE(ARMCI_Malloc(blocks, 64) == 0);
    memset(blocks[me], 0, 64);
    ARMCI_Barrier();
    int next = (me + 1) % nprocs;
    char *there = blocks[next];
    ARMCI_PutValueInt(me - 7, there, next);
    ARMCI_PutValueLong(-(long)me * (1L << 40), there + 8, next);
    ARMCI_PutValueFloat((float)me + 0.5f, there + 16, next);
    ARMCI_PutValueDouble(me / 3.0, there + 24, next);
    // one's own operations on one location come in order, without a fence
    CHECK(ARMCI_GetValueInt(there, next) == me - 7);
    CHECK(ARMCI_GetValueLong(there + 8, next) == -(long)me * (1L << 40));
    CHECK(ARMCI_GetValueFloat(there + 16, next) == (float)me + 0.5f);
    CHECK(ARMCI_GetValueDouble(there + 24, next) == me / 3.0);
    for (int i = 0; i < 1000; i++)
        ARMCI_PutValueInt(i, there + 32, next);
    CHECK(ARMCI_GetValueInt(there + 32, next) == 999);
    ARMCI_Barrier();
    int before = (me + nprocs - 1) % nprocs;
    CHECK(*(int *)blocks[me] == before - 7);
    ARMCI_Free(blocks[me]);
}

/** Bytes of the node's shared memory that this process has in memory. */
static size_t shared_resident(void)
{
    char line[128];
    unsigned long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "RssShmem: %lu", &kib) != 1)
        ;
    REQUIRE(file && kib > 0);
    fclose(file);
    return kib * 1024;
}

static void come_and_go(void)
{
    void *blocks[PROCS_MOST];
    size_t nbytes = (size_t)4 << 20, before = shared_resident();
    for (int round = 0; round < ROUNDS; round++) {
        REQUIRE(ARMCI_Malloc(blocks, (armci_size_t)nbytes) == 0);
        memset(blocks[me], round, nbytes);
        ARMCI_Barrier();
        CHECK(ARMCI_GetValueInt(blocks[0], 0) == round * 0x01010101);
        ARMCI_Free(blocks[me]);
    }
    size_t after = shared_resident();
    CHECK(after < before + 2 * nbytes, "%zu KiB more", (after - before) / 1024);
}

/** Loads and stores to blocks of processes of this node, by their addresses. */
static void shared(void)
{
    void *blocks[PROCS_MOST];
    REQUIRE(ARMCI_Malloc(blocks, 4096) == 0);
    *(int *)blocks[me] = me;
    ARMCI_Barrier();
    int uses = ARMCI_Uses_shm();
    for (int proc = 0; proc < nprocs && uses; proc++)
        if (ARMCI_Same_node(proc)) {
            CHECK(*(int *)blocks[proc] == proc);
            ((int *)blocks[proc])[1 + me] = me;
        }
    CHECK(uses || getenv("TEST_PLACE_TAKEN"), "blocks of the node have one address");
    ARMCI_Barrier();
    for (int proc = 0; proc < nprocs && uses; proc++)
        if (ARMCI_Same_node(proc))
            CHECK(((int *)blocks[me])[1 + proc] == proc);
    ARMCI_Free(blocks[me]);
}

static void too_much(void)
{
    void *blocks[PROCS_MOST];
    armci_size_t half = (armci_size_t)1 << 46;
    CHECK(ARMCI_Malloc(blocks, me == 0 ? half : 64) != 0);
    CHECK(ARMCI_Malloc(blocks, me == 0 ? 64 : 0) == 0);
    ARMCI_Free(blocks[me]);
}

int main(void)
{
    REQUIRE(ARMCI_Initialized() == 0);
    REQUIRE(ARMCI_Init() == 0 && ARMCI_Initialized() == 1);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    sizes();
    copies();
    values();
    come_and_go();
    shared();
    too_much();
    ARMCI_Finalize();
    CHECK(ARMCI_Initialized() == 0);
    return check_result();
}
