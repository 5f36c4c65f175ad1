// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX on Causeway: the part of it that gasnetex(7) lists. As with gasnet.h, define one of GASNET_SEQ, GASNET_PARSYNC and
// GASNET_PAR first. It includes gasnet.h, so what EX takes over from there (gasnet_AMPoll, GASNET_BLOCKUNTIL, gasnet_exit, error
// codes) is here too; but a program starts with gasnet_init or with gex_Client_Init, not with both.
#ifndef GASNETEX_H
#define GASNETEX_H
#define _INCLUDED_GASNETEX_H 1

#include "gasnet.h"

#define GEX_SPEC_VERSION_MAJOR 0
#define GEX_SPEC_VERSION_MINOR 19

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- types
typedef struct gex_causeway_client *gex_Client_t;
typedef struct gex_causeway_ep *gex_EP_t;
typedef struct gex_causeway_tm *gex_TM_t;
typedef struct gex_causeway_segment *gex_Segment_t;
typedef struct gex_causeway_ad *gex_AD_t;
typedef void *gex_Event_t;
typedef gasnet_token_t gex_Token_t;
typedef uint32_t gex_Rank_t;
typedef uint32_t gex_EP_Index_t;
typedef uint32_t gex_EP_Capabilities_t;
typedef uint32_t gex_Flags_t;
typedef uint32_t gex_EC_t;
typedef uint32_t gex_TI_t;
typedef uint32_t gex_DT_t;
typedef uint32_t gex_OP_t;
typedef uint64_t gex_RMA_Value_t;
typedef int32_t gex_AM_Arg_t;
typedef uint8_t gex_AM_Index_t;
typedef void *gex_Addr_t;
typedef gasnet_causeway_fnptr_t gex_AM_Fn_t;
#define SIZEOF_GEX_RMA_VALUE_T 8

