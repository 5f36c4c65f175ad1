// SPDX-License-Identifier: BSD-3-Clause
//
// Groups: lists in any order, of one process, overlapping, of different lists at the same time, by
// processes of the list alone; many over a run; default groups; memory and global operations of
// groups in all scopes.
#include <armci.h>
#include <armcix.h>
#include <string.h>

#include "frame/check.h"

enum { PROCS_MOST = 64, ROUNDS = 1500 };

static int me, nprocs;

/** The members compute, in a group that they know. */
static void use(ARMCI_Group *group, const int *pes, int size)
{
    int rank = -2, n = -2, mine = -1;
    for (int i = 0; i < size; i++)
        mine = pes[i] == me ? i : mine;
    CHECK(ARMCI_Group_rank(group, &rank) == (mine < 0) && rank == mine);
    ARMCI_Group_size(group, &n);
    if (mine < 0)
        return;
    CHECK(n == size);
    for (int i = 0; i < size; i++)
        CHECK(ARMCI_Absolute_id(group, i) == pes[i]);
    long sum = me, want = 0;
    for (int i = 0; i < size; i++)
        want += pes[i];
    armci_msg_group_lgop(&sum, 1, "+", group);
    CHECK(sum == want);
    int value = mine == size - 1 ? 1000 + size : 0;
    armci_msg_group_bcast_scope(SCOPE_ALL, &value, sizeof value, pes[size - 1], group);
    CHECK(value == 1000 + size);
    armci_msg_group_barrier(group);
}

/** Each puts its number into the block of the next rank. */
static void memory_of(ARMCI_Group *group, const int *pes, int size)
{
    void *blocks[PROCS_MOST];
    int rank;
    if (ARMCI_Group_rank(group, &rank))
        return;
    REQUIRE(ARMCI_Malloc_group(blocks, 64 + 8 * rank, group) == 0);
    int next = (rank + 1) % size;
    ARMCI_PutValueInt(me, blocks[next], pes[next]);
    ARMCI_GroupFence(group);
    armci_msg_group_barrier(group);
    CHECK(*(int *)blocks[rank] == pes[(rank + size - 1) % size]);
    CHECK(ARMCI_Uses_shm_grp(group) == ARMCI_Uses_shm());
    armci_msg_group_barrier(group);
    CHECK(ARMCI_Free_group(blocks[rank], group) == 0);
}

static void lists(void)
{
    int even[PROCS_MOST], back[PROCS_MOST], some[PROCS_MOST], neven = 0, nsome = 0;
    ARMCI_Group a, b, c;
    for (int proc = 0; proc < nprocs; proc++) {
        back[proc] = nprocs - 1 - proc;
        if (proc % 2 == 0)
            even[neven++] = proc;
    }
    for (int proc = nprocs - 1; proc >= 0; proc--)
        if (proc % 3 != 1)
            some[nsome++] = proc;
    ARMCI_Group_create(neven, even, &a);
    ARMCI_Group_create(nprocs, back, &b);
    ARMCI_Group_create(nsome, some, &c);
    use(&a, even, neven);
    use(&b, back, nprocs);
    use(&c, some, nsome);
    memory_of(&c, some, nsome);
    memory_of(&b, back, nprocs);
    memory_of(&a, even, neven);
    ARMCI_Group_free(&a);
    ARMCI_Group_free(&b);
    ARMCI_Group_free(&c);
    int rank = 0;
    CHECK(ARMCI_Group_rank(&a, &rank) != 0 && rank == -1);
}

/** Each process makes a group of its own; neighbours make theirs while others do nothing. */
static void alone(void)
{
    ARMCI_Group own, pair;
    ARMCI_Group_create(1, &me, &own);
    use(&own, &me, 1);
    memory_of(&own, &me, 1);
    int couple[2] = {me | 1, me & ~1};
    if ((me | 1) < nprocs) {
        ARMCI_Group_create(2, couple, &pair);
        use(&pair, couple, 2);
        ARMCI_Group_free(&pair);
    }
    ARMCI_Group_free(&own);
}

