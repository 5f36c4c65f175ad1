// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX on Causeway: the part of it that gasnetex(7) lists. As with gasnet.h, define one of
// GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR first. This header and gasnet.h include each other: a
// program has both interfaces whichever it names, and starts with gasnet_init or with
// gex_Client_Init, not with both.
#ifndef GASNETEX_H
#define GASNETEX_H
#define _INCLUDED_GASNETEX_H 1

#include "gasnet.h"
#include "gasnet_fwd.h"

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
typedef struct gex_causeway_srcdesc *gex_AM_SrcDesc_t;
typedef struct gex_causeway_mk *gex_MK_t;
typedef gasnet_token_t gex_Token_t;
typedef unsigned int gex_EC_t;
typedef unsigned int gex_TI_t;
typedef uint64_t gex_RMA_Value_t;
typedef int32_t gex_AM_Arg_t;
typedef uint8_t gex_AM_Index_t;
typedef gasnet_causeway_fnptr_t gex_AM_Fn_t;
#define SIZEOF_GEX_RMA_VALUE_T 8
#define GASNET_SUPPORTS_TI_SRCRANK 1
#define GASNET_SUPPORTS_TI_EP 1
#define GASNET_SUPPORTS_TI_ENTRY 1
#define GASNET_SUPPORTS_TI_IS_REQ 1
#define GASNET_SUPPORTS_TI_IS_LONG 1
#define GASNET_SUPPORTS_AM_CANCEL 20240418L
#define GASNET_SUPPORTS_AM_COMMIT_V2 20240906L

typedef const struct {
    gex_Rank_t gex_jobrank;
} gex_RankInfo_t;
typedef struct {
    void *gex_addr;
    size_t gex_len;
} gex_Memvec_t;
typedef struct {
    gex_AM_Index_t gex_index; // 0: any; gex_EP_RegisterHandlers sets it
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
    int gex_is_req, gex_is_long;
} gex_Token_Info_t;
typedef struct {
    const char *gex_device_list;  // no progress threads are handed to clients
    unsigned int gex_thread_roles;
    void *(*gex_progress_fn)(void *);
    void *gex_progress_arg;
} gex_ProgressThreadInfo_t;

#define GEX_CLIENT_INVALID ((gex_Client_t)0)
#define GEX_EP_INVALID ((gex_EP_t)0)
#define GEX_TM_INVALID ((gex_TM_t)0)
#define GEX_SEGMENT_INVALID ((gex_Segment_t)0)
#define GEX_AD_INVALID ((gex_AD_t)0)
#define GEX_MK_INVALID ((gex_MK_t)0)
#define GEX_MK_HOST ((gex_MK_t)(uintptr_t)1)
#define GEX_THREAD_ROLE_RCV (1U << 0)
#define GEX_THREAD_ROLE_SND (1U << 1)

// ---------------------------------------------------------------- job, client, endpoint
int gex_causeway_client_init(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p,
                             const char *name, int *argc, char ***argv, gex_Flags_t flags, int mode,
                             const char *config);
#define gex_Client_Init(client_p, ep_p, tm_p, name, argc, argv, flags) \
    gex_causeway_client_init(client_p, ep_p, tm_p, name, argc, argv, flags, GASNET_CAUSEWAY_MODE, \
                             GASNET_CONFIG_STRING)
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
/** One more endpoint for transfers (GEX_EP_CAPABILITY_RMA). It stays until the end of the job. */
int gex_EP_Create(gex_EP_t *ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags);

/** The objects of a program that began with gasnet_init and gasnet_attach, or with gex_Client_Init.
 *  Pointers may be NULL. */
void gasnet_QueryGexObjects(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p,
                            gex_Segment_t *segment_p);

gex_Rank_t gex_System_QueryJobRank(void);
gex_Rank_t gex_System_QueryJobSize(void);
void gex_System_QueryNbrhdInfo(gex_RankInfo_t **info_p, gex_Rank_t *count_p, gex_Rank_t *mine_p);
void gex_System_QueryHostInfo(gex_RankInfo_t **info_p, gex_Rank_t *count_p, gex_Rank_t *mine_p);
void gex_System_QueryMyPosition(gex_Rank_t *nbrhds_p, gex_Rank_t *my_nbrhd_p, gex_Rank_t *hosts_p,
                                gex_Rank_t *my_host_p);
uint64_t gex_System_QueryMaxThreads(void);
int gex_System_QueryHiddenAMConcurrencyLevel(void);
int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int *count_p,
                                    const gex_ProgressThreadInfo_t **info_p, gex_Flags_t flags);
int gex_System_GetVerboseErrors(void);
void gex_System_SetVerboseErrors(int enable);

// ---------------------------------------------------------------- segments
int gex_Segment_Attach(gex_Segment_t *segment_p, gex_TM_t tm, uintptr_t nbytes);
/** Called once, inside gex_Segment_Attach and gasnet_attach, with the new segment before others may
 *  reach it. */
