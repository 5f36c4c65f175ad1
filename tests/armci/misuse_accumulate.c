// SPDX-License-Identifier: BSD-3-Clause
//
// misuse_accumulate WHAT: one wrong accumulate to the other process (misuse_accumulate.py).
#include <armci.h>
#include <stdio.h>
#include <string.h>

static void *blocks[2];
static double one[2] = {1, 1}, from[40];

static int is(const char *what, const char *name)
{
    return strcmp(what, name) == 0;
}

static void section(int type, int row, int stride, int rows)
{
    int count[2] = {row, rows}, from_stride[1] = {16}, to_stride[1] = {stride};
    ARMCI_AccS(type, one, from, from_stride, blocks[1], to_stride, count, 1, 1);
}

static void vector(int offset, int bytes)
{
    void *src[2] = {from, from + 2}, *dst[2] = {blocks[1], (char *)blocks[1] + offset};
    armci_giov_t iov = {
        .src_ptr_array = src, .dst_ptr_array = dst, .ptr_array_len = 2, .bytes = bytes};
    ARMCI_AccV(ARMCI_ACC_DBL, one, &iov, 1, 1);
}

static void misuse(const char *what)
{
    char *there = blocks[1];
    if (is(what, "type"))
        ARMCI_Acc(36, one, from, there, 8, 1);
    else if (is(what, "process"))
        ARMCI_NbAcc(ARMCI_ACC_DBL, one, from, there, 8, 2, NULL);
    else if (is(what, "scale"))
        ARMCI_Acc(ARMCI_ACC_DBL, NULL, from, there, 8, 1);
    else if (is(what, "bytes"))
        ARMCI_Acc(ARMCI_ACC_DCP, one, from, there, 24, 1);
    else if (is(what, "negative"))
        ARMCI_Acc(ARMCI_ACC_INT, one, from, there, -4, 1);
    else if (is(what, "outside"))
        ARMCI_Acc(ARMCI_ACC_DBL, one, from, from, 8, 1);
    else if (is(what, "row"))
        section(ARMCI_ACC_DBL, 12, 16, 2);
    else if (is(what, "levels"))
        ARMCI_AccS(ARMCI_ACC_DBL, one, from, NULL, there, NULL, NULL, 9, 1);
    else if (is(what, "rows"))
        section(ARMCI_ACC_DBL, 8, 16, -2);
    else if (is(what, "segment"))
        vector(16, 12);
    else
        section(ARMCI_ACC_DBL, 8, 32, 2);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (is(what, "before-init"))
        ARMCI_Acc(ARMCI_ACC_DBL, one, from, from, 8, 0);
    ARMCI_Init();
    ARMCI_Malloc(blocks, 4096);
    int me = armci_msg_me();
    if (me == 0)
        misuse(what);
    ARMCI_Finalize();
    if (me == 0)
        printf("%s went through\n", what);
    return 0;
}
