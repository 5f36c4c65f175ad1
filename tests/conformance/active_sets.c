// SPDX-License-Identifier: BSD-3-Clause
//
// The deprecated collectives over active sets: every set of the world that start, stride and size
// can name, while the other PEs continue; one pSync for consecutive barriers, its values restored
// by all other collectives.
#include "check.h"

#define N 300

static long sync_[SHMEM_SYNC_SIZE], barrier_sync[SHMEM_BARRIER_SYNC_SIZE];
static unsigned char dest[N * 8 * 16 * 3], source[N * 8 * 16 * 3];
static int start, log_stride, size, rank;  // the set, and this PE's rank in it
static int turn;

static unsigned char byte_of(int r, size_t i)
{
    return (unsigned char)(r * 67 + i * 13 + (size_t)turn * 5);
}

static int member(int r)
{
    return start + r * (1 << log_stride);
}

static void meet(void)
{
    shmem_barrier(start, log_stride, size, barrier_sync);
}

static void fill(void)
{
    turn++;
    for (size_t i = 0; i < sizeof(source); i++)
        source[i] = byte_of(rank, i);
    memset(dest, 0xEE, sizeof(dest));
    shmem_sync(start, log_stride, size, barrier_sync);
}

static void part(const char *call, size_t at, int r, size_t from, size_t nbytes)
{
    size_t i = 0;
    while (i < nbytes && dest[at + i] == byte_of(r, from + i))
        i++;
    CHECK(i == nbytes, "%s(start %d, log stride %d, size %d): byte %zu of %zu from member %d", call,
          start, log_stride, size, i, nbytes, r);
}

static void restored(const char *call)
{
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        CHECK(sync_[i] == SHMEM_SYNC_VALUE, "%s left pSync[%d] at %ld", call, i, sync_[i]);
    meet();
}

#define SET start, log_stride, size, sync_

#define WIDTH(B)                                                                                  \
    for (int root = 0; root < size; root++) {                                                     \
        fill();                                                                                   \
        shmem_broadcast##B(dest, source, N, root, SET);                                           \
        if (rank != root)                                                                         \
            part("shmem_broadcast" #B, 0, root, 0, N * B / 8);                                    \
        else                                                                                      \
            CHECK(dest[0] == 0xEE && dest[N * B / 8 - 1] == 0xEE,                                 \
                  "shmem_broadcast" #B " wrote the root's dest");                                 \
        restored("shmem_broadcast" #B);                                                           \
    }                                                                                             \
    fill();                                                                                       \
    shmem_fcollect##B(dest, source, N, SET);                                                      \
    for (int r = 0; r < size; r++)                                                                \
        part("shmem_fcollect" #B, (size_t)r * N * B / 8, r, 0, N * B / 8);                        \
    restored("shmem_fcollect" #B);                                                                \
    fill();                                                                                       \
    shmem_collect##B(dest, source, (size_t)rank * 3, SET);                                        \
    for (int r = 0, at = 0; r < size; at += r * 3, r++)                                           \
        part("shmem_collect" #B, (size_t)at * B / 8, r, 0, (size_t)r * 3 * B / 8);                \
    restored("shmem_collect" #B);                                                                 \
    fill();                                                                                       \
    shmem_alltoall##B(dest, source, 9, SET);                                                      \
    for (int r = 0; r < size; r++)                                                                \
        part("shmem_alltoall" #B, (size_t)r * 9 * B / 8, r, (size_t)rank * 9 * B / 8, 9 * B / 8); \
    restored("shmem_alltoall" #B);                                                                \
    fill();                                                                                       \
    shmem_alltoalls##B(dest, source, 2, 3, 4, SET);                                               \
    for (int r = 0; r < size; r++)                                                                \
        for (int i = 0; i < 4; i++)                                                               \
            part("shmem_alltoalls" #B, (size_t)(r * 4 + i) * 2 * B / 8, r,                        \
                 (size_t)(rank * 4 + i) * 3 * B / 8, B / 8);                                      \
    restored("shmem_alltoalls" #B);

static void moves(void)
{
    WIDTH(32)
    WIDTH(64)
}

/** Puts of all members have arrived after the barrier. */
static void barriers(void)
{
    static int from[64];
    for (int lap = 1; lap <= 20; lap++) {
        shmem_int_p(&from[rank % 64], lap * 100 + rank, member((rank + 1) % size));
        meet();
        int r = (rank + size - 1) % size;
        CHECK(from[r % 64] == lap * 100 + r, "shmem_barrier: member %d's put is %d", r,
              from[r % 64]);
        meet();
    }
}

/** Of this PE alone, whose last member is its first, so any stride leads to PEs that exist. */
static void alone(void)
{
    static int in, out, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    for (int log = 0; log < 70; log++) {
        in = me + log;
        out = -1;
        shmem_barrier(me, log, 1, barrier_sync);
        shmem_sync(me, log, 1, barrier_sync);
        shmem_int_max_to_all(&out, &in, 1, me, log, 1, work, sync_);
        CHECK(out == in, "a maximum of %d with 2^%d as stride", out, log);
        out = -1;
        shmem_fcollect32(&out, &in, 1, me, log, 1, sync_);
        CHECK(out == in, "fcollect with 2^%d as stride: %d", log, out);
    }
}

int main(void)
{
    check_begin();
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_[i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        barrier_sync[i] = SHMEM_SYNC_VALUE;
    alone();
    shmem_barrier_all();
    for (start = 0; start < npes; start++)
        for (log_stride = 0; log_stride < 3; log_stride++)
            for (size = 1; start + (size - 1) * (1 << log_stride) < npes; size++) {
                int away = me - start, stride = 1 << log_stride;
                rank = away / stride;
                turn = 0;  // the same on all members, whatever sets they were in before
                if (away >= 0 && away % stride == 0 && rank < size) {
                    moves();
                    barriers();
                }
                shmem_barrier_all();  // the next set uses the same pSync
            }
    return check_end();
}
