// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use of memory, sets of mutexes, domains and finished handles, one kind per run: the first
// argument selects it. Two processes.
#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <stdio.h>
#include <string.h>

static const char *how;
static int me;
static void *blocks[2], *others[2];
static long local[512];

static int is(const char *what)
{
    return strcmp(how, what) == 0;
}

static void memory(void)
{
    char *mine = blocks[me];
    armci_meminfo_t info;
    if (is("list-null"))
        ARMCI_Malloc(NULL, 8);
    if (is("malloc-negative"))
        ARMCI_Malloc(others, -1);
    if (is("local-negative"))
        ARMCI_Malloc_local(-1);
    if (is("free-inside"))
        ARMCI_Free(mine + 64);
    if (is("free-other"))
        ARMCI_Free(local);
    if (is("free-local"))
        ARMCI_Free_local(mine);
    if (is("free-twice")) {
        ARMCI_Malloc(others, 100);
        ARMCI_Free(others[me]);
        ARMCI_Free(others[me]);
    }
    if (is("free-group")) {
        ARMCI_Group alone, copy;
        ARMCI_Group_create(1, &me, &alone);
        ARMCI_Malloc_group(others, 8, &alone);
        copy = alone;
        ARMCI_Group_free(&alone);
        ARMCI_Free_group(others[0], &copy);
    }
    if (is("memctl-twice")) {
        ARMCI_Memget(100, &info, 0);
        ARMCI_Memctl(&info);
        ARMCI_Memctl(&info);
    }
}

/** Of memory that is there, but not, or not any more, in a block. */
static void bounds(void)
{
    char *theirs = blocks[1 - me], *mine = blocks[me];
    int stride[] = {4000}, near_stride[] = {100}, count[] = {100, 2}, one = 1;
    void *from = mine + 4089, *to = theirs;
    armci_giov_t segment = {
        .src_ptr_array = &from, .dst_ptr_array = &to, .ptr_array_len = 1, .bytes = 8};
    armci_meminfo_t info;
    long big = 8;
    for (int i = 0; i < 3; i++) {  // the last bytes, which is right, so that it is remembered
        ARMCI_Put(local, theirs + 4088, 8, 1 - me);
        ARMCI_Get(theirs, local, 8, 1 - me);
    }
    if (is("own-entry"))
        ARMCI_Put(local, blocks[me], 8, 1 - me);
    if (is("put-beyond"))
        ARMCI_Put(local, theirs + 4090, 8, 1 - me);
    if (is("get-beyond"))
        ARMCI_Get(theirs, local, 4100, 1 - me);
    if (is("own-beyond"))
        ARMCI_NbPut(local, mine + 4095, 8, me, NULL);
    if (is("value-beyond"))
        ARMCI_PutValueLong(1, theirs + 4092, 1 - me);
    if (is("rows-beyond"))
        ARMCI_PutS(local, stride, theirs, stride, count, 1, 1 - me);
    if (is("rmw-beyond"))
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &big, theirs + 4096 - 4, 1, 1 - me);
    if (is("local-beyond"))
        ARMCI_NbPut(mine + 4092, theirs, 8, 1 - me, NULL);
    if (is("local-static"))
        ARMCI_Put(local + 511, theirs, 16, 1 - me);
    if (is("local-null"))
        ARMCI_Get(theirs, NULL, 8, 1 - me);
    if (is("local-rows"))
        ARMCI_GetS(theirs, near_stride, mine, stride, count, 1, 1 - me);
    if (is("local-segment"))
        ARMCI_PutV(&segment, 1, 1 - me);
    if (is("local-acc"))
        ARMCI_AccS(ARMCI_ACC_INT, &one, mine, stride, theirs, near_stride, count, 1, 1 - me);
    ARMCI_Memget(100, &info, 0);
    if (is("memget-beyond"))
        ARMCI_Put(local, (char *)info.addr + 96, 8, me);
    ARMCI_Memctl(&info);
    if (is("memget-freed"))
        ARMCI_Put(local, info.addr, 8, me);
    ARMCI_Malloc(others, me ? 100 : 200);
    theirs = others[1 - me];
    if (is("sizes-differ"))
        ARMCI_Put(local, theirs + 100, 8, me ? 0 : 1);  // process 0 has room for it
    ARMCI_Free(others[me]);
    if (is("put-freed"))
        ARMCI_Put(local, theirs + 8, 8, 1 - me);
    ARMCI_Malloc(others, 3000);
    ARMCI_Put(local, others[1 - me], 3000, 1 - me);  // in the same place
    ARMCI_Free(others[me]);
}

