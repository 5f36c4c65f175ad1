// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use of transfers, handles and atomics, one kind per run: the first argument selects it. Two
// processes; process 0 is wrong.
#include <armci.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *how;
static char *block, local[4096];
static int stride[9], count[10];

static int is(const char *what)
{
    return strcmp(how, what) == 0;
}

static void contiguous(void)
{
    if (is("process"))
        ARMCI_Put(local, block, 8, 2);
    if (is("process-negative"))
        ARMCI_Get(block, local, 8, -1);
    if (is("size"))
        ARMCI_Put(local, block, -8, 1);
    if (is("address"))
        ARMCI_Put(local, local, 8, 1);
    if (is("address-get"))
        ARMCI_Get(NULL, local, 8, 1);
    if (is("value"))
        ARMCI_PutValueInt(1, local, 1);
    if (is("overlap"))
        ARMCI_Put(local + 1, local, 8, 0);
    if (is("copy"))
        ARMCI_Copy(local, block, -1);
}

static void sections(void)
{
    count[0] = 8;
    count[1] = 4;
    stride[0] = 16;
    if (is("strided-process"))
        ARMCI_PutS(local, stride, block, stride, count, 1, 5);
    if (is("levels"))
        ARMCI_PutS(local, stride, block, stride, count, 9, 1);
    if (is("levels-negative"))
        ARMCI_GetS(block, stride, local, stride, count, -1, 1);
    if (is("count")) {
        count[1] = -3;
        ARMCI_PutS(local, stride, block, stride, count, 1, 1);
    }
    if (is("strided-address"))
        ARMCI_PutS(local, stride, local, stride, count, 1, 1);
    if (is("strided-beyond")) {
        stride[0] = INT_MAX;
        count[1] = INT_MAX;
        ARMCI_GetS(block, stride, local, stride, count, 1, 1);
    }
    if (is("strided-product")) {
        for (int i = 0; i < 9; i++)
            count[i] = INT_MAX;
        ARMCI_PutS(local, stride, block, stride, count, 8, 1);
    }
    if (is("strided-overlap")) {
        stride[0] = 4;
        ARMCI_PutS(local, stride, block, stride, count, 1, 1);
    }
    int away[2] = {4, 6}, rows[3] = {2, 4, 2}, near[2] = {4, 16};
    if (is("strided-between")) // 0 4 8 12 and 6 10 14 18
        ARMCI_PutS(local, near, block, away, rows, 2, 1);
    int down[2] = {16, 1}, letters[3] = {1, 16, 16}, right[2] = {1, 16};
    if (is("strided-turned"))
        ARMCI_PutS(local, right, block, down, letters, 2, 1);
    down[0] = 15;
    if (is("strided-turned-overlap"))
        ARMCI_GetS(block, right, local, down, letters, 2, 1);
    if (is("flag"))
        ARMCI_Put_flag(local, block, 8, (int *)(block + 9), 1, 1);
    if (is("flag-address"))
        ARMCI_PutS_flag(local, stride, block, stride, count, 1, (int *)local, 1, 1);
}

static void vectors(void)
{
    void *here[2] = {local, local + 8}, *there[2] = {block, local};
    armci_giov_t iov = {
        .src_ptr_array = here, .dst_ptr_array = there, .ptr_array_len = 2, .bytes = 8};
    if (is("vector-address"))
        ARMCI_PutV(&iov, 1, 1);
    if (is("vector-process"))
        ARMCI_PutV(&iov, 1, 2);
    iov.bytes = -8;
    if (is("vector-bytes"))
        ARMCI_PutV(&iov, 1, 1);
    iov.bytes = 8;
    iov.ptr_array_len = -1;
    if (is("vector-length"))
        ARMCI_GetV(&iov, 1, 1);
    if (is("descriptors"))
        ARMCI_GetV(&iov, -2, 1);
    iov.ptr_array_len = 1;
    iov.src_ptr_array = NULL;
    if (is("vector-list"))
        ARMCI_PutV(&iov, 1, 1);
}

static void others(void)
{
    armci_hdl_t hdl;
    int value = 0;
    memset(&hdl, 0x5a, sizeof hdl);
    if (is("handle"))
        ARMCI_Wait(&hdl);
    if (is("handle-put"))
        ARMCI_NbPut(local, block, 8, 1, &hdl);
    if (is("handle-test"))
        ARMCI_Test(&hdl);
    if (is("handle-set"))
        ARMCI_SET_AGGREGATE_HANDLE(&hdl);
    if (is("rmw"))
        ARMCI_Rmw(7, &value, block, 1, 1);
    if (is("rmw-aligned"))
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &value, block + 2, 1, 1);
    if (is("rmw-address"))
        ARMCI_Rmw(ARMCI_SWAP, &value, local, 1, 1);
    if (is("notify"))
        armci_notify(2);
    if (is("notify-wait"))
        armci_notify_wait(-1, &value);
    if (is("wait-process"))
        ARMCI_WaitProc(2);
    if (is("fence"))
        ARMCI_Fence(3);
    armci_meminfo_t info;
    if (is("memget"))
        ARMCI_Memget(0, &info, 0);
    if (is("memget-flags"))
        ARMCI_Memget(8, &info, 4);
}

int main(int argc, char **argv)
{
    void *blocks[2];
    how = argc > 1 ? argv[1] : "";
    if (is("before-init"))
        ARMCI_PutS(local, stride, local, stride, count, 0, 0);
    ARMCI_Init();
    ARMCI_Malloc(blocks, 4096);
    block = blocks[1];
    if (armci_msg_me() == 0) {
        contiguous();
        sections();
        vectors();
        others();
    }
    ARMCI_Barrier();
    ARMCI_Free(blocks[armci_msg_me()]);
    ARMCI_Finalize();
    if (is("after-finalize"))
        ARMCI_PutS(local, stride, local, stride, count, 0, 0);
    printf("%s went through\n", how);
    return 0;
}
