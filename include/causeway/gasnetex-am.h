// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: active messages. Included by gasnetex.h only. Every kind exists with the number of
// arguments in its name, 0 to 16, and without, when the arguments are counted.
#ifndef CAUSEWAY_GASNETEX_AM_H
#define CAUSEWAY_GASNETEX_AM_H

#ifdef __cplusplus
extern "C" {
#endif

#define GEX_AM_INDEX_BASE 128
#define GEX_TI_SRCRANK 1u
#define GEX_TI_EP 2u
#define GEX_TI_ENTRY 4u
#define GEX_TI_IS_REQ 8u
#define GEX_TI_IS_LONG 16u
#define GEX_TI_ALL 31u
/** Fills what mask asks for; returns what was filled: all of it. */
gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t *info, gex_TI_t mask);
/** The names in the mask, with | between them, to buf unless it is NULL; returns the bytes of the
 *  text with its end. */
size_t gasnett_format_ti(char *buf, gex_TI_t mask);

unsigned int gex_AM_MaxArgs(void);
size_t gex_AM_LUBRequestMedium(void);
size_t gex_AM_LUBReplyMedium(void);
size_t gex_AM_LUBRequestLong(void);
size_t gex_AM_LUBReplyLong(void);
size_t gex_AM_MaxRequestMedium(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t *lc_opt,
                               gex_Flags_t flags, unsigned int nargs);
size_t gex_AM_MaxReplyMedium(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t *lc_opt,
                             gex_Flags_t flags, unsigned int nargs);
size_t gex_AM_MaxRequestLong(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t *lc_opt,
                             gex_Flags_t flags, unsigned int nargs);
size_t gex_AM_MaxReplyLong(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t *lc_opt,
                           gex_Flags_t flags, unsigned int nargs);
size_t gex_Token_MaxReplyMedium(gex_Token_t token, const gex_Event_t *lc_opt, gex_Flags_t flags,
                                unsigned int nargs);
size_t gex_Token_MaxReplyLong(gex_Token_t token, const gex_Event_t *lc_opt, gex_Flags_t flags,
                              unsigned int nargs);

// The library's own: the arguments follow, each a gex_AM_Arg_t. 0: sent; else not, which only
// GEX_FLAG_IMMEDIATE allows.
int gex_causeway_request_short(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                               gex_Flags_t flags, unsigned int nargs, ...);
int gex_causeway_request_medium(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                                const void *source_addr, size_t nbytes, gex_Event_t *lc_opt,
                                gex_Flags_t flags, unsigned int nargs, ...);
int gex_causeway_request_long(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                              const void *source_addr, size_t nbytes, void *dest_addr,
                              gex_Event_t *lc_opt, gex_Flags_t flags, unsigned int nargs, ...);
int gex_causeway_reply_short(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags,
                             unsigned int nargs, ...);
int gex_causeway_reply_medium(gex_Token_t token, gex_AM_Index_t handler, const void *source_addr,
                              size_t nbytes, gex_Event_t *lc_opt, gex_Flags_t flags,
                              unsigned int nargs, ...);
int gex_causeway_reply_long(gex_Token_t token, gex_AM_Index_t handler, const void *source_addr,
                            size_t nbytes, void *dest_addr, gex_Event_t *lc_opt, gex_Flags_t flags,
                            unsigned int nargs, ...);

