/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ARMCI, the one-sided communication interface of Global Arrays, over Causeway. See armci(7).
 *
 * Remote memory is what ARMCI_Malloc returned for its owner. Sizes in bytes are signed integers of
 * pointer size. Calls that return int give 0, or another value where the text of the call says so;
 * wrong use ends the job with a message that names call, process and argument.
 *
 * Operations of one process on one location of another process take effect in the order of the
 * calls. Blocking operations return when the local memory may be used again, a get when the data is
 * there. What others may see of a put or an accumulate is complete after ARMCI_Fence,
 * ARMCI_AllFence or ARMCI_Barrier.
 *
 * ARMCI_INT_SIZES is for sources of tools that define calls with `int bytes` themselves, as other
 * ARMCIs have them, and pass them on to PARMCI_ names: calls whose sizes are wider here are not
 * declared then.
 *
 * Layouts of ARMCI_Group and armci_hdl_t are this library's: compile programs with this header.
 * Threads: as ARMCI_Init_thread was asked for, or as MPI was; else one thread at a time. */
#ifndef ARMCI_H
#define ARMCI_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Sources of Global Arrays want MPI's types from this header: where the include path has an MPI. */
#if !defined MPI_VERSION && !defined ARMCI_WITHOUT_MPI && !defined __cplusplus && \
    defined __has_include
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes. */
typedef intptr_t armci_size_t;

/* ---------------------------------------------------------------- start and end */
/** Joins the job. Collective. After MPI_Init in a program that uses MPI, whose thread level it then
 *  takes. Counted: each needs its ARMCI_Finalize. Returns 0, or another value when the job cannot
 *  be joined (reported). */
int ARMCI_Init(void);
/** The same; the arguments stay as they are. */
int ARMCI_Init_args(int *argc, char ***argv);
/** The same, with a level of threads: 0 single, 1 funneled, 2 serialized, 3 multiple (the order of
 *  MPI's constants; those of MPI are understood too). */
int ARMCI_Init_thread(int level);
/** Between the first ARMCI_Init and the last ARMCI_Finalize: 1, else 0. */
int ARMCI_Initialized(void);
/** Completes all operations of all processes, then leaves the job. Collective. */
int ARMCI_Finalize(void);
/** Ends what the library holds outside of processes, which is nothing. At any time. */
void ARMCI_Cleanup(void);
/** Prints text and code, and ends the job with that status (1 if it is 0). */
void ARMCI_Error(const char *text, int code);

/* ---------------------------------------------------------------- memory */
/** Collective. ptr_arr [processes]: the addresses of all processes' blocks; NULL where one asked
 *  for 0 bytes. Each process may ask for another size. A block of a process of this node can be
 *  loaded from and stored to by its address (ARMCI_Uses_shm). 0; else there is not enough memory:
 *  the same on all processes, and none has a block. */
int ARMCI_Malloc(void *ptr_arr[], armci_size_t bytes);
/** Collective. ptr: this process's own block, or NULL. */
int ARMCI_Free(void *ptr);
/** Memory of this process alone; NULL: there is none left. Any local memory may be a source or a
 *  destination of a transfer: this one is no faster. */
void *ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void *ptr);
/** device: ignored; there is one kind of memory. */
int ARMCI_Malloc_memdev(void *ptr_arr[], armci_size_t bytes, const char *device);
int ARMCI_Free_memdev(void *ptr);

/** Not collective: memory that this process allocates, and describes to others by value. */
typedef struct armci_meminfo_ds {
    char *armci_addr; /* for ARMCI operations, with process cpid */
    char *addr;       /* in process cpid */
    size_t size;      /* bytes */
    int cpid;         /* the process that allocated it */
    long idlist[8];   /* not used */
} armci_meminfo_t;
void ARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
/** The block's address, + offset, for operations with process cpid; where ARMCI_Uses_shm gives 1
 *  and cpid is of this node, for loads and stores, too. */
void *ARMCI_Memat(armci_meminfo_t *meminfo, long offset);
/** The address of ARMCI_Memat is not used any more. */
void ARMCI_Memdt(armci_meminfo_t *meminfo, long offset);
/** Frees the block, in the process that allocated it; nothing in others. */
void ARMCI_Memctl(armci_meminfo_t *meminfo);

/** Can blocks of processes of this node be loaded from and stored to? 1: they can. */
int ARMCI_Uses_shm(void);
/** No effect: memory is limited by the machine only. */
void ARMCI_Set_shm_limit(unsigned long bytes);

/* ---------------------------------------------------------------- contiguous */
#ifndef ARMCI_INT_SIZES
int ARMCI_Put(void *src, void *dst, armci_size_t bytes, int proc);
int ARMCI_Get(void *src, void *dst, armci_size_t bytes, int proc);
/** Copies within this process. */
void ARMCI_Copy(void *src, void *dst, armci_size_t bytes);
/** A put, and behind it *flag = value in the target. */
int ARMCI_Put_flag(void *src, void *dst, armci_size_t bytes, int *flag, int value, int proc);
#endif

