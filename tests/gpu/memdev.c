// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI: blocks of the _memdev calls on devices, and on the host on one process of three and more:
// puts and gets of every form from and to memory of either kind, accumulates, atomics, flags,
// notifications, order on one location, groups. Every byte of a block is checked.
#include <armci.h>
#include <message.h>
#include <sched.h>
#include <stdlib.h>

#include "gpu/client.h"

enum { ROOM = 400000, OTHERS = 0xee };

static int me, n, devices;
static int owners_copy;                  // in calls that wait
static int device;                       // of this process's block; -1: of the host
static void *on_device[64], *plain[64];  // blocks of all: of Malloc_memdev, of Malloc
static int *flags[64];                   // of all, in memory of the host
static char *near, *host, *seen, *want;  // near: on device 0

static int device_of(int proc)
{
    return n > 2 && proc == n - 1 ? -1 : proc % devices;
}

static const char *name_of(int number, char *text)
{
    snprintf(text, 24, "cuda:%d", number);
    return number < 0 ? "dram" : text;
}

// ---------------------------------------------------------------- shapes
typedef struct piece {
    size_t remote, local, nbytes;
} piece;

typedef struct shape {
    int levels;  // -1: contiguous; -2: a list
    int count[4], remote_stride[3], local_stride[3];
    size_t nbytes;  // of a contiguous one, or of each segment
    int segments;
} shape;

