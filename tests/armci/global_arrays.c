// SPDX-License-Identifier: BSD-3-Clause
//
// The names of ARMCI that Global Arrays uses (global_arrays.txt), used as it does: with MPI
// (compiled by an MPI's compiler with -DWITH_MPI) between operations, or without. Its headers come
// in its order, and its own type of data types beside ours.
#include "message.h"
#include "armci.h"
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <string.h>

#include "frame/check.h"

typedef int ARMCI_Datatype;
enum { PROCS_MOST = 64, ROWS = 12, ROW = 10 };  // a block of doubles in each process

static int me, nprocs;
static double *a[PROCS_MOST];

static void between(void)
{
#ifdef WITH_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#else
    armci_msg_barrier();
#endif
}

static void zero(void)
{
    ARMCI_AllFence();
    between();
    memset(a[me], 0, ROWS * ROW * sizeof(double));
    between();
}

/** Patches of 4 x 3 into the next process's block, and out of it. */
static void patches(void)
{
    int next = (me + 1) % nprocs, before = (me + nprocs - 1) % nprocs, flag_at = ROWS * ROW - 1;
    int stride = ROW * (int)sizeof(double), dense = 3 * (int)sizeof(double);
    int count[] = {dense, 4};
    double patch[12], back[12], scale = 2;
    armci_hdl_t hdl;
    for (int i = 0; i < 12; i++)
        patch[i] = me * 100 + i;
    zero();
    ARMCI_PutS(patch, &dense, a[next] + 2 * ROW + 1, &stride, count, 1, next);
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, patch, &dense, a[next] + 2 * ROW + 1, &stride, count, 1,
               next);
    ARMCI_GetS(a[next] + 2 * ROW + 1, &stride, back, &dense, count, 1, next);
    for (int i = 0; i < 12; i++)
        CHECK(back[i] == 3 * patch[i], "%g", back[i]);
    ARMCI_INIT_HANDLE(&hdl);
    ARMCI_NbPutS(patch, &dense, a[next] + 6 * ROW, &stride, count, 1, next, &hdl);
    ARMCI_Wait(&hdl);
    ARMCI_INIT_HANDLE(&hdl);
    ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, patch, &dense, a[next] + 6 * ROW, &stride, count, 1, next,
                 &hdl);
    ARMCI_Wait(&hdl);
    ARMCI_INIT_HANDLE(&hdl);
    ARMCI_NbGetS(a[next] + 6 * ROW, &stride, back, &dense, count, 1, next, &hdl);
    while (ARMCI_Test(&hdl) != 0)
        continue;
    CHECK(back[11] == 3 * patch[11]);
    ARMCI_WaitAll();
    ARMCI_PutS_flag(patch, &dense, a[next], &stride, count, 1, (int *)(a[next] + flag_at), 7, next);
    ARMCI_Fence(next);
    between();
    CHECK(a[me][0] == before * 100 && *(int *)(a[me] + flag_at) == 7);
    armci_write_strided(a[me], 1, &stride, count, (char *)back);
    CHECK(back[3] == a[me][ROW]);
    armci_read_strided(a[me] + 1, 1, &stride, count, (char *)back);
    CHECK(a[me][ROW + 1] == back[3]);
}

static void vectors(void)
{
    int next = (me + 1) % nprocs;
    double from[3] = {me, me + 1, me + 2}, to[3] = {0}, scale = 1;
    void *here[] = {&from[0], &from[1], &from[2]}, *into[] = {&to[0], &to[1], &to[2]},
         *there[] = {a[next] + 5, a[next] + 50, a[next] + 31};
    armci_giov_t put = {.src_ptr_array = here, .dst_ptr_array = there, .ptr_array_len = 3},
                 get = {.src_ptr_array = there, .dst_ptr_array = into, .ptr_array_len = 3};
    put.bytes = get.bytes = sizeof(double);
    zero();
    CHECK(ARMCI_PutV(&put, 1, next) == 0);
    CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &scale, &put, 1, next) == 0);
    CHECK(ARMCI_GetV(&get, 1, next) == 0);
    CHECK(to[0] == 2 * me && to[1] == 2 * me + 2 && to[2] == 2 * me + 4);
}