int ARMCI_PutValueInt(int value, void *dst, int proc);
int ARMCI_PutValueLong(long value, void *dst, int proc);
int ARMCI_PutValueFloat(float value, void *dst, int proc);
int ARMCI_PutValueDouble(double value, void *dst, int proc);
int ARMCI_GetValueInt(void *src, int proc);
long ARMCI_GetValueLong(void *src, int proc);
float ARMCI_GetValueFloat(void *src, int proc);
double ARMCI_GetValueDouble(void *src, int proc);

/* ---------------------------------------------------------------- strided
 * A section of an array: count [levels + 1]: bytes of a row, then rows, planes and so on; stride
 * [levels]: bytes between rows, between planes and so on. levels: 0 .. ARMCI_MAX_STRIDE_LEVEL. */
#define ARMCI_MAX_STRIDE_LEVEL 8

int ARMCI_PutS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
               int proc);
int ARMCI_GetS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
               int proc);
/** A put, and behind it *flag = value in the target. */
int ARMCI_PutS_flag(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                    int *flag, int value, int proc);
int ARMCI_PutS_flag_dir(void *src, int *src_stride, void *dst, int *dst_stride, int *count,
                        int levels, int *flag, int value, int proc);
/** Copies a section of this process's memory into a dense buffer, and back. */
void armci_write_strided(void *ptr, int levels, int *stride, int *count, char *buf);
void armci_read_strided(void *ptr, int levels, int *stride, int *count, char *buf);

/* ---------------------------------------------------------------- vectors */
/** Segments of one size. The order of the members differs between ARMCIs: use their names. */
typedef struct armci_giov {
    void **src_ptr_array; /* [ptr_array_len] */
    void **dst_ptr_array; /* [ptr_array_len] */
    int ptr_array_len;
    int bytes; /* of each segment */
} armci_giov_t;

int ARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);

/* ---------------------------------------------------------------- accumulate
 * dst += scale * src, atomic for each element against all other accumulates. scale points to a
 * value of the type; complex types are two floats or doubles. */
#define ARMCI_ACC_OFF 36
#define ARMCI_ACC_INT (ARMCI_ACC_OFF + 1)
#define ARMCI_ACC_DBL (ARMCI_ACC_OFF + 2)
#define ARMCI_ACC_FLT (ARMCI_ACC_OFF + 3)
#define ARMCI_ACC_CPL (ARMCI_ACC_OFF + 4)
#define ARMCI_ACC_DCP (ARMCI_ACC_OFF + 5)
#define ARMCI_ACC_LNG (ARMCI_ACC_OFF + 6)

#ifndef ARMCI_INT_SIZES
int ARMCI_Acc(int type, void *scale, void *src, void *dst, armci_size_t bytes, int proc);
#endif
int ARMCI_AccS(int type, void *scale, void *src, int *src_stride, void *dst, int *dst_stride,
               int *count, int levels, int proc);
int ARMCI_AccV(int type, void *scale, armci_giov_t *iov, int iov_len, int proc);

/** Around loads and stores of this process to its own block: nothing is needed. */
void ARMCI_Access_begin(void *ptr);
void ARMCI_Access_end(void *ptr);

/* ---------------------------------------------------------------- read, modify, write */
#define ARMCI_SWAP 10
#define ARMCI_SWAP_LONG 11
#define ARMCI_FETCH_AND_ADD 12
#define ARMCI_FETCH_AND_ADD_LONG 13

/** *loc = *rem; *rem += value (fetch and add) or the old *loc (swap). loc and rem: int, or long
 *  where the name says so. Atomic. */
int ARMCI_Rmw(int op, void *loc, void *rem, int value, int proc);

/* ---------------------------------------------------------------- completion and order */
/** All that this process did to `proc` is complete there. */
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
/** ARMCI_AllFence, then a barrier of all processes. */
void ARMCI_Barrier(void);

/** Notifies a process that what was put to it before is there. Returns how often this one has. */
int armci_notify(int proc);
/** Waits for one more notification of that process than the last time. *pval: how many were waited
 *  for. Returns how many have come. */
int armci_notify_wait(int proc, int *pval);

/* ---------------------------------------------------------------- without waiting */
/** An operation under way, or several (an aggregate). Zero bytes are a valid handle, too. */
typedef struct armci_hdl {
    void *causeway_op;
    void *causeway_list;
    int causeway_proc, causeway_kind;
} armci_hdl_t;

/** Before the first use of a handle; it must not be in use. */
#define ARMCI_INIT_HANDLE(hdl)                                                         \
    ((hdl)->causeway_op = NULL, (hdl)->causeway_list = NULL, (hdl)->causeway_proc = 0, \
     (hdl)->causeway_kind = 0)
