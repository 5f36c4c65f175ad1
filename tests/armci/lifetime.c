// SPDX-License-Identifier: BSD-3-Clause
//
// Every call that needs the job, before ARMCI_Init, after ARMCI_Finalize, and after a second pair:
// each ends the process with a line that names it and says which it was. Handles, groups, mutexes
// and memory are those of the first time. One process, each call in a child of its own.
#include <armci.h>
#include <armcix.h>
#include <message.h>

#include "frame/check.h"
#include "frame/child.h"

static long local[8];
static int number, stride[] = {16}, count[] = {8, 2};
static double scale = 1;
static void *pointers[1] = {local}, *block = local;
static armci_hdl_t handle;
static armci_meminfo_t info;
static ARMCI_Group world, group;
static armcix_mutex_hdl_t mutexes;
static armci_giov_t vector = {
    .src_ptr_array = pointers, .dst_ptr_array = pointers, .ptr_array_len = 1, .bytes = 8};

#define CONTIGUOUS(X)                                             \
    X(ARMCI_Put, local, block, 8, 0)                              \
    X(ARMCI_Get, block, local, 8, 0)                              \
    X(ARMCI_Put_flag, local, block, 8, block, 1, 0)               \
    X(ARMCI_PutValueInt, 1, block, 0)                             \
    X(ARMCI_PutValueLong, 1, block, 0)                            \
    X(ARMCI_PutValueFloat, 1, block, 0)                           \
    X(ARMCI_PutValueDouble, 1, block, 0)                          \
    X(ARMCI_GetValueInt, block, 0)                                \
    X(ARMCI_GetValueLong, block, 0)                               \
    X(ARMCI_GetValueFloat, block, 0)                              \
    X(ARMCI_GetValueDouble, block, 0)                             \
    X(ARMCI_Acc, ARMCI_ACC_DBL, &scale, local, block, 8, 0)       \
    X(ARMCI_Rmw, ARMCI_FETCH_AND_ADD_LONG, local, block, 1, 0)    \
    X(ARMCI_NbPut, local, block, 8, 0, &handle)                   \
    X(ARMCI_NbGet, block, local, 8, 0, NULL)                      \
    X(ARMCI_NbPutValueInt, 1, block, 0, &handle)                  \
    X(ARMCI_NbPutValueLong, 1, block, 0, &handle)                 \
    X(ARMCI_NbPutValueFloat, 1, block, 0, &handle)                \
    X(ARMCI_NbPutValueDouble, 1, block, 0, &handle)               \
    X(ARMCI_NbAcc, ARMCI_ACC_DBL, &scale, local, block, 8, 0, &handle)

#define PIECES(X)                                                                  \
    X(ARMCI_PutS, local, stride, block, stride, count, 1, 0)                       \
    X(ARMCI_GetS, block, stride, local, stride, count, 1, 0)                       \
    X(ARMCI_AccS, ARMCI_ACC_DBL, &scale, local, stride, block, stride, count, 1, 0) \
    X(ARMCI_PutS_flag, local, stride, block, stride, count, 1, block, 1, 0)        \
    X(ARMCI_PutS_flag_dir, local, stride, block, stride, count, 1, block, 1, 0)    \
    X(ARMCI_PutV, &vector, 1, 0)                                                   \
    X(ARMCI_GetV, &vector, 1, 0)                                                   \
    X(ARMCI_AccV, ARMCI_ACC_DBL, &scale, &vector, 1, 0)                            \
    X(ARMCI_NbPutS, local, stride, block, stride, count, 1, 0, &handle)            \
    X(ARMCI_NbGetS, block, stride, local, stride, count, 1, 0, &handle)            \
    X(ARMCI_NbAccS, ARMCI_ACC_DBL, &scale, local, stride, block, stride, count, 1, 0, &handle) \
    X(ARMCI_NbPutV, &vector, 1, 0, &handle)                                        \
    X(ARMCI_NbGetV, &vector, 1, 0, &handle)                                        \
    X(ARMCI_NbAccV, ARMCI_ACC_DBL, &scale, &vector, 1, 0, &handle)