// ---------------------------------------------------------------- RequestShort
#define gex_AM_RequestShort0(tm, r, h, f) gex_causeway_request_short(tm, r, h, f, 0)
#define gex_AM_RequestShort1(tm, r, h, f, a0) gex_causeway_request_short(tm, r, h, f, 1, (gex_AM_Arg_t)(a0))
#define gex_AM_RequestShort2(tm, r, h, f, a0, a1) gex_causeway_request_short(tm, r, h, f, 2, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1))
#define gex_AM_RequestShort3(tm, r, h, f, a0, a1, a2) gex_causeway_request_short(tm, r, h, f, 3, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2))
#define gex_AM_RequestShort4(tm, r, h, f, a0, a1, a2, a3) gex_causeway_request_short(tm, r, h, f, 4, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3))
#define gex_AM_RequestShort5(tm, r, h, f, a0, a1, a2, a3, a4) gex_causeway_request_short(tm, r, h, f, 5, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4))
#define gex_AM_RequestShort6(tm, r, h, f, a0, a1, a2, a3, a4, a5) gex_causeway_request_short(tm, r, h, f, 6, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5))
#define gex_AM_RequestShort7(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6) gex_causeway_request_short(tm, r, h, f, 7, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6))
#define gex_AM_RequestShort8(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7) gex_causeway_request_short(tm, r, h, f, 8, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7))
#define gex_AM_RequestShort9(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8) gex_causeway_request_short(tm, r, h, f, 9, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8))
#define gex_AM_RequestShort10(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) gex_causeway_request_short(tm, r, h, f, 10, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9))
#define gex_AM_RequestShort11(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) gex_causeway_request_short(tm, r, h, f, 11, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10))
#define gex_AM_RequestShort12(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) gex_causeway_request_short(tm, r, h, f, 12, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11))
#define gex_AM_RequestShort13(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) gex_causeway_request_short(tm, r, h, f, 13, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12))
#define gex_AM_RequestShort14(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13) gex_causeway_request_short(tm, r, h, f, 14, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13))
#define gex_AM_RequestShort15(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14) gex_causeway_request_short(tm, r, h, f, 15, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14))
#define gex_AM_RequestShort16(tm, r, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) gex_causeway_request_short(tm, r, h, f, 16, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14), (gex_AM_Arg_t)(a15))
#define gex_AM_RequestShort(...) GEX_CAUSEWAY_NTH_4(__VA_ARGS__, gex_AM_RequestShort16, gex_AM_RequestShort15, gex_AM_RequestShort14, gex_AM_RequestShort13, gex_AM_RequestShort12, gex_AM_RequestShort11, gex_AM_RequestShort10, gex_AM_RequestShort9, gex_AM_RequestShort8, gex_AM_RequestShort7, gex_AM_RequestShort6, gex_AM_RequestShort5, gex_AM_RequestShort4, gex_AM_RequestShort3, gex_AM_RequestShort2, gex_AM_RequestShort1, gex_AM_RequestShort0, 0)(__VA_ARGS__)

// ---------------------------------------------------------------- RequestMedium
#define gex_AM_RequestMedium0(tm, r, h, s, n, lc, f) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 0)
#define gex_AM_RequestMedium1(tm, r, h, s, n, lc, f, a0) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 1, (gex_AM_Arg_t)(a0))
#define gex_AM_RequestMedium2(tm, r, h, s, n, lc, f, a0, a1) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 2, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1))
#define gex_AM_RequestMedium3(tm, r, h, s, n, lc, f, a0, a1, a2) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 3, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2))
#define gex_AM_RequestMedium4(tm, r, h, s, n, lc, f, a0, a1, a2, a3) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 4, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3))
#define gex_AM_RequestMedium5(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 5, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4))
#define gex_AM_RequestMedium6(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 6, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5))
#define gex_AM_RequestMedium7(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 7, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6))
#define gex_AM_RequestMedium8(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 8, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7))
#define gex_AM_RequestMedium9(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 9, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8))
#define gex_AM_RequestMedium10(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 10, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9))
#define gex_AM_RequestMedium11(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 11, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10))
#define gex_AM_RequestMedium12(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 12, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11))
#define gex_AM_RequestMedium13(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 13, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12))
#define gex_AM_RequestMedium14(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 14, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13))
#define gex_AM_RequestMedium15(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 15, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14))
#define gex_AM_RequestMedium16(tm, r, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) gex_causeway_request_medium(tm, r, h, s, n, lc, f, 16, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14), (gex_AM_Arg_t)(a15))
#define gex_AM_RequestMedium(...) GEX_CAUSEWAY_NTH_7(__VA_ARGS__, gex_AM_RequestMedium16, gex_AM_RequestMedium15, gex_AM_RequestMedium14, gex_AM_RequestMedium13, gex_AM_RequestMedium12, gex_AM_RequestMedium11, gex_AM_RequestMedium10, gex_AM_RequestMedium9, gex_AM_RequestMedium8, gex_AM_RequestMedium7, gex_AM_RequestMedium6, gex_AM_RequestMedium5, gex_AM_RequestMedium4, gex_AM_RequestMedium3, gex_AM_RequestMedium2, gex_AM_RequestMedium1, gex_AM_RequestMedium0, 0)(__VA_ARGS__)

