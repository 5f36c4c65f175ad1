// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives. Those of GASNet-EX are in gasnetex.h; here are those that GASNet-1 had as a
// prototype: the names of release 2025.8.0, and of the releases before 2018 the registration of
// images and functions, the forms with lists of addresses (M) and reductions. See gasnet(7).
//
// All processes of the job make the same calls in the same order. With several images a process
// (gasnet_coll_init) each of them is a thread that makes all calls; images are numbered through, by
// process. Handles are events of GASNet-EX.
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include "gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- flags
// When data may be read and written: IN, from when on; OUT, when the call (or handle) is over.
//   NOSYNC   the program has a barrier of its own
//   MYSYNC   this image's data, when this image has come, or has its result
//   ALLSYNC  all images' data, when all of them have come, or have their results
#define GASNET_COLL_IN_NOSYNC (1 << 0)
#define GASNET_COLL_IN_MYSYNC (1 << 1)
#define GASNET_COLL_IN_ALLSYNC (1 << 2)
#define GASNET_COLL_OUT_NOSYNC (1 << 3)
#define GASNET_COLL_OUT_MYSYNC (1 << 4)
#define GASNET_COLL_OUT_ALLSYNC (1 << 5)
#define GASNET_COLL_SYNC_FLAG_MASK 0x3F
#define GASNET_COLL_SINGLE (1 << 6) // each image gives the same arguments; lists are of all images
#define GASNET_COLL_LOCAL (1 << 7)  // its own ones; lists are of the images of the process
#define GASNET_COLL_NO_IMAGES (1 << 19) // one thread calls for its process, by numbers of nodes
// Hints, which have no effect here.
#define GASNET_COLL_FIXED_THREADS_PER_NODE (1 << 9)
#define GASNET_COLL_DST_IN_SEGMENT (1 << 10)
#define GASNET_COLL_SRC_IN_SEGMENT (1 << 11)
#define GASNET_COLL_DISABLE_AUTOTUNE (1 << 18)
// of reduction functions
#define GASNET_COLL_AMSAFE (1 << 0)
#define GASNET_COLL_NONCOMM (1 << 1) // operands are combined in the order of images anyway

// ---------------------------------------------------------------- types
typedef uint32_t gasnet_image_t;
typedef gex_Event_t gasnet_coll_handle_t;
#define GASNET_COLL_INVALID_HANDLE GEX_EVENT_INVALID
typedef struct gasnet_causeway_team *gasnet_team_handle_t;
#define GASNET_TEAM_ALL ((gasnet_team_handle_t)(uintptr_t)1)
typedef gex_AM_Arg_t gasnet_coll_fn_handle_t; // index in the table of gasnet_coll_init
/** results[i] = left_operands[i] op right_operands[i] for i < result_count, which left_count is
 *  too. */
typedef void (*gasnet_coll_reduce_fn_t)(void *results, size_t result_count,
                                        const void *left_operands, size_t left_count,
                                        const void *right_operands, size_t elem_size, int flags,
                                        int arg);
typedef struct {
    gasnet_coll_reduce_fn_t fnptr;
    unsigned int flags;
} gasnet_coll_fn_entry_t;

/** In each image. images: how many each process has, the same array everywhere; NULL: one.
 *  my_image: number of the calling thread's, if images is given. Without this call a process is
 *  one image and there are no reductions. */
void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count, int init_flags);

// ---------------------------------------------------------------- teams
/** Members of the parent with the same color become a team, in the order of relrank. All members
 *  call it; each process is one image. scratch: a gasnet_seginfo_t, which is not needed. */
gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent, gasnet_node_t color,
                                            gasnet_node_t relrank, void *scratch);
gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team);
gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank);
gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team, gasnet_node_t node);

// ---------------------------------------------------------------- one image's nbytes to all
void gasnet_coll_broadcast(gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src,
                           size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team, void *dst,
                                              gasnet_image_t srcimage, void *src, size_t nbytes,
                                              int flags);
