// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: data types, operations, collectives and atomics domains. Included by gasnetex.h only.
#ifndef CAUSEWAY_GASNETEX_COLL_H
#define CAUSEWAY_GASNETEX_COLL_H

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the names of the bits in the set, with | between them, to buf unless it is NULL. Returns
 *  the bytes of the text with its terminator. Any thread, at any time. */
size_t gasnett_format_dt(char *buf, gex_DT_t dt);
size_t gasnett_format_op(char *buf, gex_OP_t op);

// ---------------------------------------------------------------- collectives
/** out[i] = in[i] op out[i] for i < count. */
typedef void (*gex_Coll_ReduceFn_t)(const void *arg1, void *arg2_and_out, size_t count,
                                    const void *cdata);
gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t flags);
void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t flags);
gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm, gex_Rank_t root, void *dst, const void *src,
                                 size_t nbytes, gex_Flags_t flags);
gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm, gex_Rank_t root, void *dst, const void *src,
                                   gex_DT_t dt, size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void *user_cdata,
                                   gex_Flags_t flags);
gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm, void *dst, const void *src, gex_DT_t dt,
                                   size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void *user_cdata,
                                   gex_Flags_t flags);

// ---------------------------------------------------------------- atomics domains
void gex_AD_Create(gex_AD_t *ad_p, gex_TM_t tm, gex_DT_t dt, gex_OP_t ops, gex_Flags_t flags);
void gex_AD_Destroy(gex_AD_t ad);
gex_DT_t gex_AD_QueryDT(gex_AD_t ad);
gex_OP_t gex_AD_QueryOps(gex_AD_t ad);
gex_TM_t gex_AD_QueryTM(gex_AD_t ad);
gex_Flags_t gex_AD_QueryFlags(gex_AD_t ad);
void *gex_AD_QueryCData(gex_AD_t ad);
void gex_AD_SetCData(gex_AD_t ad, const void *cdata);
gex_Event_t gex_causeway_ad_op(gex_AD_t ad, gex_DT_t dt, void *result, gex_Rank_t rank, void *addr,
                               gex_OP_t op, const void *operand1, const void *operand2,
                               gex_Flags_t flags, int implicit);

// gex_AD_OpNB_I32 and so on: one pair for each type.
#define GEX_CAUSEWAY_AD(DT, type)                                                                \
    static inline gex_Event_t gex_AD_OpNB_##DT(gex_AD_t ad, type *result, gex_Rank_t rank,       \
                                               void *addr, gex_OP_t op, type operand1,           \
                                               type operand2, gex_Flags_t flags)                 \
    {                                                                                            \
        return gex_causeway_ad_op(ad, GEX_DT_##DT, result, rank, addr, op, &operand1,            \
                                  &operand2, flags, 0);                                          \
    }                                                                                            \
    static inline int gex_AD_OpNBI_##DT(gex_AD_t ad, type *result, gex_Rank_t rank, void *addr,  \
                                        gex_OP_t op, type operand1, type operand2,               \
                                        gex_Flags_t flags)                                       \
    {                                                                                            \
        gex_causeway_ad_op(ad, GEX_DT_##DT, result, rank, addr, op, &operand1, &operand2, flags, \
                           1);                                                                   \
        return 0;                                                                                \
    }
GEX_CAUSEWAY_AD(I32, int32_t)
GEX_CAUSEWAY_AD(U32, uint32_t)
GEX_CAUSEWAY_AD(I64, int64_t)
GEX_CAUSEWAY_AD(U64, uint64_t)
GEX_CAUSEWAY_AD(FLT, float)
GEX_CAUSEWAY_AD(DBL, double)
#undef GEX_CAUSEWAY_AD

#ifdef __cplusplus
}
#endif

#endif