static void kinds(void)
{
    static const ARMCI_Datatype types[] = {ARMCI_ACC_INT, ARMCI_ACC_LNG, ARMCI_ACC_FLT,
                                           ARMCI_ACC_CPL, ARMCI_ACC_DCP};
    zero();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double scale[2] = {0}, x[2] = {0};  // all bits zero are 0 in each type
        int count = types[i] == ARMCI_ACC_DCP ? 16 : 8;
        ARMCI_AccS(types[i], scale, x, NULL, a[0], NULL, &count, 0, 0);
    }
    int one = 0;
    long more = 0;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &one, (int *)a[0] + 4, 1, 0);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &more, (long *)(void *)a[0] + 4, 3, 0);
    CHECK(one >= 0 && one < nprocs && more % 3 == 0);
    between();
    CHECK(me != 0 || (((int *)a[0])[4] == nprocs && ((long *)(void *)a[0])[4] == 3 * nprocs));
    between();
    one = me + 1;
    more = me + 1;
    ARMCI_Rmw(ARMCI_SWAP, &one, (int *)a[me] + 9, 0, me);
    ARMCI_Rmw(ARMCI_SWAP_LONG, &more, (long *)(void *)a[me] + 9, 0, me);
    CHECK(one == 0 && more == 0 && ((int *)a[me])[9] == me + 1);
}

/** The group of all but process 0, with memory and global operations. */
static void groups(void)
{
    int list[PROCS_MOST], n = 0, up, left, right, root, size = 0;
    void *blocks[PROCS_MOST];
    ARMCI_Group group, world;
    for (int proc = nprocs > 1; proc < nprocs; proc++)
        list[n++] = proc;
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create(n, list, &group);
    if (me >= list[0]) {
        int i = 1;
        long l = 1;
        long long ll = 1;
        float f = 1;
        double d = 1;
        ARMCI_Group_set_default(&group);
        CHECK(ARMCI_Malloc_group(blocks, 64, &group) == 0);
        CHECK(ARMCI_Absolute_id(&group, 0) == list[0]);
        CHECK(ARMCI_Uses_shm_grp(&group) == ARMCI_Uses_shm());
        armci_msg_group_igop(&i, 1, "+", &group);
        armci_msg_group_lgop(&l, 1, "+", &group);
        armci_msg_group_llgop(&ll, 1, "+", &group);
        armci_msg_group_fgop(&f, 1, "+", &group);
        armci_msg_group_dgop(&d, 1, "+", &group);
        CHECK(i == n && l == n && ll == n && (int)f == n && (int)d == n);
        armci_msg_group_gop_scope(SCOPE_ALL, &d, 1, "max", ARMCI_DOUBLE, &group);
        armci_msg_group_bcast_scope(SCOPE_ALL, &i, sizeof i, list[0], &group);
        armci_msg_group_barrier(&group);
        ARMCI_Free_group(blocks[me - list[0]], &group);
        CHECK(ARMCI_Malloc_group_memdev(blocks, 64, &group, "dram") == 0);
        ARMCI_Free_group(blocks[me - list[0]], &group);
        ARMCI_Group_set_default(&world);
        ARMCI_Group_free(&group);
    }
    armci_msg_bintree(SCOPE_MASTERS, &root, &up, &left, &right);
    armci_msg_bintree(SCOPE_NODE, &root, &up, &left, &right);
    for (int node = 0; node < armci_domain_count(ARMCI_DOMAIN_SMP); node++)
        size += armci_domain_nprocs(ARMCI_DOMAIN_SMP, node);
    CHECK(size == nprocs && armci_domain_same_id(ARMCI_DOMAIN_SMP, me) && ARMCI_Same_node(me));
    CHECK(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, armci_domain_my_id(ARMCI_DOMAIN_SMP), 0) ==
          root);
    CHECK(armci_domain_id(ARMCI_DOMAIN_SMP, me) == armci_domain_my_id(ARMCI_DOMAIN_SMP));
}