extern void (*gasnet_client_attach_hook)(void *addr, uintptr_t nbytes);
/** For any endpoint without a segment. address NULL: memory behind the attached segment, which
 *  others reach directly; else memory of the client, which the owner copies, when it polls, waits
 *  or sends. kind: of memory of a device by gasnet_mk.h; then address NULL is memory of that
 *  device, and other processes of the machine map it where its driver lets them. */
int gex_Segment_Create(gex_Segment_t *segment_p, gex_Client_t client, gex_Addr_t address,
                       uintptr_t nbytes, gex_MK_t kind, gex_Flags_t flags);
void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t flags);
int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags);
/** Publishes to all members of tm where the segments of these endpoints are. Collective. */
int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t *eps, size_t num_eps, gex_Flags_t flags);
gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment);
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment);
void *gex_Segment_QueryAddr(gex_Segment_t segment);
uintptr_t gex_Segment_QuerySize(gex_Segment_t segment);
void *gex_Segment_QueryCData(gex_Segment_t segment);
void gex_Segment_SetCData(gex_Segment_t segment, const void *cdata);
/** Of another rank: its address there, here (NULL if it cannot be reached by load and store), and
 *  its size. Each pointer may be NULL. 0: it has one. */
int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void **owneraddr_p, void **localaddr_p,
                           uintptr_t *size_p);
gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void **owneraddr_p,
                                       void **localaddr_p, uintptr_t *size_p, gex_Flags_t flags);

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
/** Members with new_tm_p not NULL and the same color become a team, in the order of key, then of
 *  rank. Scratch memory is not used, only kept for gex_TM_Destroy; its size
 *  (GEX_FLAG_TM_SCRATCH_SIZE_...) is a few bytes. */
size_t gex_TM_Split(gex_TM_t *new_tm_p, gex_TM_t parent, int color, int key, void *scratch_addr,
                    size_t scratch_size, gex_Flags_t flags);
/** The members of args, in their order, become a team; each of them gives the same list. numargs 0:
 *  joins none. */
size_t gex_TM_Create(gex_TM_t *new_tms, size_t num_new_tms, gex_TM_t parent,
                     gex_EP_Location_t *args, size_t numargs, gex_Addr_t *scratch_addrs,
                     size_t scratch_size, gex_Flags_t flags);
/** Not 0: *scratch_p is the scratch memory that the team was given. */
int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t *scratch_p, gex_Flags_t flags);
/** Names endpoints in transfers, messages and queries; its ranks are those of the job. No
 *  collectives. */
gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index);

// ---------------------------------------------------------------- events
#define GEX_EC_PUT ((gex_EC_t)3) // with the local completion of puts
#define GEX_EC_GET ((gex_EC_t)4)
#define GEX_EC_AM ((gex_EC_t)2)
#define GEX_EC_LC ((gex_EC_t)2)
#define GEX_EC_RMW ((gex_EC_t)8)
#define GEX_EC_ALL (~(gex_EC_t)0)
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
int gex_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes,
                        gex_Flags_t flags);
gex_Event_t gex_RMA_PutNB(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes,
                          gex_Event_t *lc_opt, gex_Flags_t flags);
int gex_RMA_PutNBI(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes,
                   gex_Event_t *lc_opt, gex_Flags_t flags);
int gex_RMA_GetBlocking(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                        gex_Flags_t flags);
gex_Event_t gex_RMA_GetNB(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                          gex_Flags_t flags);
int gex_RMA_GetNBI(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                   gex_Flags_t flags);
int gex_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                           size_t nbytes, gex_Flags_t flags);
gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                             size_t nbytes, gex_Flags_t flags);
int gex_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                      size_t nbytes, gex_Flags_t flags);
gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *src, size_t nbytes,
                                       gex_Flags_t flags);

// ---------------------------------------------------------------- locks
typedef gasnet_hsl_t gex_HSL_t;
#define GEX_HSL_INITIALIZER GASNET_HSL_INITIALIZER
void gex_HSL_Init(gex_HSL_t *hsl);
void gex_HSL_Destroy(gex_HSL_t *hsl);
void gex_HSL_Lock(gex_HSL_t *hsl);
void gex_HSL_Unlock(gex_HSL_t *hsl);
int gex_HSL_Trylock(gex_HSL_t *hsl);

#ifdef __cplusplus
}
#endif

#include "causeway/gasnetex-am.h"
#include "causeway/gasnetex-npam.h"
#include "causeway/gasnetex-coll.h"
#include "causeway/gasnetex-vis.h"
#include "causeway/gasnet-near.h"

#ifndef GASNET_CAUSEWAY_LIBRARY
// Clients call the tools and GASNet-1's collectives behind <gasnet.h> alone.
#include "gasnet_coll.h"
#include "gasnet_tools.h"
#endif

#endif