/** Operations of one kind to one process collect in the handle until it is waited for, or until a
 *  fence, a barrier, ARMCI_WaitAll or another operation of this thread with that process, which
 *  comes behind them. Accumulates are not collected. */
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl);

/* hdl NULL: completes with ARMCI_WaitProc or ARMCI_WaitAll */
#ifndef ARMCI_INT_SIZES
int ARMCI_NbPut(void *src, void *dst, armci_size_t bytes, int proc, armci_hdl_t *hdl);
int ARMCI_NbGet(void *src, void *dst, armci_size_t bytes, int proc, armci_hdl_t *hdl);
int ARMCI_NbAcc(int type, void *scale, void *src, void *dst, armci_size_t bytes, int proc,
                armci_hdl_t *hdl);
#endif
int ARMCI_NbPutS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                 int proc, armci_hdl_t *hdl);
int ARMCI_NbGetS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                 int proc, armci_hdl_t *hdl);
int ARMCI_NbAccS(int type, void *scale, void *src, int *src_stride, void *dst, int *dst_stride,
                 int *count, int levels, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int ARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int ARMCI_NbAccV(int type, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueInt(int value, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueLong(long value, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueFloat(float value, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueDouble(double value, void *dst, int proc, armci_hdl_t *hdl);

/** The local memory of the operation may be used again. */
int ARMCI_Wait(armci_hdl_t *hdl);
/** 0: it is complete; 1: not yet. Never waits. */
int ARMCI_Test(armci_hdl_t *hdl);
/** All operations to that process; to all. */
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* ---------------------------------------------------------------- mutexes */
/** Each process offers `count` mutexes, numbered from 0. Collective. One set at a time. */
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
/** Mutex number `mutex` of that process; processes get it in the order in which they asked. */
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

/* ---------------------------------------------------------------- groups */
typedef struct armci_group {
    const void *causeway_team;
    int causeway_id, causeway_size, causeway_rank;
} ARMCI_Group;

/** The processes of a list of ranks of the default group, in its order. Collective over the listed
 *  processes; another one gets, at once, a group without members. */
void ARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group);
/** The same, with ranks of the parent. */
void ARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group, ARMCI_Group *parent);
/** Collective over the group. */
void ARMCI_Group_free(ARMCI_Group *group);
/** 0, or another value: this process is no member, and *rank is -1. */
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
void ARMCI_Group_size(ARMCI_Group *group, int *size);
void ARMCI_Group_set_default(ARMCI_Group *group);
void ARMCI_Group_get_default(ARMCI_Group *group);
void ARMCI_Group_get_world(ARMCI_Group *group);
/** The number among all processes of a rank of the group. */
int ARMCI_Absolute_id(ARMCI_Group *group, int rank);
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
/** As ARMCI_Malloc, over a group; ptr_arr [members], by rank. */
int ARMCI_Malloc_group(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group);
int ARMCI_Malloc_group_memdev(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group,
                              const char *device);
int ARMCI_Free_group(void *ptr, ARMCI_Group *group);
/** All that this process did to the members is complete. */
void ARMCI_GroupFence(ARMCI_Group *group);

/* ---------------------------------------------------------------- where processes are */
typedef int armci_domain_t;
#define ARMCI_DOMAIN_SMP 0  /* nodes */

int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int proc);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int rank_in_domain);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);
int armci_sameclusnode(int proc);

/* ---------------------------------------------------------------- with MPI
 * Declared where mpi.h is found (above), and in C++ where it comes first. The job consists of the
 * communicator's processes, numbered by its ranks: all of MPI_COMM_WORLD, or a part, which is a job
 * of its own. A process is in one job at a time, and may be in another one after ARMCI_Finalize. */
#ifdef MPI_VERSION
/** 1, as ComEx has it and Global Arrays relies on; 0: the job cannot be joined (reported). */
int ARMCI_Init_mpi_comm(MPI_Comm comm);
/** 0, as ARMCI_Init_thread; another value: the job cannot be joined. */
int ARMCI_Init_thread_comm(int level, MPI_Comm comm);
int PARMCI_Init_mpi_comm(MPI_Comm comm);
int PARMCI_Init_thread_comm(int level, MPI_Comm comm);
/** A communicator of the group's processes, by rank. The library's: not to be freed. Collective
 *  over the group at its first call. */
MPI_Comm armci_group_comm(ARMCI_Group *group);
#endif

/** Prints and ends the job. */
#define armci_die(text, code) ARMCI_Error((text), (code))
#define armci_die2(text, code, code2) ((void)(code2), ARMCI_Error((text), (code)))

#include "parmci.h"

#ifdef __cplusplus
}
#endif

#include "message.h"

#endif