// ---------------------------------------------------------------- RequestLong
#define gex_AM_RequestLong0(tm, r, h, s, n, d, lc, f) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 0)
#define gex_AM_RequestLong1(tm, r, h, s, n, d, lc, f, a0) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 1, (gex_AM_Arg_t)(a0))
#define gex_AM_RequestLong2(tm, r, h, s, n, d, lc, f, a0, a1) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 2, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1))
#define gex_AM_RequestLong3(tm, r, h, s, n, d, lc, f, a0, a1, a2) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 3, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2))
#define gex_AM_RequestLong4(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 4, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3))
#define gex_AM_RequestLong5(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 5, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4))
#define gex_AM_RequestLong6(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 6, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5))
#define gex_AM_RequestLong7(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 7, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6))
#define gex_AM_RequestLong8(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 8, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7))
#define gex_AM_RequestLong9(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 9, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8))
#define gex_AM_RequestLong10(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 10, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9))
#define gex_AM_RequestLong11(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 11, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10))
#define gex_AM_RequestLong12(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 12, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11))
#define gex_AM_RequestLong13(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 13, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12))
#define gex_AM_RequestLong14(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 14, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13))
#define gex_AM_RequestLong15(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 15, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14))
#define gex_AM_RequestLong16(tm, r, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) gex_causeway_request_long(tm, r, h, s, n, d, lc, f, 16, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14), (gex_AM_Arg_t)(a15))
#define gex_AM_RequestLong(...) GEX_CAUSEWAY_NTH_8(__VA_ARGS__, gex_AM_RequestLong16, gex_AM_RequestLong15, gex_AM_RequestLong14, gex_AM_RequestLong13, gex_AM_RequestLong12, gex_AM_RequestLong11, gex_AM_RequestLong10, gex_AM_RequestLong9, gex_AM_RequestLong8, gex_AM_RequestLong7, gex_AM_RequestLong6, gex_AM_RequestLong5, gex_AM_RequestLong4, gex_AM_RequestLong3, gex_AM_RequestLong2, gex_AM_RequestLong1, gex_AM_RequestLong0, 0)(__VA_ARGS__)

// ---------------------------------------------------------------- ReplyShort
#define gex_AM_ReplyShort0(t, h, f) gex_causeway_reply_short(t, h, f, 0)
#define gex_AM_ReplyShort1(t, h, f, a0) gex_causeway_reply_short(t, h, f, 1, (gex_AM_Arg_t)(a0))
#define gex_AM_ReplyShort2(t, h, f, a0, a1) gex_causeway_reply_short(t, h, f, 2, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1))
#define gex_AM_ReplyShort3(t, h, f, a0, a1, a2) gex_causeway_reply_short(t, h, f, 3, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2))
#define gex_AM_ReplyShort4(t, h, f, a0, a1, a2, a3) gex_causeway_reply_short(t, h, f, 4, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3))
#define gex_AM_ReplyShort5(t, h, f, a0, a1, a2, a3, a4) gex_causeway_reply_short(t, h, f, 5, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4))
#define gex_AM_ReplyShort6(t, h, f, a0, a1, a2, a3, a4, a5) gex_causeway_reply_short(t, h, f, 6, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5))
#define gex_AM_ReplyShort7(t, h, f, a0, a1, a2, a3, a4, a5, a6) gex_causeway_reply_short(t, h, f, 7, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6))
#define gex_AM_ReplyShort8(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7) gex_causeway_reply_short(t, h, f, 8, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7))
#define gex_AM_ReplyShort9(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8) gex_causeway_reply_short(t, h, f, 9, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8))
#define gex_AM_ReplyShort10(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) gex_causeway_reply_short(t, h, f, 10, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9))
#define gex_AM_ReplyShort11(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) gex_causeway_reply_short(t, h, f, 11, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10))
#define gex_AM_ReplyShort12(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) gex_causeway_reply_short(t, h, f, 12, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11))
#define gex_AM_ReplyShort13(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) gex_causeway_reply_short(t, h, f, 13, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12))
#define gex_AM_ReplyShort14(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13) gex_causeway_reply_short(t, h, f, 14, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13))
#define gex_AM_ReplyShort15(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14) gex_causeway_reply_short(t, h, f, 15, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14))
#define gex_AM_ReplyShort16(t, h, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) gex_causeway_reply_short(t, h, f, 16, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14), (gex_AM_Arg_t)(a15))
#define gex_AM_ReplyShort(...) GEX_CAUSEWAY_NTH_3(__VA_ARGS__, gex_AM_ReplyShort16, gex_AM_ReplyShort15, gex_AM_ReplyShort14, gex_AM_ReplyShort13, gex_AM_ReplyShort12, gex_AM_ReplyShort11, gex_AM_ReplyShort10, gex_AM_ReplyShort9, gex_AM_ReplyShort8, gex_AM_ReplyShort7, gex_AM_ReplyShort6, gex_AM_ReplyShort5, gex_AM_ReplyShort4, gex_AM_ReplyShort3, gex_AM_ReplyShort2, gex_AM_ReplyShort1, gex_AM_ReplyShort0, 0)(__VA_ARGS__)