static const shape shapes[] = {
    {.levels = -1, .nbytes = 1},
    {.levels = -1, .nbytes = 8},
    {.levels = -1, .nbytes = 4000},
    {.levels = -1, .nbytes = 20000},
    {.levels = -1, .nbytes = 300000},
    {.levels = 1, .count = {8, 30}, .remote_stride = {24}, .local_stride = {8}},
    {.levels = 2, .count = {100, 7, 5}, .remote_stride = {130, 2000}, .local_stride = {100, 900}},
    {.levels = 2,
     .count = {5000, 4, 3},
     .remote_stride = {6000, 60000},
     .local_stride = {5003, 31000}},
    {.levels = 0, .count = {777}},
    {.levels = -2, .nbytes = 16, .segments = 40},
    {.levels = -2, .nbytes = 9000, .segments = 5},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int pieces_of(const shape *s)
{
    int pieces = s->levels == -2 ? s->segments : 1;
    for (int i = 1; i <= s->levels; i++)
        pieces *= s->count[i];
    return pieces;
}

static piece piece_of(const shape *s, int i)
{
    piece p = {64, 32, s->nbytes};
    if (s->levels == -2) {
        p.remote += (size_t)(i * 7 % s->segments) * (s->nbytes + 8);
        p.local += (size_t)i * (s->nbytes + 8);
    } else if (s->levels >= 0) {
        p.nbytes = (size_t)s->count[0];
    }
    for (int k = 0; k < s->levels; k++) {
        p.remote += (size_t)(i % s->count[k + 1] * s->remote_stride[k]);
        p.local += (size_t)(i % s->count[k + 1] * s->local_stride[k]);
        i /= s->count[k + 1];
    }
    return p;
}

// ---------------------------------------------------------------- every form
typedef struct list {
    armci_giov_t iov;
    void *remote[64], *local[64];
} list;

static void make_list(list *l, const shape *s, int put, char *remote, char *local)
{
    for (int i = 0; i < s->segments; i++) {
        const piece p = piece_of(s, i);
        l->remote[i] = remote + p.remote;
        l->local[i] = local + p.local;
    }
    l->iov.src_ptr_array = put ? l->local : l->remote;
    l->iov.dst_ptr_array = put ? l->remote : l->local;
    l->iov.ptr_array_len = s->segments;
    l->iov.bytes = (int)s->nbytes;
}

enum { BLOCKING, HANDLE, IMPLICIT, AGGREGATE, FLAG, FORMS };

/** Returns 0, or what a call gave. */
static int put(const shape *s, int form, char *remote, char *local, int to)
{
    int rc = 0, *count = (int *)(uintptr_t)s->count, *there = (int *)(uintptr_t)s->remote_stride,
        *here = (int *)(uintptr_t)s->local_stride, *flag = flags[to] + me;
    char *r = remote + 64, *l = local + 32;
    armci_hdl_t handle, *hdl = form == IMPLICIT ? NULL : &handle;
    list v;
    ARMCI_INIT_HANDLE(&handle);
    if (form == AGGREGATE)
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
    if (s->levels == -2)
        make_list(&v, s, 1, remote, local);
    if (s->levels == -1 && form == BLOCKING)
        rc = ARMCI_Put(l, r, (armci_size_t)s->nbytes, to);
    else if (s->levels == -1 && form == FLAG)
        rc = ARMCI_Put_flag(l, r, (armci_size_t)s->nbytes, flag, 1, to);
    else if (s->levels == -1)
        rc = ARMCI_NbPut(l, r, (armci_size_t)s->nbytes, to, hdl);
    else if (s->levels == -2 && (form == BLOCKING || form == FLAG))
        rc = ARMCI_PutV(&v.iov, 1, to);
    else if (s->levels == -2)
        rc = ARMCI_NbPutV(&v.iov, 1, to, hdl);
    else if (form == BLOCKING)
        rc = ARMCI_PutS(l, here, r, there, count, s->levels, to);
    else if (form == FLAG)
        rc = ARMCI_PutS_flag(l, here, r, there, count, s->levels, flag, 1, to);
    else
        rc = ARMCI_NbPutS(l, here, r, there, count, s->levels, to, hdl);
    if (form == HANDLE || form == AGGREGATE)
        rc |= ARMCI_Wait(&handle);
    else if (form == IMPLICIT)
        rc |= ARMCI_WaitProc(to);
    if (form == FLAG && s->levels == -2) {
        ARMCI_Fence(to);
        rc |= ARMCI_PutValueInt(1, flag, to);
    }
    return rc;
}

static int get(const shape *s, int form, char *local, char *remote, int from)
{
    int rc = 0, *count = (int *)(uintptr_t)s->count, *there = (int *)(uintptr_t)s->remote_stride,
        *here = (int *)(uintptr_t)s->local_stride;
    char *r = remote + 64, *l = local + 32;
    armci_hdl_t handle, *hdl = form == IMPLICIT ? NULL : &handle;
    list v;
    ARMCI_INIT_HANDLE(&handle);
    if (form == AGGREGATE)
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
    if (s->levels == -2)
        make_list(&v, s, 0, remote, local);
    if (form == BLOCKING || form == FLAG)
        rc = s->levels == -1   ? ARMCI_Get(r, l, (armci_size_t)s->nbytes, from)
             : s->levels == -2 ? ARMCI_GetV(&v.iov, 1, from)
                               : ARMCI_GetS(r, there, l, here, count, s->levels, from);
    else
        rc = s->levels == -1   ? ARMCI_NbGet(r, l, (armci_size_t)s->nbytes, from, hdl)
             : s->levels == -2 ? ARMCI_NbGetV(&v.iov, 1, from, hdl)
                               : ARMCI_NbGetS(r, there, l, here, count, s->levels, from, hdl);
    if (form == HANDLE || form == AGGREGATE)
        rc |= ARMCI_Wait(&handle);
    else if (form == IMPLICIT)
        rc |= ARMCI_WaitAll();
    return rc;
}

// ---------------------------------------------------------------- transfers
/** Of which every byte is as in `want`. */
static void look(const char *what, int shape, int form, int where, const void *p)
{
    size_t i = 0;
    read_here(where, seen, p, ROOM);
    while (i < ROOM && seen[i] == want[i])
        i++;
    CHECK(i == ROOM, "%s, shape %d, form %d, device %d: wrong at %zu", what, shape, form, where, i);
}

/** From local to remote offsets of a shape, or back. */
static void expect(const shape *s, int put, int seed)
{
    memset(want, OTHERS, ROOM);
    for (int i = 0, most = pieces_of(s); i < most; i++) {
        const piece p = piece_of(s, i);
        for (size_t k = 0; k < p.nbytes; k++)
            want[(put ? p.remote : p.local) + k] = (char)pattern(p.local + k, seed);
    }
}

static void clear(int where, void *p)
{
    memset(host, OTHERS, ROOM);
    write_here(where, p, host, ROOM);
}

/** local: on a device, or the host's. */
static void transfer(int number, int form, void **blocks, int block_device, int local_device,
                     int to, int from)
{
    const shape *s = &shapes[number];
    char *local = local_device < 0 ? host : near;
    flags[me][from] = 0;
    clear(block_device, blocks[me]);
    fill_pattern(host, ROOM, me * 100 + number);
    if (local != host)
        write_here(local_device, local, host, ROOM);
    ARMCI_Barrier();
    CHECK(put(s, form, blocks[to], local, to) == 0);
    if (form != FLAG || owners_copy)
        ARMCI_Barrier();
    while (__atomic_load_n(&flags[me][from], __ATOMIC_ACQUIRE) != (form == FLAG))
        sched_yield();
    expect(s, 1, from * 100 + number);
    look("put", number, form, block_device, blocks[me]);
    clear(local_device, local);
    CHECK(get(s, form, local, blocks[to], to) == 0);
    expect(s, 0, me * 100 + number);
    look("get", number, form, local_device, local);
    ARMCI_Barrier();
}

static void transfers(int to, int from)
{
    for (int number = 0; number < SHAPES; number++)
        for (int form = 0; form < FORMS; form++) {
            transfer(number, form, on_device, device, -1, to, from);
            if ((number + form) % 2)
                transfer(number, form, on_device, device, 0, to, from);
            else
                transfer(number, form, plain, -1, 0, to, from);
        }
    transfer(4, BLOCKING, plain, -1, -1, to, from);
}

// ---------------------------------------------------------------- values and order
static void values(void **blocks, int where, int to, int from)
{
    char *there = blocks[to];
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    clear(where, blocks[me]);
    ARMCI_Barrier();
    CHECK(ARMCI_PutValueInt(me + 1, there, to) == 0);
    CHECK(ARMCI_PutValueLong(me + 2L, there + 8, to) == 0);
    CHECK(ARMCI_PutValueFloat((float)me + 3, there + 16, to) == 0);
    CHECK(ARMCI_PutValueDouble(me + 4., there + 24, to) == 0);
    CHECK(ARMCI_NbPutValueInt(me + 5, there + 32, to, &handle) == 0);
    CHECK(ARMCI_NbPutValueDouble(me + 6., there + 40, to, &handle) == 0);
    ARMCI_Wait(&handle);
    CHECK(ARMCI_GetValueInt(there, to) == me + 1 && ARMCI_GetValueLong(there + 8, to) == me + 2);
    CHECK(ARMCI_GetValueFloat(there + 16, to) == (float)me + 3 &&
          ARMCI_GetValueDouble(there + 24, to) == me + 4.);
    // Operations on one location, in their order.
    long first = 5, second = 6, one = 1, got[3] = {0}, old = 0;
    CHECK(ARMCI_Put(&first, there + 64, 8, to) == 0 && ARMCI_Put(&second, there + 64, 8, to) == 0);
    CHECK(ARMCI_NbGet(there + 64, &got[0], 8, to, NULL) == 0);
    CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &one, &second, there + 64, 8, to) == 0);
    CHECK(ARMCI_Get(there + 64, &got[1], 8, to) == 0);
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there + 64, 100, to) == 0);
    CHECK(ARMCI_NbPut(&first, there + 72, 8, to, NULL) == 0);
    CHECK(ARMCI_Get(there + 64, &got[2], 8, to) == 0);
    ARMCI_WaitAll();
    CHECK(got[0] == 6 && got[1] == 12 && old == 12 && got[2] == 112, "%ld %ld %ld %ld", got[0],
          got[1], old, got[2]);
    ARMCI_Barrier();
    memset(want, OTHERS, ROOM);
    int at0 = from + 1, at32 = from + 5;
    long at8 = from + 2, at64 = 112, at72 = 5;
    float at16 = (float)from + 3;
    double at24 = from + 4., at40 = from + 6.;
    memcpy(want, &at0, 4), memcpy(want + 8, &at8, 8), memcpy(want + 16, &at16, 4);
    memcpy(want + 24, &at24, 8), memcpy(want + 32, &at32, 4), memcpy(want + 40, &at40, 8);
    memcpy(want + 64, &at64, 8), memcpy(want + 72, &at72, 8);
    look("values", 0, 0, where, blocks[me]);
    ARMCI_Barrier();
}

