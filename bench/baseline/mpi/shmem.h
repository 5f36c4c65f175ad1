// SPDX-License-Identifier: BSD-3-Clause
/*
 * The calls of OpenSHMEM that the bench's programs make, written with the one-sided communication
 * of MPI-3, so that an MPI is measured by the same programs. One window is the symmetric heap;
 * static variables are not symmetric. Where the two interfaces differ, the MPI has the cheaper
 * part: puts do not wait until their source may be written again (no program writes it before its
 * quiet), and single words are MPI_Put, not an atomic replacement. What a call needs to be complete
 * it completes by the narrowest flush. One thread; errors end the job (MPI_ERRORS_ARE_FATAL).
 */
#ifndef BENCH_MPI_SHMEM_H
#define BENCH_MPI_SHMEM_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 5

enum { SHMEM_SYNC_VALUE, SHMEM_CMP_EQ, SHMEM_CMP_GE };
enum {
    SHMEM_REDUCE_SYNC_SIZE = 1,
    SHMEM_COLLECT_SYNC_SIZE = 1,
    SHMEM_ALLTOALL_SYNC_SIZE = 1,
    SHMEM_BCAST_SYNC_SIZE = 1,
    SHMEM_REDUCE_MIN_WRKDATA_SIZE = 1
};
enum { BENCH_MPI_RANKS = 64 };  // of a collect, at most

static struct {
    MPI_Win heap;
    char *base;
    size_t used, nbytes;
    int rank, nranks;
    int sent;             // operations of the heap since the last flush of all?
    long words[1 << 12];  // sources of single words, in turn
    unsigned nwords;
} bench_mpi;

// ---------------------------------------------------------------- the job and its memory
static inline void shmem_init(void)
{
    void *base = NULL;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench_mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench_mpi.nranks);
    bench_mpi.nbytes = (size_t)(bench_mpi.nranks + 20) * 2 << 20;
    MPI_Win_allocate((MPI_Aint)bench_mpi.nbytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &bench_mpi.heap);
    bench_mpi.base = base;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, bench_mpi.heap);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline int shmem_my_pe(void)
{
    return bench_mpi.rank;
}

static inline int shmem_n_pes(void)
{
    return bench_mpi.nranks;
}

