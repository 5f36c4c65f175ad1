// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use of ARMCI's blocks on devices, and names of none: what the first argument says. Two
// processes; a program that comes to its end says that it goes on.
#include <armci.h>
#include <message.h>
#include <stdlib.h>

#include "gpu/device.h"

enum { ROOM = 4096 };
static int me;
static void *blocks[2], *more[2];
static char buffer[ROOM];

/** All processes are refused if one of them is, and can have another block. */
static void name(const char *device)
{
    void *none[2] = {buffer, buffer};
    CHECK(ARMCI_Malloc_memdev(none, ROOM, me == 1 ? device : "host") != 0);
    CHECK(none[0] == NULL && none[1] == NULL);
    REQUIRE(ARMCI_Malloc_memdev(blocks, ROOM, me == 1 ? "" : NULL) == 0);
    CHECK(ARMCI_Put(buffer, blocks[1 - me], ROOM, 1 - me) == 0);
    CHECK(ARMCI_Free_memdev(blocks[me]) == 0);
}

/** Bytes to and from the other one's block, and a sum. */
static void use(void)
{
    const int to = 1 - me;
    int one = 1;
    fill_pattern(buffer, ROOM, me);
    CHECK(ARMCI_Put(buffer, blocks[to], ROOM, to) == 0);
    memset(buffer, 0, ROOM);
    CHECK(ARMCI_Get(blocks[to], buffer, ROOM, to) == 0 && first_wrong(buffer, ROOM, me) == ROOM);
    ARMCI_Barrier();
    memset(buffer, 0, 4);
    CHECK(ARMCI_Put(buffer, blocks[me], 4, me) == 0);
    ARMCI_Barrier();
    CHECK(ARMCI_Acc(ARMCI_ACC_INT, &one, &one, blocks[0], 4, 0) == 0);
    ARMCI_Barrier();
    CHECK(ARMCI_GetValueInt(blocks[0], 0) == 2);
    ARMCI_Barrier();
}

/** As many as a process can have, and one more. */
static void many(void)
{
    static void *all[64][2];
    for (int i = 0; i < 64; i++)
        REQUIRE(ARMCI_Malloc_memdev(all[i], 8, "cuda:0") == 0);
    CHECK(ARMCI_Malloc_memdev(more, 8, "cuda:0") != 0);
    for (int i = 0; i < 64; i++)
        CHECK(ARMCI_Free_memdev(all[i][me]) == 0);
    REQUIRE(ARMCI_Malloc_memdev(more, 8, "cuda:0") == 0);
    CHECK(ARMCI_Free(more[me]) == 0);  // either call frees
}

static void transfers(const char *what)
{
    const int to = 1 - me;
    armci_hdl_t handle;
    char *there = blocks[to];
    int count[2] = {64, 64}, stride = 65, local = 64, old;
    ARMCI_INIT_HANDLE(&handle);
    if (strcmp(what, "use") == 0)
        use();
    else if (strcmp(what, "beyond") == 0)
        ARMCI_Put(buffer, there + ROOM - 10, 11, to);
    else if (strcmp(what, "before") == 0)
        ARMCI_NbGet(there - 1, buffer, 8, to, &handle);
    else if (strcmp(what, "section") == 0)
        ARMCI_PutS(buffer, &local, there, &stride, count, 1, to);
    else if (strcmp(what, "atomic") == 0)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, there + 2, 1, to);
    else if (strcmp(what, "flag") == 0)
        ARMCI_Put_flag(buffer, there, 8, (int *)(void *)(there + ROOM), 1, to);
    else if (strcmp(what, "type") == 0)
        ARMCI_Acc(-3, &count, buffer, there, 8, to);
    else if (strcmp(what, "freed") == 0)
        CHECK(ARMCI_Free_memdev(blocks[me]) == 0 && ARMCI_Put(buffer, there, 8, to) == 0);
    else if (strcmp(what, "twice") == 0)
        CHECK(ARMCI_Free_memdev(blocks[me]) == 0 && ARMCI_Free_memdev(blocks[me]) == 0);
    else
        REQUIRE(0, "%s", what);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 3 && ARMCI_Init() == 0 && armci_msg_nproc() == 2);
    me = armci_msg_me();
    check_as("process", me, 2);
    if (strcmp(argv[1], "name") == 0) {
        name(argv[2]);
    } else if (strcmp(argv[1], "many") == 0) {
        many();
    } else if (strcmp(argv[1], "large") == 0) {
        CHECK(ARMCI_Malloc_memdev(more, (armci_size_t)1 << 40, "cuda") != 0);
    } else {
        REQUIRE(ARMCI_Malloc_memdev(blocks, ROOM, "cuda:0") == 0);
        transfers(argv[2]);
        CHECK(ARMCI_Free_memdev(blocks[me]) == 0);
    }
    if (me == 0)
        printf("goes on\n");
    ARMCI_Finalize();
    return check_result();
}
