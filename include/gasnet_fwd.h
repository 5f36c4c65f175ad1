// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: the types and constants that clients name in their own public headers. Alone it needs
// no configuration (GASNET_SEQ and the like) and declares no function. Values: those of release
// 2025.8.0 (tests/gasnet_ex/values.csv).
#ifndef GASNET_FWD_H
#define GASNET_FWD_H
#define _GEX_FWD_H 1

#include <stddef.h>
#include <stdint.h>

typedef uint32_t gex_Rank_t;
#define GEX_RANK_INVALID (~(gex_Rank_t)0)
typedef uint16_t gex_EP_Index_t;
typedef struct {
    gex_Rank_t gex_rank;
    gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;
typedef void *gex_Addr_t;

#ifdef GASNET_CAUSEWAY_LIBRARY
typedef void *gex_Event_t; // the library knows what is behind it
#else
typedef struct _gex_event_s *gex_Event_t;
#endif
#define GEX_EVENT_INVALID ((gex_Event_t)0)
#define GEX_EVENT_NO_OP ((gex_Event_t)(uintptr_t)1)
#define GEX_EVENT_NOW ((gex_Event_t *)(uintptr_t)1)   // local completion before the call returns
#define GEX_EVENT_DEFER ((gex_Event_t *)(uintptr_t)2) // with the operation
#define GEX_EVENT_GROUP ((gex_Event_t *)(uintptr_t)3) // with the implicit operations

typedef uint32_t gex_EP_Capabilities_t;
#define GEX_EP_CAPABILITY_RMA (1U << 0)
#define GEX_EP_CAPABILITY_AM (1U << 1)
#define GEX_EP_CAPABILITY_VIS (1U << 2)
#define GEX_EP_CAPABILITY_COLL (1U << 3)
#define GEX_EP_CAPABILITY_AD (1U << 4)
#define GEX_EP_CAPABILITY_ALL 31U

// ---------------------------------------------------------------- flags
typedef uint32_t gex_Flags_t;
#define GEX_FLAG_IMMEDIATE (1U << 0) // requests: returns without sending rather than wait
#define GEX_FLAG_AM_SHORT (1U << 0)  // of handler table entries
#define GEX_FLAG_AM_MEDIUM (1U << 1)
#define GEX_FLAG_AM_LONG (1U << 2)
#define GEX_FLAG_AM_MEDLONG (GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_LONG)
#define GEX_FLAG_AM_REQUEST (1U << 3)
#define GEX_FLAG_AM_REPLY (1U << 4)
#define GEX_FLAG_AM_REQREP (GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_REPLY)
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT (1U << 11) // of gex_AM_Max...: that of gex_AM_Prepare...
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC (1U << 12)
#define GEX_FLAG_AD_REL (1U << 1) // of atomics
#define GEX_FLAG_AD_ACQ (1U << 2)
#define GEX_FLAG_RANK_IS_JOBRANK (1U << 13)
#define GEX_FLAG_ENABLE_LEAF_LC (1U << 11) // of vectors
#define GEX_FLAG_USES_GASNET1 (1U << 0)    // of gex_Client_Init
#define GEX_FLAG_DEFER_THREADS (1U << 1)   // there are none to defer
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN (1U << 0) // of teams
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED (1U << 1)
#define GEX_FLAG_TM_GLOBAL_SCRATCH (1U << 2)
#define GEX_FLAG_TM_LOCAL_SCRATCH (1U << 3)
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH (1U << 4)
#define GEX_FLAG_TM_NO_SCRATCH (1U << 5)
#define GEX_FLAG_SCRATCH_SEG_OFFSET (1U << 6)
#define GEX_FLAG_GLOBALLY_QUIESCED (1U << 13)
// Hints, which have no effect here.
#define GEX_FLAG_LC_COPY_YES (1U << 1) // local completion: may copy, rather not
#define GEX_FLAG_LC_COPY_NO (1U << 2)
#define GEX_FLAG_SELF_SEG_UNKNOWN (1U << 3)
#define GEX_FLAG_SELF_SEG_SOME (1U << 4)
#define GEX_FLAG_SELF_SEG_BOUND (1U << 5)
#define GEX_FLAG_SELF_SEG_OFFSET (1U << 6)
#define GEX_FLAG_PEER_SEG_UNKNOWN (1U << 7)
#define GEX_FLAG_PEER_SEG_SOME (1U << 8)
#define GEX_FLAG_PEER_SEG_BOUND (1U << 9)
#define GEX_FLAG_PEER_SEG_OFFSET (1U << 10)
#define GEX_FLAG_PEER_NEVER_NBRHD (1U << 14)
#define GEX_FLAG_PEER_NEVER_SELF (1U << 15)
#define GEX_FLAG_AD_MY_RANK (1U << 11)
#define GEX_FLAG_AD_MY_NBRHD (1U << 12)
#define GEX_FLAG_AD_FAVOR_MY_RANK (1U << 0) // of gex_AD_Create
#define GEX_FLAG_AD_FAVOR_MY_NBRHD (1U << 1)
#define GEX_FLAG_AD_FAVOR_REMOTE (1U << 2)
#define GEX_FLAG_HINT_ACCEL_AD (1U << 0)
#define GEX_FLAG_HINT_ACCEL_COLL (1U << 1)
#define GEX_FLAG_HINT_ACCEL_ALL (GEX_FLAG_HINT_ACCEL_AD | GEX_FLAG_HINT_ACCEL_COLL)

// ---------------------------------------------------------------- types of data, operations
typedef uint32_t gex_DT_t;
typedef uint32_t gex_OP_t;
#define GEX_DT_I32 (1 << 0)
#define GEX_DT_U32 (1 << 1)
#define GEX_DT_I64 (1 << 2)
#define GEX_DT_U64 (1 << 3)
#define GEX_DT_FLT (1 << 4)
#define GEX_DT_DBL (1 << 5)
#define GEX_DT_USER (1 << 6)

#define GEX_OP_AND (1 << 0)
#define GEX_OP_OR (1 << 1)
#define GEX_OP_XOR (1 << 2)
#define GEX_OP_ADD (1 << 3)
#define GEX_OP_SUB (1 << 4)
#define GEX_OP_MULT (1 << 5)
#define GEX_OP_MIN (1 << 6)
#define GEX_OP_MAX (1 << 7)
#define GEX_OP_INC (1 << 8)
#define GEX_OP_DEC (1 << 9)
#define GEX_OP_SET (1 << 10)
#define GEX_OP_CAS (1 << 11)
#define GEX_OP_TO_FETCHING(op) ((op) << 15)
#define GEX_OP_TO_NONFETCHING(op) ((op) >> 15)
#define GEX_OP_FAND (1 << 15)
#define GEX_OP_FOR (1 << 16)
#define GEX_OP_FXOR (1 << 17)
#define GEX_OP_FADD (1 << 18)
#define GEX_OP_FSUB (1 << 19)
#define GEX_OP_FMULT (1 << 20)
#define GEX_OP_FMIN (1 << 21)
#define GEX_OP_FMAX (1 << 22)
#define GEX_OP_FINC (1 << 23)
#define GEX_OP_FDEC (1 << 24)
#define GEX_OP_SWAP (1 << 25)
#define GEX_OP_FCAS (1 << 26)
#define GEX_OP_CSWAP GEX_OP_FCAS
#define GEX_OP_GET (1 << 27)
#define GEX_OP_USER (1 << 30)     // of reductions: commutes
#define GEX_OP_USER_NC (1U << 31) // does not

#endif