/** Data on a device, then a notification. */
static void notified(int to, int from)
{
    int times = 0;
    for (int i = 0; i < 10; i++) {
        fill_pattern(host, 5000, me * 10 + i);
        CHECK(ARMCI_Put(host, on_device[to], 5000, to) == 0);
        armci_notify(to);
        armci_notify_wait(from, &times);
        read_here(device, seen, on_device[me], 5000);
        size_t wrong = first_wrong(seen, 5000, from * 10 + i);
        CHECK(wrong == 5000 && times > i, "notification %d: wrong at %zu", i, wrong);
        ARMCI_Barrier();
    }
}

// ---------------------------------------------------------------- accumulates and atomics
enum { NUMBERS = 6000 };

/** All processes add to process 0's block, contiguous, in rows, and by lists. */
static void sums(void **blocks, int where, int local_device)
{
    double *numbers = (double *)(void *)host, scale = 2;
    char *local = local_device < 0 ? host : near, *there = blocks[0];
    int count[2] = {80, 20}, local_stride = 80, stride = 160;
    list v;
    const shape lists = {.levels = -2, .nbytes = 16, .segments = 40};
    memset(host, 0, ROOM);
    write_here(where, blocks[me], host, ROOM);
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = i % 100 + me;
    if (local != host)
        write_here(local_device, local, host, ROOM);
    ARMCI_Barrier();
    make_list(&v, &lists, 1, there + 200000, local);
    for (int i = 0; i < 3; i++) {
        CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, there, NUMBERS * 8, 0) == 0);
        CHECK(ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, local, there, NUMBERS * 8, 0, NULL) == 0);
        CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, &local_stride, there + 100000, &stride,
                         count, 1, 0) == 0);
        CHECK(ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, local, &local_stride, there + 100000, &stride,
                           count, 1, 0, NULL) == 0);
        CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &scale, &v.iov, 1, 0) == 0);
        CHECK(ARMCI_NbAccV(ARMCI_ACC_DBL, &scale, &v.iov, 1, 0, NULL) == 0);
    }
    ARMCI_Barrier();
    if (me == 0) {
        double *sum = (double *)(void *)want;
        memset(want, 0, ROOM);
        for (int pe = 0; pe < n; pe++) {
            for (int i = 0; i < NUMBERS; i++)
                sum[i] += 12. * (i % 100 + pe);
            for (int i = 0; i < 200; i++)
                sum[12500 + i / 10 * 20 + i % 10] += 12. * (i % 100 + pe);
            for (int i = 0; i < 40; i++)
                for (size_t k = 0; k < 16; k += 8) {
                    const piece p = piece_of(&lists, i);
                    const double value = (double)((p.local + k) / 8 % 100) + pe;
                    sum[(200000 + p.remote + k) / 8] += 12. * value;
                }
        }
        look("sums", 0, 0, where, blocks[0]);
    }
    ARMCI_Barrier();
}