/** Groups of the default group, by ranks of it; and of a parent. */
static void children(void)
{
    int pes[PROCS_MOST], ranks[PROCS_MOST], n = 0;
    ARMCI_Group world, upper, child, now;
    for (int proc = nprocs - 1; proc >= nprocs / 2; proc--)
        pes[n++] = proc;
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create_child(n, pes, &upper, &world);
    int rank;
    if (ARMCI_Group_rank(&upper, &rank) == 0) {
        ARMCI_Group_set_default(&upper);
        ARMCI_Group_get_default(&now);
        use(&now, pes, n);
        int nranks = (n + 1) / 2, want[PROCS_MOST];
        for (int i = 0; i < nranks; i++) {
            ranks[i] = nranks - 1 - i;
            want[i] = pes[ranks[i]];
        }
        ARMCI_Group_create(nranks, ranks, &child);
        use(&child, want, nranks);
        ARMCI_Group_free(&child);
        ARMCI_Group_set_default(&world);
        ARMCI_Group_free(&upper);
    }
    ARMCI_Group_create(0, NULL, &child);
    CHECK(ARMCI_Group_rank(&child, &rank) != 0);
}

static void extensions(void)
{
    ARMCI_Group world, part, copy;
    int pes[PROCS_MOST], n = 0, rank, size;
    ARMCI_Group_get_world(&world);
    CHECK(ARMCIX_Group_split(&world, me % 3 == 2 ? -1 : me % 3, -me, &part) == 0);
    for (int proc = nprocs - 1; proc >= 0; proc--)
        if (proc % 3 == me % 3 && me % 3 != 2)
            pes[n++] = proc;
    use(&part, pes, n);
    if (ARMCI_Group_rank(&part, &rank) == 0) {
        CHECK(ARMCIX_Group_dup(&part, &copy) == 0);
        ARMCI_Group_free(&part);
        use(&copy, pes, n);
        ARMCI_Group_size(&copy, &size);
        CHECK(size == n);
        ARMCI_Group_free(&copy);
    }
}

static void scopes(void)
{
    int back[PROCS_MOST], x = 1, same = 0, nodes = 0, first = 1;
    ARMCI_Group group;
    for (int i = 0; i < nprocs; i++)
        back[i] = nprocs - 1 - i;
    ARMCI_Group_create(nprocs, back, &group);
    for (int i = 0; i < nprocs; i++)
        same += ARMCI_Same_node(back[i]);
    for (int i = 0; back[i] != me; i++)
        first = first && !ARMCI_Same_node(back[i]);
    armci_msg_group_gop_scope(SCOPE_NODE, &x, 1, "+", ARMCI_INT, &group);
    CHECK(x == same, "%d instead of %d", x, same);
    x = 1;
    armci_msg_group_gop_scope(SCOPE_MASTERS, &x, 1, "+", ARMCI_INT, &group);
    nodes = armci_domain_count(0);
    CHECK(x == (first ? nodes : 1), "%d on the nodes", x);
    double value = me == back[0] ? 2.5 : 0;
    if (nprocs > 2) {
        if (me != back[nprocs - 1])  // ranks 0 to n - 2
            armci_grp_clus_brdcst(&value, sizeof value, 0, nprocs - 1, &group);
        CHECK(value == (me != back[nprocs - 1] ? 2.5 : 0));
    }
    void *ptr[PROCS_MOST] = {NULL};
    int rank;
    ARMCI_Group_rank(&group, &rank);
    ptr[rank] = &back[rank];
    armci_exchange_address_grp(ptr, nprocs, &group);
    CHECK(ptr[rank] == &back[rank] && ptr[0] != NULL);
    ARMCI_Group_free(&group);
}

/** Many over a run, and some at the same time. */
static void many(void)
{
    enum { ALIVE = 20 };
    ARMCI_Group groups[ALIVE];
    for (int i = 0; i < ROUNDS; i++) {
        int list[2] = {i % nprocs, (i + 1) % nprocs}, x = 1;
        ARMCI_Group *group = &groups[i % ALIVE];
        if (i >= ALIVE)
            ARMCI_Group_free(group);
        ARMCI_Group_create(nprocs > 1 ? 2 : 1, list, group);
        if (me == list[0] || me == list[1]) {
            armci_msg_group_igop(&x, 1, "+", group);
            CHECK(x == (nprocs > 1 ? 2 : 1));
        }
    }
    for (int i = 0; i < ALIVE; i++)
        ARMCI_Group_free(&groups[(ROUNDS + i) % ALIVE]);
}

int main(void)
{
    REQUIRE(ARMCI_Init() == 0);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    lists();
    alone();
    children();
    extensions();
    scopes();
    many();
    ARMCI_Barrier();
    ARMCI_Finalize();
    return check_result();
}
