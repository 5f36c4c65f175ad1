// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: vector, indexed and strided transfers. Included by gasnetex.h only. Lists here and
// there have the same total length, and their bytes pair off in order. Strides are in bytes and may
// be negative; lists and strides are read before a call returns, the memory they name until the
// operation is over.
#ifndef CAUSEWAY_GASNETEX_VIS_H
#define CAUSEWAY_GASNETEX_VIS_H

#ifdef __cplusplus
extern "C" {
#endif

#define GEX_CAUSEWAY_VIS(result, way)                                                         \
    result gex_VIS_VectorPut##way(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,           \
                                  gex_Memvec_t const dstlist[], size_t srccount,              \
                                  gex_Memvec_t const srclist[], gex_Flags_t flags);           \
    result gex_VIS_VectorGet##way(gex_TM_t tm, size_t dstcount, gex_Memvec_t const dstlist[], \
                                  gex_Rank_t srcrank, size_t srccount,                        \
                                  gex_Memvec_t const srclist[], gex_Flags_t flags);           \
    result gex_VIS_IndexedPut##way(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,          \
                                   void *const dstlist[], size_t dstlen, size_t srccount,     \
                                   void *const srclist[], size_t srclen, gex_Flags_t flags);  \
    result gex_VIS_IndexedGet##way(gex_TM_t tm, size_t dstcount, void *const dstlist[],       \
                                   size_t dstlen, gex_Rank_t srcrank, size_t srccount,        \
                                   void *const srclist[], size_t srclen, gex_Flags_t flags);  \
    result gex_VIS_StridedPut##way(gex_TM_t tm, gex_Rank_t dstrank, void *dstaddr,            \
                                   const ptrdiff_t dststrides[], void *srcaddr,               \
                                   const ptrdiff_t srcstrides[], size_t elemsz,               \
                                   const size_t count[], size_t stridelevels,                 \
                                   gex_Flags_t flags);                                        \
    result gex_VIS_StridedGet##way(gex_TM_t tm, void *dstaddr, const ptrdiff_t dststrides[],  \
                                   gex_Rank_t srcrank, void *srcaddr,                         \
                                   const ptrdiff_t srcstrides[], size_t elemsz,               \
                                   const size_t count[], size_t stridelevels,                 \
                                   gex_Flags_t flags);
GEX_CAUSEWAY_VIS(int, Blocking)
GEX_CAUSEWAY_VIS(gex_Event_t, NB)
GEX_CAUSEWAY_VIS(int, NBI)
#undef GEX_CAUSEWAY_VIS

/** When the next put of this kind of this thread is in the target's memory, the target runs this
 *  handler for medium replies, with up to GEX_VIS_MAX_PEERCOMPLETION bytes that must stay until
 *  then. handler 0: no longer. */
void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void *source_addr,
                                      size_t nbytes, gex_Flags_t flags);
#define GEX_VIS_MAX_PEERCOMPLETION ((size_t)3968)

#ifdef __cplusplus
}
#endif

#endif