typedef struct {
    gex_Rank_t gex_rank;
    gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;
typedef struct {
    gex_Rank_t gex_jobrank;
} gex_RankInfo_t;
typedef struct {
    void *gex_addr;
    size_t gex_len;
} gex_Memvec_t;
typedef struct {
    gex_AM_Index_t gex_index; // 0: any; gex_EP_RegisterHandlers says which
    gex_AM_Fn_t gex_fnptr;
    gex_Flags_t gex_flags;
    unsigned int gex_nargs;
    const void *gex_cdata;
    const char *gex_name;
} gex_AM_Entry_t;
typedef struct {
    gex_Rank_t gex_srcrank;
    gex_EP_t gex_ep;
    const gex_AM_Entry_t *gex_entry;
    uint8_t gex_is_req, gex_is_long;
} gex_Token_Info_t;
typedef struct {
    int gex_thread_roles; // no progress threads are handed to clients
} gex_ProgressThreadInfo_t;

#define GEX_CLIENT_INVALID ((gex_Client_t)0)
#define GEX_EP_INVALID ((gex_EP_t)0)
#define GEX_TM_INVALID ((gex_TM_t)0)
#define GEX_SEGMENT_INVALID ((gex_Segment_t)0)
#define GEX_AD_INVALID ((gex_AD_t)0)
#define GEX_RANK_INVALID ((gex_Rank_t)-1)
#define GEX_EP_CAPABILITY_AM ((gex_EP_Capabilities_t)1)
#define GEX_THREAD_ROLE_RCV 1
#define GEX_THREAD_ROLE_SND 2

// ---------------------------------------------------------------- flags
#define GEX_FLAG_IMMEDIATE ((gex_Flags_t)1 << 0) // requests: rather nothing than wait
#define GEX_FLAG_AM_SHORT ((gex_Flags_t)1 << 1)  // of handler table entries
#define GEX_FLAG_AM_MEDIUM ((gex_Flags_t)1 << 2)
#define GEX_FLAG_AM_LONG ((gex_Flags_t)1 << 3)
#define GEX_FLAG_AM_MEDLONG (GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_LONG)
#define GEX_FLAG_AM_REQUEST ((gex_Flags_t)1 << 4)
#define GEX_FLAG_AM_REPLY ((gex_Flags_t)1 << 5)
#define GEX_FLAG_AM_REQREP (GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_REPLY)
#define GEX_FLAG_AD_ACQ ((gex_Flags_t)1 << 6)
#define GEX_FLAG_AD_REL ((gex_Flags_t)1 << 7)
#define GEX_FLAG_RANK_IS_JOBRANK ((gex_Flags_t)1 << 8)
#define GEX_FLAG_ENABLE_LEAF_LC ((gex_Flags_t)1 << 9)
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN ((gex_Flags_t)1 << 10)
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED ((gex_Flags_t)1 << 11)
#define GEX_FLAG_GLOBALLY_QUIESCED ((gex_Flags_t)1 << 12)
#define GEX_FLAG_USES_GASNET1 ((gex_Flags_t)1 << 13)
// Hints: nothing is gained by them here.
#define GEX_FLAG_AD_MY_RANK ((gex_Flags_t)1 << 14)
#define GEX_FLAG_AD_MY_NBRHD ((gex_Flags_t)1 << 15)
#define GEX_FLAG_AD_FAVOR_MY_RANK ((gex_Flags_t)1 << 16)
#define GEX_FLAG_AD_FAVOR_MY_NBRHD ((gex_Flags_t)1 << 17)
#define GEX_FLAG_AD_FAVOR_REMOTE ((gex_Flags_t)1 << 18)
#define GEX_FLAG_SELF_SEG_UNKNOWN ((gex_Flags_t)1 << 19)
#define GEX_FLAG_SELF_SEG_SOME ((gex_Flags_t)1 << 20)
#define GEX_FLAG_SELF_SEG_BOUND ((gex_Flags_t)1 << 21)
#define GEX_FLAG_PEER_SEG_UNKNOWN ((gex_Flags_t)1 << 22)
#define GEX_FLAG_PEER_SEG_SOME ((gex_Flags_t)1 << 23)
#define GEX_FLAG_PEER_SEG_BOUND ((gex_Flags_t)1 << 24)
#define GEX_FLAG_PEER_NEVER_SELF ((gex_Flags_t)1 << 25)
#define GEX_FLAG_PEER_NEVER_NBRHD ((gex_Flags_t)1 << 26)
#define GEX_FLAG_TM_NO_SCRATCH ((gex_Flags_t)1 << 27)

// ---------------------------------------------------------------- job, client, endpoint
int gex_causeway_client_init(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p, const char *name, int *argc,
                             char ***argv, gex_Flags_t flags, int mode, const char *config);
#define gex_Client_Init(client_p, ep_p, tm_p, name, argc, argv, flags) \
    gex_causeway_client_init(client_p, ep_p, tm_p, name, argc, argv, flags, GASNET_CAUSEWAY_MODE, GASNET_CONFIG_STRING)
const char *gex_Client_QueryName(gex_Client_t client);
gex_Flags_t gex_Client_QueryFlags(gex_Client_t client);
void *gex_Client_QueryCData(gex_Client_t client);
void gex_Client_SetCData(gex_Client_t client, const void *cdata);

gex_Client_t gex_EP_QueryClient(gex_EP_t ep);
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep);
gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep);
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep);
void *gex_EP_QueryCData(gex_EP_t ep);
void gex_EP_SetCData(gex_EP_t ep, const void *cdata);
int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t *table, size_t numentries);

gex_Rank_t gex_System_QueryJobRank(void);
gex_Rank_t gex_System_QueryJobSize(void);
void gex_System_QueryNbrhdInfo(gex_RankInfo_t **info_p, gex_Rank_t *count_p, gex_Rank_t *mine_p);
void gex_System_QueryHostInfo(gex_RankInfo_t **info_p, gex_Rank_t *count_p, gex_Rank_t *mine_p);
void gex_System_QueryMyPosition(gex_Rank_t *nbrhds_p, gex_Rank_t *my_nbrhd_p, gex_Rank_t *hosts_p,
                                gex_Rank_t *my_host_p);
uint64_t gex_System_QueryMaxThreads(void);
int gex_System_QueryHiddenAMConcurrencyLevel(void);
int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int *count_p, const gex_ProgressThreadInfo_t **info_p,
                                    gex_Flags_t flags);
int gex_System_GetVerboseErrors(void);
void gex_System_SetVerboseErrors(int enable);

// ---------------------------------------------------------------- segments
int gex_Segment_Attach(gex_Segment_t *segment_p, gex_TM_t tm, uintptr_t nbytes);
gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment);
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment);
void *gex_Segment_QueryAddr(gex_Segment_t segment);
uintptr_t gex_Segment_QuerySize(gex_Segment_t segment);
void *gex_Segment_QueryCData(gex_Segment_t segment);
void gex_Segment_SetCData(gex_Segment_t segment, const void *cdata);
/** Of another rank: its address there, here (NULL if it cannot be reached by load and store), and its size. Each pointer may
 *  be NULL. 0: it has one. */