static void messages(void)
{
    int i = me, came, next = (me + 1) % nprocs, before = (me + nprocs - 1) % nprocs;
    long l = me;
    long long ll = me;
    float f = (float)me;
    double d = me;
    armci_msg_snd(11, &i, sizeof i, next);
    armci_msg_rcv(11, &i, sizeof i, &came, before);
    CHECK(i == before && came == sizeof i);
    armci_msg_igop(&i, 1, "max");
    armci_msg_lgop(&l, 1, "absmax");
    armci_msg_llgop(&ll, 1, "max");
    armci_msg_fgop(&f, 1, "max");
    armci_msg_dgop(&d, 1, "max");
    CHECK(i == nprocs - 1 && l == i && ll == i && (int)f == i && (int)d == i);
    l = ll = me;
    f = (float)me;
    armci_msg_gop_scope(SCOPE_ALL, &l, 1, "min", ARMCI_LONG);
    armci_msg_gop_scope(SCOPE_ALL, &ll, 1, "min", ARMCI_LONG_LONG);
    armci_msg_gop_scope(SCOPE_ALL, &f, 1, "min", ARMCI_FLOAT);
    i = me;
    armci_msg_sel_scope(SCOPE_ALL, &i, sizeof i, "min", ARMCI_INT, me > 0 || nprocs == 1);
    CHECK(l == 0 && ll == 0 && f == 0 && i == (nprocs > 1));
    d = me == nprocs - 1 ? 0.5 : 0;
    armci_msg_bcast(&d, sizeof d, nprocs - 1);
    CHECK(d == 0.5);
}

static void locks(void)
{
    CHECK(ARMCI_Create_mutexes(me == 0 ? 3 : 0) == 0);
    zero();
    for (int i = 0; i < 30; i++) {
        int count = sizeof(double);
        double x;
        ARMCI_Lock(2, 0);
        ARMCI_GetS(a[0], NULL, &x, NULL, &count, 0, 0);
        x++;
        ARMCI_PutS(&x, NULL, a[0], NULL, &count, 0, 0);
        ARMCI_Unlock(2, 0);
    }
    between();
    CHECK(me != 0 || a[0][0] == 30.0 * nprocs);
    CHECK(ARMCI_Destroy_mutexes() == 0);
}

static void join(int argc, char **argv)
{
#ifdef WITH_MPI
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    REQUIRE(ARMCI_Init_mpi_comm(comm) == 1);
#else
    REQUIRE(ARMCI_Init_args(&argc, &argv) == 0);
#endif
    if (!ARMCI_Initialized())
        ARMCI_Init();
    ARMCI_Set_shm_limit(1 << 20);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
}

int main(int argc, char **argv)
{
    void *device[PROCS_MOST];
    armci_meminfo_t info;
    join(argc, argv);
    memset(&info, 0, sizeof info);
    REQUIRE(ARMCI_Malloc((void **)a, (armci_size_t)(ROWS * ROW * sizeof(double))) == 0);
    REQUIRE(ARMCI_Malloc_memdev(device, 8, "dram") == 0 && ARMCI_Free_memdev(device[me]) == 0);
    void *local = ARMCI_Malloc_local(64);
    CHECK(local && ARMCI_Free_local(local) == 0);
    patches();
    vectors();
    kinds();
    groups();
    messages();
    locks();
    int failed = check_result();
    if (failed)
        armci_msg_abort(1);
    if (argc < 0)
        ARMCI_Error("never", 1);
    ARMCI_Free(a[me]);
    ARMCI_Finalize();
    ARMCI_Cleanup();
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    if (me == 0)
        puts("as Global Arrays does");
    return 0;
}