// ---------------------------------------------------------------- ReplyMedium
#define gex_AM_ReplyMedium0(t, h, s, n, lc, f) gex_causeway_reply_medium(t, h, s, n, lc, f, 0)
#define gex_AM_ReplyMedium1(t, h, s, n, lc, f, a0) gex_causeway_reply_medium(t, h, s, n, lc, f, 1, (gex_AM_Arg_t)(a0))
#define gex_AM_ReplyMedium2(t, h, s, n, lc, f, a0, a1) gex_causeway_reply_medium(t, h, s, n, lc, f, 2, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1))
#define gex_AM_ReplyMedium3(t, h, s, n, lc, f, a0, a1, a2) gex_causeway_reply_medium(t, h, s, n, lc, f, 3, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2))
#define gex_AM_ReplyMedium4(t, h, s, n, lc, f, a0, a1, a2, a3) gex_causeway_reply_medium(t, h, s, n, lc, f, 4, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3))
#define gex_AM_ReplyMedium5(t, h, s, n, lc, f, a0, a1, a2, a3, a4) gex_causeway_reply_medium(t, h, s, n, lc, f, 5, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4))
#define gex_AM_ReplyMedium6(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5) gex_causeway_reply_medium(t, h, s, n, lc, f, 6, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5))
#define gex_AM_ReplyMedium7(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6) gex_causeway_reply_medium(t, h, s, n, lc, f, 7, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6))
#define gex_AM_ReplyMedium8(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7) gex_causeway_reply_medium(t, h, s, n, lc, f, 8, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7))
#define gex_AM_ReplyMedium9(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8) gex_causeway_reply_medium(t, h, s, n, lc, f, 9, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8))
#define gex_AM_ReplyMedium10(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) gex_causeway_reply_medium(t, h, s, n, lc, f, 10, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9))
#define gex_AM_ReplyMedium11(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) gex_causeway_reply_medium(t, h, s, n, lc, f, 11, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10))
#define gex_AM_ReplyMedium12(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) gex_causeway_reply_medium(t, h, s, n, lc, f, 12, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11))
#define gex_AM_ReplyMedium13(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) gex_causeway_reply_medium(t, h, s, n, lc, f, 13, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12))
#define gex_AM_ReplyMedium14(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13) gex_causeway_reply_medium(t, h, s, n, lc, f, 14, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13))
#define gex_AM_ReplyMedium15(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14) gex_causeway_reply_medium(t, h, s, n, lc, f, 15, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14))
#define gex_AM_ReplyMedium16(t, h, s, n, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) gex_causeway_reply_medium(t, h, s, n, lc, f, 16, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14), (gex_AM_Arg_t)(a15))
#define gex_AM_ReplyMedium(...) GEX_CAUSEWAY_NTH_6(__VA_ARGS__, gex_AM_ReplyMedium16, gex_AM_ReplyMedium15, gex_AM_ReplyMedium14, gex_AM_ReplyMedium13, gex_AM_ReplyMedium12, gex_AM_ReplyMedium11, gex_AM_ReplyMedium10, gex_AM_ReplyMedium9, gex_AM_ReplyMedium8, gex_AM_ReplyMedium7, gex_AM_ReplyMedium6, gex_AM_ReplyMedium5, gex_AM_ReplyMedium4, gex_AM_ReplyMedium3, gex_AM_ReplyMedium2, gex_AM_ReplyMedium1, gex_AM_ReplyMedium0, 0)(__VA_ARGS__)