int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void **owneraddr_p, void **localaddr_p, uintptr_t *size_p);
gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void **owneraddr_p, void **localaddr_p,
                                       uintptr_t *size_p, gex_Flags_t flags);

// ---------------------------------------------------------------- teams
gex_Client_t gex_TM_QueryClient(gex_TM_t tm);
gex_EP_t gex_TM_QueryEP(gex_TM_t tm);
gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm);
gex_Rank_t gex_TM_QueryRank(gex_TM_t tm);
gex_Rank_t gex_TM_QuerySize(gex_TM_t tm);
void *gex_TM_QueryCData(gex_TM_t tm);
void gex_TM_SetCData(gex_TM_t tm, const void *cdata);
gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank);
gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank);
gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags);
/** Members with new_tm_p not NULL and the same color become a team, in the order of key, then of rank. Scratch memory is not
 *  needed: asked for its size (GEX_FLAG_TM_SCRATCH_SIZE_...), it is 0. */
size_t gex_TM_Split(gex_TM_t *new_tm_p, gex_TM_t parent, int color, int key, void *scratch_addr, size_t scratch_size,
                    gex_Flags_t flags);
int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t *scratch_p, gex_Flags_t flags);
/** A job has one endpoint a process, so a pair of endpoints addresses as the primordial team does. */
gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index);

// ---------------------------------------------------------------- events
#define GEX_EVENT_INVALID ((gex_Event_t)0)
#define GEX_EVENT_NO_OP ((gex_Event_t)(uintptr_t)-2)
#define GEX_EVENT_NOW ((gex_Event_t *)(uintptr_t)1)   // local completion before the call returns
#define GEX_EVENT_DEFER ((gex_Event_t *)(uintptr_t)2) // with the operation
#define GEX_EVENT_GROUP ((gex_Event_t *)(uintptr_t)3) // with the implicit operations
#define GEX_EC_GET ((gex_EC_t)1)
#define GEX_EC_PUT ((gex_EC_t)2)
#define GEX_EC_AM ((gex_EC_t)4)
#define GEX_EC_LC ((gex_EC_t)8)
#define GEX_EC_RMW ((gex_EC_t)16)
#define GEX_EC_ALL ((gex_EC_t)31)
int gex_Event_Test(gex_Event_t event);
void gex_Event_Wait(gex_Event_t event);
int gex_Event_TestAll(gex_Event_t *events, size_t numevents, gex_Flags_t flags);
void gex_Event_WaitAll(gex_Event_t *events, size_t numevents, gex_Flags_t flags);
int gex_Event_TestSome(gex_Event_t *events, size_t numevents, gex_Flags_t flags);
void gex_Event_WaitSome(gex_Event_t *events, size_t numevents, gex_Flags_t flags);
gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t category);
int gex_NBI_Test(gex_EC_t mask, gex_Flags_t flags);
void gex_NBI_Wait(gex_EC_t mask, gex_Flags_t flags);
void gex_NBI_BeginAccessRegion(gex_Flags_t flags);
gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t flags);

// ---------------------------------------------------------------- memory to memory
int gex_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes, gex_Flags_t flags);
gex_Event_t gex_RMA_PutNB(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes, gex_Event_t *lc_opt,
                          gex_Flags_t flags);
int gex_RMA_PutNBI(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes, gex_Event_t *lc_opt,
                   gex_Flags_t flags);
int gex_RMA_GetBlocking(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes, gex_Flags_t flags);
gex_Event_t gex_RMA_GetNB(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes, gex_Flags_t flags);
int gex_RMA_GetNBI(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes, gex_Flags_t flags);
int gex_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value, size_t nbytes,
                           gex_Flags_t flags);
gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value, size_t nbytes,
                             gex_Flags_t flags);
int gex_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value, size_t nbytes,
                      gex_Flags_t flags);
gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *src, size_t nbytes, gex_Flags_t flags);

// ---------------------------------------------------------------- locks
typedef gasnet_hsl_t gex_HSL_t;
#define GEX_HSL_INITIALIZER GASNET_HSL_INITIALIZER
#define gex_HSL_Init(hsl) gasnet_hsl_init(hsl)
#define gex_HSL_Destroy(hsl) gasnet_hsl_destroy(hsl)
#define gex_HSL_Lock(hsl) gasnet_hsl_lock(hsl)
#define gex_HSL_Unlock(hsl) gasnet_hsl_unlock(hsl)
#define gex_HSL_Trylock(hsl) gasnet_hsl_trylock(hsl)

#ifdef __cplusplus
}
#endif

#include "causeway/gasnetex-am.h"
#include "causeway/gasnetex-coll.h"

#endif