/** One number of each type. */
static void types(void **blocks, int where)
{
    int i = 3, two = 2;
    long l = 4, three = 3;
    float f[2] = {1, 2}, g[2] = {0, 1};
    double d[2] = {3, 4}, e[2] = {0, 1};
    char *there = blocks[0];
    memset(host, 0, ROOM);
    write_here(where, blocks[me], host, ROOM);
    ARMCI_Barrier();
    ARMCI_Acc(ARMCI_ACC_INT, &two, &i, there, 4, 0);
    ARMCI_Acc(ARMCI_ACC_LNG, &three, &l, there + 8, 8, 0);
    ARMCI_Acc(ARMCI_ACC_FLT, f, f + 1, there + 16, 4, 0);
    ARMCI_Acc(ARMCI_ACC_DBL, d, d + 1, there + 24, 8, 0);
    ARMCI_Acc(ARMCI_ACC_CPL, g, f, there + 32, 8, 0);
    ARMCI_Acc(ARMCI_ACC_DCP, e, d, there + 48, 16, 0);
    ARMCI_Barrier();
    if (me == 0) {
        memset(want, 0, ROOM);
        i = 6 * n, l = 12L * n, f[0] = 2.F * (float)n, d[0] = 12. * n;
        memcpy(want, &i, 4), memcpy(want + 8, &l, 8), memcpy(want + 16, f, 4);
        memcpy(want + 24, d, 8);
        f[0] = -2.F * (float)n, f[1] = (float)n, d[0] = -4. * n, d[1] = 3. * n;
        memcpy(want + 32, f, 8), memcpy(want + 48, d, 16);
        look("types", 0, 0, where, blocks[0]);
    }
    ARMCI_Barrier();
}