static inline void shmem_global_exit(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

static inline void *shmem_align(size_t alignment, size_t nbytes)
{
    uintptr_t start = (uintptr_t)bench_mpi.base;
    uintptr_t at = (start + bench_mpi.used + alignment - 1) / alignment * alignment;
    if (at - start + nbytes > bench_mpi.nbytes)
        return NULL;
    bench_mpi.used = at - start + nbytes;
    return (void *)at;
}

static inline MPI_Aint bench_mpi_offset(const void *p)
{
    return (MPI_Aint)((const char *)p - bench_mpi.base);
}

// ---------------------------------------------------------------- order
static inline void shmem_quiet(void)
{
    MPI_Win_flush_all(bench_mpi.heap);
    bench_mpi.sent = 0;
}

static inline void shmem_barrier_all(void)
{
    shmem_quiet();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(bench_mpi.heap);
}

static inline void shmem_sync_all(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline void shmem_finalize(void)
{
    shmem_barrier_all();
    MPI_Win_unlock_all(bench_mpi.heap);
    MPI_Win_free(&bench_mpi.heap);
    MPI_Finalize();
}

/** One look at a flag, and one at the library, which delivers only within calls. */
static inline int shmem_long_test(long *flag, int cmp, long value)
{
    int found;
    if (bench_mpi.sent) {
        MPI_Win_flush_local_all(bench_mpi.heap);
        bench_mpi.sent = 0;
    }
    MPI_Win_sync(bench_mpi.heap);
    long seen = *(volatile long *)flag;
    if (cmp == SHMEM_CMP_GE ? seen >= value : seen == value)
        return 1;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    return 0;
}

static inline void shmem_long_wait_until(long *flag, int cmp, long value)
{
    while (!shmem_long_test(flag, cmp, value))
        ;
}

// ---------------------------------------------------------------- transfers
static inline void shmem_putmem_nbi(void *dst, const void *src, size_t nbytes, int pe)
{
    bench_mpi.sent = 1;
    MPI_Put(src, (int)nbytes, MPI_BYTE, pe, bench_mpi_offset(dst), (int)nbytes, MPI_BYTE,
            bench_mpi.heap);
}

static inline void shmem_putmem(void *dst, const void *src, size_t nbytes, int pe)
{
    shmem_putmem_nbi(dst, src, nbytes, pe);
}

/** The source of a word that is given by value: free again when as many others have followed. */
static inline long *bench_mpi_word(long value)
{
    unsigned n = sizeof bench_mpi.words / sizeof bench_mpi.words[0];
    if (++bench_mpi.nwords % n == 0)
        MPI_Win_flush_local_all(bench_mpi.heap);
    long *word = &bench_mpi.words[bench_mpi.nwords % n];
    *word = value;
    return word;
}

static inline void shmem_long_p(long *dst, long value, int pe)
{
    shmem_putmem_nbi(dst, bench_mpi_word(value), sizeof value, pe);
}

static inline void shmem_getmem_nbi(void *dst, const void *src, size_t nbytes, int pe)
{
    MPI_Get(dst, (int)nbytes, MPI_BYTE, pe, bench_mpi_offset(src), (int)nbytes, MPI_BYTE,
            bench_mpi.heap);
}

static inline void shmem_getmem(void *dst, const void *src, size_t nbytes, int pe)
{
    shmem_getmem_nbi(dst, src, nbytes, pe);
    MPI_Win_flush_local(pe, bench_mpi.heap);
}

static inline long shmem_long_g(const long *src, int pe)
{
    long value;
    shmem_getmem(&value, src, sizeof value, pe);
    return value;
}

// ---------------------------------------------------------------- atomic operations
static inline void bench_mpi_fetch(long *old, const long *value, long *dst, MPI_Op op, int pe)
{
    MPI_Fetch_and_op(value, old, MPI_LONG, pe, bench_mpi_offset(dst), op, bench_mpi.heap);
}

static inline long bench_mpi_fetch_now(long value, long *dst, MPI_Op op, int pe)
{
    long old;
    bench_mpi_fetch(&old, &value, dst, op, pe);
    MPI_Win_flush_local(pe, bench_mpi.heap);
    return old;
}

static inline long shmem_long_atomic_fetch_add(long *dst, long value, int pe)
{
    return bench_mpi_fetch_now(value, dst, MPI_SUM, pe);
}

static inline long shmem_long_atomic_swap(long *dst, long value, int pe)
{
    return bench_mpi_fetch_now(value, dst, MPI_REPLACE, pe);
}

static inline long shmem_long_atomic_compare_swap(long *dst, long expected, long value, int pe)
{
    long old;
    MPI_Compare_and_swap(&value, &expected, &old, MPI_LONG, pe, bench_mpi_offset(dst),
                         bench_mpi.heap);
    MPI_Win_flush_local(pe, bench_mpi.heap);
    return old;
}

static inline void shmem_ulong_atomic_fetch_add_nbi(unsigned long *old, unsigned long *dst,
                                                    unsigned long value, int pe)
{
    bench_mpi_fetch((long *)old, bench_mpi_word((long)value), (long *)dst, MPI_SUM, pe);
}

static inline void shmem_long_atomic_add(long *dst, long value, int pe)
{
    MPI_Accumulate(bench_mpi_word(value), 1, MPI_LONG, pe, bench_mpi_offset(dst), 1, MPI_LONG,
                   MPI_SUM, bench_mpi.heap);
}

static inline void shmem_ulong_atomic_add(unsigned long *dst, unsigned long value, int pe)
{
    shmem_long_atomic_add((long *)dst, (long)value, pe);
}

// ---------------------------------------------------------------- collectives, over all
static inline void shmem_long_sum_to_all(long *dst, const long *src, int n, int start, int stride,
                                         int size, long *work, long *sync)
{
    (void)start, (void)stride, (void)size, (void)work, (void)sync;
    MPI_Allreduce(src, dst, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static inline void shmem_broadcast64(void *dst, const void *src, size_t n, int root, int start,
                                     int stride, int size, long *sync)
{
    (void)start, (void)stride, (void)size, (void)sync;
    MPI_Bcast(bench_mpi.rank == root ? (void *)(uintptr_t)src : dst, (int)n, MPI_INT64_T, root,
              MPI_COMM_WORLD);
}

static inline void shmem_fcollect64(void *dst, const void *src, size_t n, int start, int stride,
                                    int size, long *sync)
{
    (void)start, (void)stride, (void)size, (void)sync;
    MPI_Allgather(src, (int)n, MPI_INT64_T, dst, (int)n, MPI_INT64_T, MPI_COMM_WORLD);
}

/** The MPI is given the sizes: they are exchanged when this rank's is another than in the call
 *  before, so all change theirs together. */
static inline void shmem_collect64(void *dst, const void *src, size_t n, int start, int stride,
                                   int size, long *sync)
{
    static int counts[BENCH_MPI_RANKS], places[BENCH_MPI_RANKS];
    static size_t known = (size_t)-1;
    (void)start, (void)stride, (void)sync;
    if (n != known) {
        known = n;
        int mine = (int)n;
        MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
        for (int rank = 1; rank < size; rank++)
            places[rank] = places[rank - 1] + counts[rank - 1];
    }
    MPI_Allgatherv(src, (int)n, MPI_INT64_T, dst, counts, places, MPI_INT64_T, MPI_COMM_WORLD);
}

static inline void shmem_alltoall64(void *dst, const void *src, size_t n, int start, int stride,
                                    int size, long *sync)
{
    (void)start, (void)stride, (void)size, (void)sync;
    MPI_Alltoall(src, (int)n, MPI_INT64_T, dst, (int)n, MPI_INT64_T, MPI_COMM_WORLD);
}

#endif