#define ENDS(X)                              \
    X(ARMCI_Wait, &handle)                   \
    X(ARMCI_Test, &handle)                   \
    X(ARMCI_WaitAll)                         \
    X(ARMCI_WaitProc, 0)                     \
    X(ARMCI_UNSET_AGGREGATE_HANDLE, &handle) \
    X(ARMCI_Fence, 0)                        \
    X(ARMCI_AllFence)                        \
    X(ARMCI_GroupFence, &group)              \
    X(ARMCI_Barrier)                         \
    X(ARMCIX_Progress)                       \
    X(armci_notify, 0)                       \
    X(armci_notify_wait, 0, &number)         \
    X(ARMCI_Finalize)                        \
    X(armci_msg_finalize)

#define MEMORY(X)                                       \
    X(ARMCI_Malloc, pointers, 8)                        \
    X(ARMCI_Malloc_memdev, pointers, 8, "")             \
    X(ARMCI_Malloc_group, pointers, 8, &group)          \
    X(ARMCI_Malloc_group_memdev, pointers, 8, &group, "") \
    X(ARMCI_Free, block)                                \
    X(ARMCI_Free_memdev, block)                         \
    X(ARMCI_Free_group, block, &group)                  \
    X(ARMCI_Memget, 8, &info, 0)                        \
    X(ARMCI_Memctl, &info)                              \
    X(ARMCI_Uses_shm)                                   \
    X(ARMCI_Uses_shm_grp, &group)                       \
    X(ARMCI_Create_mutexes, 1)                          \
    X(ARMCI_Destroy_mutexes)                            \
    X(ARMCI_Lock, 0, 0)                                 \
    X(ARMCI_Unlock, 0, 0)                               \
    X(ARMCIX_Create_mutexes_hdl, 1, &group)             \
    X(ARMCIX_Destroy_mutexes_hdl, mutexes)              \
    X(ARMCIX_Lock_hdl, mutexes, 0, 0)                   \
    X(ARMCIX_Trylock_hdl, mutexes, 0, 0)                \
    X(ARMCIX_Unlock_hdl, mutexes, 0, 0)

#define PLACES(X)                                      \
    X(ARMCI_Group_create, 1, &number, &group)          \
    X(ARMCI_Group_create_child, 1, &number, &group, &world) \
    X(ARMCIX_Group_split, &world, 0, 0, &group)        \
    X(ARMCIX_Group_dup, &world, &group)                \
    X(ARMCI_Group_free, &group)                        \
    X(ARMCI_Group_rank, &group, &number)               \
    X(ARMCI_Group_size, &group, &number)               \
    X(ARMCI_Group_set_default, &group)                 \
    X(ARMCI_Group_get_default, &group)                 \
    X(ARMCI_Group_get_world, &group)                   \
    X(ARMCI_Absolute_id, &group, 0)                    \
    X(ARMCI_Same_node, 0)                              \
    X(armci_sameclusnode, 0)                           \
    X(armci_domain_nprocs, ARMCI_DOMAIN_SMP, 0)        \
    X(armci_domain_id, ARMCI_DOMAIN_SMP, 0)            \
    X(armci_domain_glob_proc_id, ARMCI_DOMAIN_SMP, 0, 0) \
    X(armci_domain_my_id, ARMCI_DOMAIN_SMP)            \
    X(armci_domain_count, ARMCI_DOMAIN_SMP)            \
    X(armci_domain_same_id, ARMCI_DOMAIN_SMP, 0)

static int *ints = (int *)local;
static float *floats = (float *)local;
static double *doubles = (double *)local;
static long long *longs = (long long *)local;
static char plus[] = "+", most[] = "max";

#define MESSAGES(X)                                                  \
    X(armci_msg_me)                                                  \
    X(armci_msg_nproc)                                               \
    X(armci_msg_barrier)                                             \
    X(armci_msg_group_barrier, &group)                               \
    X(armci_msg_snd, 1, local, 8, 0)                                 \
    X(armci_msg_rcv, 1, local, 8, &number, 0)                        \
    X(armci_msg_rcvany, 1, local, 8, &number)                        \
    X(armci_msg_bintree, SCOPE_ALL, &number, &number, &number, &number) \
    X(armci_msg_bcast, local, 8, 0)                                  \
    X(armci_msg_brdcst, local, 8, 0)                                 \
    X(armci_msg_bcast_scope, SCOPE_ALL, local, 8, 0)                 \
    X(armci_msg_group_bcast_scope, SCOPE_ALL, local, 8, 0, &group)   \
    X(armci_msg_clus_brdcst, local, 8)                               \
    X(armci_grp_clus_brdcst, local, 8, 0, 1, &group)                 \
    X(armci_exchange_address, pointers, 1)                           \
    X(armci_exchange_address_grp, pointers, 1, &group)

