// SPDX-License-Identifier: BSD-3-Clause
//
// Node 0 returns from main, where it waits for the others, of which each waits for a message.
#include <gasnet.h>
#include <stdio.h>
#include <unistd.h>

static volatile int got;

int main(int argc, char **argv)
{
    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
    alarm(60);
    if (gasnet_mynode() == 0) {
        puts("ready");
        fflush(stdout);
        return 0;
    }
    GASNET_BLOCKUNTIL(got);
    return 1;
}