static void sets(void)
{
    ARMCI_Group alone;
    ARMCI_Group_create(1, &me, &alone);
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(2, NULL),
                       other = ARMCIX_Create_mutexes_hdl(2, NULL),
                       own = ARMCIX_Create_mutexes_hdl(1, &alone);
    ARMCI_Create_mutexes(2);
    if (is("set-null"))
        ARMCIX_Lock_hdl(NULL, 0, 0);
    if (is("set-number"))
        ARMCIX_Trylock_hdl(set, 2, 1);
    if (is("set-process"))
        ARMCIX_Lock_hdl(set, 0, -1);
    if (is("set-member"))
        ARMCIX_Lock_hdl(own, 0, 1 - me);
    if (is("set-unlock"))
        ARMCIX_Unlock_hdl(set, 0, me);
    ARMCIX_Lock_hdl(set, me, 0);
    if (is("set-other"))
        ARMCIX_Unlock_hdl(other, me, 0);
    if (is("set-plain"))
        ARMCI_Unlock(me, 0);
    if (is("set-twice"))
        ARMCIX_Trylock_hdl(set, me, 0);
    if (is("set-held"))
        ARMCIX_Destroy_mutexes_hdl(set);
    ARMCIX_Unlock_hdl(set, me, 0);
    ARMCI_Destroy_mutexes();
    ARMCIX_Destroy_mutexes_hdl(own);
    ARMCIX_Destroy_mutexes_hdl(other);
    ARMCIX_Destroy_mutexes_hdl(set);
    if (is("set-destroyed"))
        ARMCIX_Lock_hdl(set, 0, 0);
    if (is("set-destroyed-twice"))
        ARMCIX_Destroy_mutexes_hdl(set);
    if (is("mutexes-negative"))
        ARMCI_Create_mutexes(-1);
}

static void places(void)
{
    if (is("domain"))
        armci_domain_count(1);
    if (is("domain-number"))
        armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 2, 0);
    if (is("domain-rank"))
        armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 0, 2);
    if (is("domain-process"))
        armci_domain_id(ARMCI_DOMAIN_SMP, 2);
    if (is("same-node"))
        ARMCI_Same_node(-1);
    if (is("cluster"))
        armci_grp_clus_brdcst(local, 8, 1, 2, NULL);
    if (is("elements"))
        armci_msg_lgop(local, -1, "+");
    if (is("broadcast"))
        armci_msg_bcast(NULL, 8, 0);
}

static void handles(void)
{
    armci_hdl_t hdl = {0}, copy;
    if (is("wait-null"))
        ARMCI_Wait(NULL);
    if (is("test-null"))
        ARMCI_Test(NULL);
    ARMCI_SET_AGGREGATE_HANDLE(&hdl);
    ARMCI_NbPutValueLong(me, blocks[1 - me], 1 - me, &hdl);
    copy = hdl;
    ARMCI_Wait(&hdl);
    ARMCI_Wait(&hdl);  // nothing is under way, which is right
    ARMCI_Test(&hdl);
    if (is("copy-waited"))
        ARMCI_Wait(&copy);
    if (is("copy-tested"))
        ARMCI_Test(&copy);
    if (is("copy-unset"))
        ARMCI_UNSET_AGGREGATE_HANDLE(&copy);
    if (is("copy-put"))
        ARMCI_NbPut(local, blocks[1 - me], 8, 1 - me, &copy);
    copy.causeway_list = local;
    if (is("garbage-list"))
        ARMCI_Wait(&copy);
}

static void sections(void)
{
    int stride[1] = {64}, count[2] = {8, 2};
    if (is("strides-null"))
        ARMCI_PutS(local, stride, blocks[1 - me], NULL, count, 1, 1 - me);
    if (is("counts-null"))
        ARMCI_GetS(blocks[1 - me], stride, local, stride, NULL, 1, 1 - me);
    count[1] = 1;
    ARMCI_PutS(local, NULL, blocks[1 - me], NULL, count, 1, 1 - me);  // not needed
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    how = argv[1];
    ARMCI_Init();
    me = armci_msg_me();
    ARMCI_Malloc(blocks, 4096);
    memory();
    bounds();
    sets();
    places();
    handles();
    sections();
    ARMCI_Barrier();
    printf("%s went through\n", how);
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return 0;
}