void gasnet_coll_broadcastM(gasnet_team_handle_t team, void *const dstlist[],
                            gasnet_image_t srcimage, void *src, size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_broadcastM_nb(gasnet_team_handle_t team, void *const dstlist[],
                                               gasnet_image_t srcimage, void *src, size_t nbytes,
                                               int flags);

// -------------------------------------- nbytes for each image, of one image's images * nbytes
void gasnet_coll_scatter(gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src,
                         size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_scatter_nb(gasnet_team_handle_t team, void *dst,
                                            gasnet_image_t srcimage, void *src, size_t nbytes,
                                            int flags);
void gasnet_coll_scatterM(gasnet_team_handle_t team, void *const dstlist[], gasnet_image_t srcimage,
                          void *src, size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_scatterM_nb(gasnet_team_handle_t team, void *const dstlist[],
                                             gasnet_image_t srcimage, void *src, size_t nbytes,
                                             int flags);

// ------------------------------------------ nbytes of each image, side by side, in one image
void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src,
                        size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_gather_nb(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                           void *dst, void *src, size_t nbytes, int flags);
void gasnet_coll_gatherM(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
                         void *const srclist[], size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_gatherM_nb(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                            void *dst, void *const srclist[], size_t nbytes,
                                            int flags);

// ---------------------------------------------------------------- the same in all
void gasnet_coll_gather_all(gasnet_team_handle_t team, void *dst, void *src, size_t nbytes,
                            int flags);
gasnet_coll_handle_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team, void *dst, void *src,
                                               size_t nbytes, int flags);
void gasnet_coll_gather_allM(gasnet_team_handle_t team, void *const dstlist[],
                             void *const srclist[], size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_gather_allM_nb(gasnet_team_handle_t team, void *const dstlist[],
                                                void *const srclist[], size_t nbytes, int flags);

// ------------------------------- block i of image k becomes block k of image i; images * nbytes
void gasnet_coll_exchange(gasnet_team_handle_t team, void *dst, void *src, size_t nbytes,
                          int flags);
gasnet_coll_handle_t gasnet_coll_exchange_nb(gasnet_team_handle_t team, void *dst, void *src,
                                             size_t nbytes, int flags);
void gasnet_coll_exchangeM(gasnet_team_handle_t team, void *const dstlist[], void *const srclist[],
                           size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_exchangeM_nb(gasnet_team_handle_t team, void *const dstlist[],
                                              void *const srclist[], size_t nbytes, int flags);

// ------------------------- element by element, over the images; src_blksz and src_offset: ignored
void gasnet_coll_reduce(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src,
                        size_t src_blksz, size_t src_offset, size_t elem_size, size_t elem_count,
                        gasnet_coll_fn_handle_t func, int func_arg, int flags);
gasnet_coll_handle_t gasnet_coll_reduce_nb(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                           void *dst, void *src, size_t src_blksz,
                                           size_t src_offset, size_t elem_size, size_t elem_count,
                                           gasnet_coll_fn_handle_t func, int func_arg, int flags);
void gasnet_coll_reduceM(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
                         void *const srclist[], size_t src_blksz, size_t src_offset,
                         size_t elem_size, size_t elem_count, gasnet_coll_fn_handle_t func,
                         int func_arg, int flags);
gasnet_coll_handle_t gasnet_coll_reduceM_nb(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                            void *dst, void *const srclist[], size_t src_blksz,
                                            size_t src_offset, size_t elem_size, size_t elem_count,
                                            gasnet_coll_fn_handle_t func, int func_arg, int flags);

// ---------------------------------------------------------------- handles, barriers
#define gasnet_coll_try_sync(handle) gex_Event_Test(handle)
#define gasnet_coll_try_sync_some(handles, numhandles) gex_Event_TestSome(handles, numhandles, 0)
#define gasnet_coll_try_sync_all(handles, numhandles) gex_Event_TestAll(handles, numhandles, 0)
#define gasnet_coll_wait_sync(handle) gex_Event_Wait(handle)
#define gasnet_coll_wait_sync_some(handles, numhandles) gex_Event_WaitSome(handles, numhandles, 0)
#define gasnet_coll_wait_sync_all(handles, numhandles) gex_Event_WaitAll(handles, numhandles, 0)

// The algorithms have no parameters: no effect, and no file.
#define gasnet_coll_loadTuningState(filename, team) ((void)(filename), (void)(team))
#define gasnet_coll_dumpTuningState(filename, team) ((void)(filename), (void)(team))
#define gasnet_coll_dumpProfile(filename, team) ((void)(filename), (void)(team))

// The barrier of GASNET_TEAM_ALL is gasnet_barrier_notify's.
void gasnet_coll_causeway_notify(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_causeway_wait(gasnet_team_handle_t team, int id, int flags, int blocks);
static inline void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags)
{
    if (team == GASNET_TEAM_ALL)
        gasnet_barrier_notify(id, flags);
    else
        gasnet_coll_causeway_notify(team, id, flags);
}
static inline int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags)
{
    return team == GASNET_TEAM_ALL ? gasnet_barrier_try(id, flags)
                                   : gasnet_coll_causeway_wait(team, id, flags, 0);
}
static inline int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags)
{
    return team == GASNET_TEAM_ALL ? gasnet_barrier_wait(id, flags)
                                   : gasnet_coll_causeway_wait(team, id, flags, 1);
}
static inline int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags)
{
    gasnet_coll_barrier_notify(team, id, flags);
    return gasnet_coll_barrier_wait(team, id, flags);
}
// of GASNET_TEAM_ALL
#define gasnet_coll_barrier_result(team, id) ((void)(team), gasnet_barrier_result(id))

#ifdef __cplusplus
}
#endif

#endif