static void atomics(void **blocks, int where)
{
    char *there = blocks[0];
    long wide, all[2] = {0, 0}, swapped = 0;
    int narrow;
    memset(host, 0, ROOM);
    write_here(where, blocks[me], host, ROOM);
    ARMCI_Barrier();
    for (int i = 0; i < 20; i++) {
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &narrow, there + 4, 2, 0) == 0 && narrow >= 2 * i);
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &wide, there + 8, 3, 0) == 0 && wide >= 3 * i);
        wide = me + 1;
        CHECK(ARMCI_Rmw(ARMCI_SWAP_LONG, &wide, there + 16, 0, 0) == 0);
        swapped += me + 1 - wide;  // what it put there less what it took
        narrow = 1;
        CHECK(ARMCI_Rmw(ARMCI_SWAP, &narrow, there + 24, 0, 0) == 0 && narrow <= 1);
    }
    if (me == 0) {
        write_here(0, near, &(long){5}, 8);
        CHECK(ARMCI_Rmw(ARMCI_SWAP_LONG, near, there + 32, 0, 0) == 0);
        read_here(0, &wide, near, 8);
        CHECK(wide == 0);
    }
    ARMCI_Barrier();
    armci_msg_lgop(&swapped, 1, "+");
    if (me == 0) {
        read_here(where, all, (char *)blocks[0] + 16, 8);
        CHECK(all[0] == swapped, "%ld is left of %ld", all[0], swapped);
        memset(want, 0, ROOM);
        narrow = 40 * n, wide = 60L * n;
        memcpy(want + 4, &narrow, 4), memcpy(want + 8, &wide, 8), memcpy(want + 16, all, 8);
        want[24] = 1, want[32] = 5;
        look("atomics", 0, 0, where, blocks[0]);
    }
    ARMCI_Barrier();
}

