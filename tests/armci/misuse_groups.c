// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use of groups, mutexes and the message layer, one kind per run: the first argument selects
// it. Two processes.
#include <armci.h>
#include <armcix.h>
#include <stdio.h>
#include <string.h>

static const char *how;
static int me;
static ARMCI_Group world, other;

static int is(const char *what)
{
    return strcmp(how, what) == 0;
}

static void groups(void)
{
    int list[] = {0, 0, 7}, rank;
    if (is("rank-twice"))
        ARMCI_Group_create(2, list, &other);
    if (is("rank-unknown"))
        ARMCI_Group_create_child(1, list + 2, &other, &world);
    if (is("list-too-long"))
        ARMCI_Group_create(3, list, &other);
    if (is("garbage")) {
        memset(&other, 0x55, sizeof other);
        ARMCI_Group_rank(&other, &rank);
    }
    if (is("freed")) {
        ARMCI_Group_create(1, &me, &other);
        ARMCI_Group copy = other;
        ARMCI_Group_free(&other);
        armci_msg_group_barrier(&copy);
    }
    if (is("no-member")) {
        ARMCI_Group_create(1, list, &other);
        if (me == 1)
            armci_msg_group_barrier(&other);
    }
    if (is("free-world"))
        ARMCI_Group_free(&world);
    if (is("absolute"))
        ARMCI_Absolute_id(&world, 2);
    if (is("other-lists")) {
        int a[] = {0, 1}, b[] = {1, 0};
        ARMCI_Group_create(2, me ? a : b, &other);
    }
}

static void mutexes(void)
{
    if (is("lock-none"))
        ARMCI_Lock(0, 0);
    if (is("destroy-none"))
        ARMCI_Destroy_mutexes();
    ARMCI_Create_mutexes(2);
    if (is("create-twice"))
        ARMCI_Create_mutexes(1);
    if (is("mutex-number"))
        ARMCI_Lock(2, 1);
    if (is("mutex-process"))
        ARMCI_Lock(0, 2);
    if (is("unlock-free"))
        ARMCI_Unlock(1, 0);
    if (me == 0)
        ARMCI_Lock(1, 0);
    if (is("lock-twice") && me == 0)
        ARMCI_Lock(1, 0);
    if (is("unlock-other") && me == 1)
        ARMCI_Unlock(1, 0);
    if (is("destroy-held"))
        ARMCI_Destroy_mutexes();
    if (me == 0)
        ARMCI_Unlock(1, 0);
    ARMCI_Destroy_mutexes();
    if (is("lock-destroyed"))
        ARMCI_Lock(1, 0);
}

static void messages(void)
{
    char bytes[100] = "";
    double x = 1;
    if (is("send-where"))
        armci_msg_snd(1, bytes, 1, -1);
    if (is("send-length"))
        armci_msg_snd(1, bytes, -5, 0);
    if (is("too-long")) {
        armci_msg_snd(1, bytes, 100, 1 - me);
        armci_msg_rcv(1, bytes, 99, NULL, 1 - me);
    }
    if (is("root"))
        armci_msg_bcast(bytes, 1, 2);
    if (is("scope"))
        armci_msg_bcast_scope(5, bytes, 1, 0);
    if (is("operation"))
        armci_msg_dgop(&x, 1, "plus");
    if (is("or-of-doubles"))
        armci_msg_dgop(&x, 1, "or");
    if (is("type"))
        armci_msg_gop_scope(SCOPE_ALL, &x, 1, "+", 3);
    if (is("select"))
        armci_msg_sel(&x, 4, "max", ARMCI_DOUBLE, 1);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    how = argv[1];
    if (is("before-init"))
        armci_msg_snd(1, NULL, 0, 0);
    if (is("level"))
        return ARMCI_Init_thread(4) ? 3 : 0;
    ARMCI_Init();
    me = armci_msg_me();
    ARMCI_Group_get_world(&world);
    groups();
    mutexes();
    messages();
    if (is("finalize-messages"))
        armci_msg_finalize();
    ARMCI_Barrier();
    printf("%s went through\n", how);
    ARMCI_Finalize();
    return 0;
}