// ---------------------------------------------------------------- ReplyLong
#define gex_AM_ReplyLong0(t, h, s, n, d, lc, f) gex_causeway_reply_long(t, h, s, n, d, lc, f, 0)
#define gex_AM_ReplyLong1(t, h, s, n, d, lc, f, a0) gex_causeway_reply_long(t, h, s, n, d, lc, f, 1, (gex_AM_Arg_t)(a0))
#define gex_AM_ReplyLong2(t, h, s, n, d, lc, f, a0, a1) gex_causeway_reply_long(t, h, s, n, d, lc, f, 2, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1))
#define gex_AM_ReplyLong3(t, h, s, n, d, lc, f, a0, a1, a2) gex_causeway_reply_long(t, h, s, n, d, lc, f, 3, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2))
#define gex_AM_ReplyLong4(t, h, s, n, d, lc, f, a0, a1, a2, a3) gex_causeway_reply_long(t, h, s, n, d, lc, f, 4, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3))
#define gex_AM_ReplyLong5(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4) gex_causeway_reply_long(t, h, s, n, d, lc, f, 5, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4))
#define gex_AM_ReplyLong6(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5) gex_causeway_reply_long(t, h, s, n, d, lc, f, 6, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5))
#define gex_AM_ReplyLong7(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6) gex_causeway_reply_long(t, h, s, n, d, lc, f, 7, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6))
#define gex_AM_ReplyLong8(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7) gex_causeway_reply_long(t, h, s, n, d, lc, f, 8, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7))
#define gex_AM_ReplyLong9(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8) gex_causeway_reply_long(t, h, s, n, d, lc, f, 9, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8))
#define gex_AM_ReplyLong10(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) gex_causeway_reply_long(t, h, s, n, d, lc, f, 10, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9))
#define gex_AM_ReplyLong11(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) gex_causeway_reply_long(t, h, s, n, d, lc, f, 11, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10))
#define gex_AM_ReplyLong12(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) gex_causeway_reply_long(t, h, s, n, d, lc, f, 12, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11))
#define gex_AM_ReplyLong13(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) gex_causeway_reply_long(t, h, s, n, d, lc, f, 13, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12))
#define gex_AM_ReplyLong14(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13) gex_causeway_reply_long(t, h, s, n, d, lc, f, 14, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13))
#define gex_AM_ReplyLong15(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14) gex_causeway_reply_long(t, h, s, n, d, lc, f, 15, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14))
#define gex_AM_ReplyLong16(t, h, s, n, d, lc, f, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) gex_causeway_reply_long(t, h, s, n, d, lc, f, 16, (gex_AM_Arg_t)(a0), (gex_AM_Arg_t)(a1), (gex_AM_Arg_t)(a2), (gex_AM_Arg_t)(a3), (gex_AM_Arg_t)(a4), (gex_AM_Arg_t)(a5), (gex_AM_Arg_t)(a6), (gex_AM_Arg_t)(a7), (gex_AM_Arg_t)(a8), (gex_AM_Arg_t)(a9), (gex_AM_Arg_t)(a10), (gex_AM_Arg_t)(a11), (gex_AM_Arg_t)(a12), (gex_AM_Arg_t)(a13), (gex_AM_Arg_t)(a14), (gex_AM_Arg_t)(a15))
#define gex_AM_ReplyLong(...) GEX_CAUSEWAY_NTH_7(__VA_ARGS__, gex_AM_ReplyLong16, gex_AM_ReplyLong15, gex_AM_ReplyLong14, gex_AM_ReplyLong13, gex_AM_ReplyLong12, gex_AM_ReplyLong11, gex_AM_ReplyLong10, gex_AM_ReplyLong9, gex_AM_ReplyLong8, gex_AM_ReplyLong7, gex_AM_ReplyLong6, gex_AM_ReplyLong5, gex_AM_ReplyLong4, gex_AM_ReplyLong3, gex_AM_ReplyLong2, gex_AM_ReplyLong1, gex_AM_ReplyLong0, 0)(__VA_ARGS__)

// The macro for a call with that many arguments behind the fixed ones.
#define GEX_CAUSEWAY_NTH_3(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, which, ...) which
#define GEX_CAUSEWAY_NTH_4(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, which, ...) which
#define GEX_CAUSEWAY_NTH_6(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, which, ...) which
#define GEX_CAUSEWAY_NTH_7(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, which, ...) which
#define GEX_CAUSEWAY_NTH_8(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, which, ...) which

#ifdef __cplusplus
}
#endif

#endif