#define REDUCTIONS(X)                                               \
    X(armci_msg_gop_scope, SCOPE_ALL, local, 1, plus, ARMCI_LONG)   \
    X(armci_msg_reduce, local, 1, plus, ARMCI_LONG)                 \
    X(armci_msg_reduce_scope, SCOPE_ALL, local, 1, plus, ARMCI_LONG) \
    X(armci_msg_group_gop_scope, SCOPE_ALL, local, 1, plus, ARMCI_LONG, &group) \
    X(armci_msg_igop, ints, 1, plus)                                \
    X(armci_msg_lgop, local, 1, plus)                               \
    X(armci_msg_llgop, longs, 1, plus)                              \
    X(armci_msg_fgop, floats, 1, plus)                              \
    X(armci_msg_dgop, doubles, 1, plus)                             \
    X(armci_msg_group_igop, ints, 1, plus, &group)                  \
    X(armci_msg_group_lgop, local, 1, plus, &group)                 \
    X(armci_msg_group_llgop, longs, 1, plus, &group)                \
    X(armci_msg_group_fgop, floats, 1, plus, &group)                \
    X(armci_msg_group_dgop, doubles, 1, plus, &group)               \
    X(armci_msg_clus_igop, ints, 1, plus)                           \
    X(armci_msg_clus_lgop, local, 1, plus)                          \
    X(armci_msg_clus_llgop, longs, 1, plus)                         \
    X(armci_msg_clus_fgop, floats, 1, plus)                         \
    X(armci_msg_clus_dgop, doubles, 1, plus)                        \
    X(armci_msg_sel_scope, SCOPE_ALL, local, 8, most, ARMCI_LONG, 1)

#define ALL(X) CONTIGUOUS(X) PIECES(X) ENDS(X) MEMORY(X) PLACES(X) MESSAGES(X) REDUCTIONS(X)

#define BODY(name, ...)          \
    static void use_##name(void) \
    {                            \
        name(__VA_ARGS__);       \
    }
ALL(BODY)

#define ROW(name, ...) {#name, use_##name},
static const struct {
    const char *name;
    void (*use)(void);
} calls[] = {ALL(ROW)};
enum { CALLS = sizeof calls / sizeof *calls };

static void try_all(const char *when, const char *says)
{
    char wanted[128];
    for (int i = 0; i < CALLS; i++) {
        child_t child = child_run(calls[i].use);
        snprintf(wanted, sizeof wanted, ": %s: called %s", calls[i].name, says);
        CHECK(child.status != 0 && child.status < 128, "%s %s: status %d", calls[i].name, when,
              child.status);
        CHECK(strstr(child.err, wanted) != NULL, "%s %s: %s", calls[i].name, when, child.err);
    }
}

/** All that the calls get, made while there is a job; it goes with the job. */
static void live(void)
{
    int me = 0;
    REQUIRE(ARMCI_Init() == 0);
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create(1, &me, &group);
    mutexes = ARMCIX_Create_mutexes_hdl(1, &group);
    REQUIRE(ARMCI_Create_mutexes(1) == 0);
    REQUIRE(ARMCI_Malloc(pointers, 64) == 0);
    block = pointers[0];
    ARMCI_Memget(64, &info, 0);
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    ARMCI_NbPut(local, block, 8, 0, &handle);
    REQUIRE(ARMCI_Finalize() == 0);
}

int main(void)
{
    try_all("at first", "before ARMCI_Init; call that first");
    live();
    try_all("at the end", "after ARMCI_Finalize");
    live();
    try_all("at the second end", "after ARMCI_Finalize");
    return check_result();
}
