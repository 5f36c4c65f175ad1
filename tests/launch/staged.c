// SPDX-License-Identifier: BSD-3-Clause
//
//     staged KIND FILE
//
// Large strided puts and accumulates from the first processes to the last one, of another node:
// they travel through cells that its node server lends. FILE.PE gets each process's number; FILE
// appears when cells have been lent and used. KIND "stream": the transfers go on until the job is
// ended. "waiting": from FILE.go on one more of each begins, and is waited for.
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW = 64, ROWS = 16384 };  // 1 MiB, in four cells

static void *blocks[64];
static char src[ROW * ROWS];
static int last;

static void transfer(void)
{
    double scale = 2;
    int dense = ROW, gaps = 2 * ROW, count[2] = {ROW, ROWS};
    ARMCI_PutS(src, &dense, blocks[last], &gaps, count, 1, last);
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, src, &dense, blocks[last], &gaps, count, 1, last);
}

static void create(const char *name, int number)
{
    char path[4096], text[32];
    snprintf(path, sizeof path, "%s.part", name);
    snprintf(text, sizeof text, "%d\n", number);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) || rename(path, name))
        abort();
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 3)
        return 2;
    ARMCI_Init();
    int me = armci_msg_me();
    last = armci_msg_nproc() - 1;
    ARMCI_Malloc(blocks, me == last ? 2 * ROW * ROWS : 64);
    ARMCI_Barrier();
    if (me < 2) {
        transfer();
        ARMCI_Fence(last);
    }
    snprintf(path, sizeof path, "%s.%d", argv[2], me);
    create(path, (int)getpid());
    armci_msg_barrier();
    if (me == 0)
        create(argv[2], 0);
    snprintf(path, sizeof path, "%s.go", argv[2]);
    while (me < 2 && strcmp(argv[1], "waiting") == 0 && access(path, F_OK) != 0)
        usleep(1000);
    for (int i = 0; me < 2 && (i == 0 || strcmp(argv[1], "stream") == 0); i++) {
        transfer();
        if (i % 8 == 0)
            ARMCI_Fence(last);
    }
    ARMCI_Barrier();
    printf("came through\n");
    ARMCI_Finalize();
    return 0;
}
