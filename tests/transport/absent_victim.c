// SPDX-License-Identifier: BSD-3-Clause
//
// A library that opens files, as libfabric does: test_ofi_absent.c hides a file from it.
#include <stdio.h>

__attribute__((visibility("default"))) FILE *victim_open(const char *path);

FILE *victim_open(const char *path)
{
    return fopen(path, "r");
}