// ---------------------------------------------------------------- the rest
/** Blocks of a group, of which its first member has none. */
static void groups(void)
{
    ARMCI_Group group;
    int list[64], members = 0, rank = 0;
    void *blocks[64];
    char text[24];
    for (int pe = n - 1; pe >= 0; pe -= 2)
        list[members++] = pe;
    ARMCI_Group_create(members, list, &group);
    while (rank < members && list[rank] != me)
        rank++;
    for (int round = 0; round < 2 && rank < members; round++) {
        const int mine = rank ? device_of(me) : -1, to = rank + 1 < members ? rank + 1 : 1;
        CHECK(ARMCI_Malloc_group_memdev(blocks, rank ? 1000 + rank : 0, &group,
                                        name_of(device_of(me), text)) == 0);
        CHECK(blocks[0] == NULL);
        if (members > 1) {
            CHECK(ARMCI_PutValueInt(me, (char *)blocks[to] + 4 * (size_t)rank, list[to]) == 0);
            ARMCI_Fence(list[to]);
            armci_msg_group_barrier(&group);
            for (int from = 0; from < members; from++) {
                int value = -1;
                if (rank == 0 || (from + 1 < members ? from + 1 : 1) != rank)
                    continue;
                read_here(mine, &value, (char *)blocks[rank] + 4 * (size_t)from, 4);
                CHECK(value == list[from], "%d from %d", value, list[from]);
            }
        }
        CHECK(ARMCI_Free_group(blocks[rank], &group) == 0);
    }
    ARMCI_Group_free(&group);
    ARMCI_Barrier();
}

static void copies(void)
{
    int count[2] = {10, 6}, stride = 25;
    fill_pattern(host, 1000, me);
    ARMCI_Copy(host, near, 1000);
    memset(host, 0, 1000);
    ARMCI_Copy(near, host, 1000);
    CHECK(first_wrong(host, 1000, me) == 1000);
    armci_write_strided(near, 1, &stride, count, seen);
    for (int i = 0; i < 60; i++)
        CHECK(seen[i] == host[i / 10 * 25 + i % 10]);
    memset(seen, 7, 60);
    armci_read_strided(near, 1, &stride, count, seen);
    read_here(0, host, near, 1000);
    for (int i = 0; i < 150; i++)
        CHECK(host[i] == (i % 25 < 10 ? 7 : (char)pattern((size_t)i, me)), "%d", i);
}

int main(int argc, char **argv)
{
    char text[24];
    REQUIRE(ARMCI_Init_args(&argc, &argv) == 0);
    me = armci_msg_me();
    n = armci_msg_nproc();
    check_as("process", me, n);
    load_driver();
    REQUIRE(CUDA(cuDeviceGetCount, &devices) == 0);
    host = malloc(ROOM);
    seen = malloc(ROOM);
    want = malloc(ROOM);
    near = device_alloc(0, ROOM);
    device = device_of(me);
    owners_copy = getenv("FAKE_CUDA_IPC") != NULL;
    REQUIRE(ARMCI_Malloc(plain, ROOM) == 0 && ARMCI_Malloc((void **)flags, 4 * (n + 1)) == 0);
    const int to = (me + 1) % n, from = (me + n - 1) % n;
    for (int round = 0; round < 2; round++) {
        REQUIRE(ARMCI_Malloc_memdev(on_device, ROOM, name_of(device, text)) == 0);
        transfers(to, from);
        if (round == 0) {
            transfers(me, me);
            values(plain, -1, to, from);
            sums(plain, -1, 0);
            sums(on_device, device, -1);
        }
        values(on_device, device, to, from);
        notified(to, from);
        sums(on_device, device, 0);
        types(on_device, device);
        atomics(on_device, device);
        groups();
        CHECK(ARMCI_Free_memdev(on_device[me]) == 0);
    }
    copies();
    device_free(0, near);
    REQUIRE(ARMCI_Malloc_memdev(on_device, 100, "cuda") == 0);  // is left to ARMCI_Finalize
    ARMCI_Free(plain[me]);
    ARMCI_Free(flags[me]);
    printf("%d failed\n", checks_failed);
    ARMCI_Finalize();
    return check_result();
}
