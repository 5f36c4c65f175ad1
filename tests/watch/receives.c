// SPDX-License-Identifier: BSD-3-Clause
//
// Unit 1 receives with another tag than was sent, or waits for one notification more than was sent:
// receives dart|armci|notify wait|computes, after which the others are in a barrier, or compute.
#include <armci.h>
#include <dash/dart/if/dart.h>
#include <string.h>
#include <unistd.h>

static long words[10];

int main(int argc, char **argv)
{
    int dart = strcmp(argv[1], "dart") == 0, armci = strcmp(argv[1], "armci") == 0,
        computes = strcmp(argv[2], "computes") == 0;
    int room = sizeof words, got;
    armci_msg_init(&argc, &argv);
    ARMCI_Init();
    dart_init(&argc, &argv);
    int me = armci_msg_me();
    if (me == 0 && dart)
        dart_send(words, 10, DART_TYPE_LONG, 9, DART_GLOBAL_UNIT_ID(1));
    else if (me == 0 && armci)
        armci_msg_snd(9, words, 24, 1);
    else if (me == 0)
        armci_notify(1);
    if (me == 2 && dart)
        dart_send(words, 1, DART_TYPE_LONG, 7, DART_GLOBAL_UNIT_ID(1));
    armci_msg_barrier();
    if (me == 1 && dart)
        dart_recv(words, 10, DART_TYPE_LONG, 7, DART_GLOBAL_UNIT_ID(0));  // never sent
    else if (me == 1 && armci)
        armci_msg_rcv(8, words, room, &got, 0);  // never sent either
    else if (me == 1 && armci_notify_wait(0, &got))
        armci_notify_wait(0, &got);  // nor a second one
    if (computes)
        sleep(8);
    armci_msg_barrier();
    return 0;
}
