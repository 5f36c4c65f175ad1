// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: vector, indexed and strided transfers.
#include "gasnet_job/vis.h"

_Static_assert(sizeof(gasnet_memvec_t) == sizeof(cw_region_t) &&
                   offsetof(gasnet_memvec_t, len) == offsetof(cw_region_t, len),
               "the two are the same");

static void vector(cw_vector_t *v, const char *call, bool put, gasnet_node_t node, size_t nremote,
                   const gasnet_memvec_t *remote, size_t nlocal, const gasnet_memvec_t *local)
{
    gas_vis_vector(v, call, put, node, nremote, (const cw_region_t *)remote, nlocal,
                   (const cw_region_t *)local);
}

/** GASNet-1's count begins with the bytes of a region. */
static void counted(cw_vector_t *v, const char *call, bool put, gasnet_node_t node, void *remote,
                    const size_t *remote_strides, void *local, const size_t *local_strides,
                    const size_t *count, size_t levels)
{
    if (!count)
        gas_fail(call, "count is NULL");
    gas_vis_strided(v, call, put, node, remote, remote_strides, local, local_strides, count[0],
                    count + 1, levels);
}

// ---------------------------------------------------- the calls: each in three kinds of completion
#define CALLS(kind, result, run, name)                                                             \
    GAS_API result gasnet_putv_##name(gasnet_node_t dstnode, size_t dstcount,                      \
                                      gasnet_memvec_t const dstlist[], size_t srccount,            \
                                      gasnet_memvec_t const srclist[])                             \
    {                                                                                              \
        cw_vector_t v;                                                                             \
        vector(&v, __func__, true, dstnode, dstcount, dstlist, srccount, srclist);                 \
        kind run(&v);                                                                              \
    }                                                                                              \
    GAS_API result gasnet_getv_##name(size_t dstcount, gasnet_memvec_t const dstlist[],            \
                                      gasnet_node_t srcnode, size_t srccount,                      \
                                      gasnet_memvec_t const srclist[])                             \
    {                                                                                              \
        cw_vector_t v;                                                                             \
        vector(&v, __func__, false, srcnode, srccount, srclist, dstcount, dstlist);                \
        kind run(&v);                                                                              \
    }                                                                                              \
    GAS_API result gasnet_puti_##name(gasnet_node_t dstnode, size_t dstcount,                      \
                                      void *const dstlist[], size_t dstlen, size_t srccount,       \
                                      void *const srclist[], size_t srclen)                        \
    {                                                                                              \
        cw_vector_t v;                                                                             \
        gas_vis_indexed(&v, __func__, true, dstnode, dstcount, dstlist, dstlen, srccount, srclist, \
                        srclen);                                                                   \
        kind run(&v);                                                                              \
    }                                                                                              \
    GAS_API result gasnet_geti_##name(size_t dstcount, void *const dstlist[], size_t dstlen,       \
                                      gasnet_node_t srcnode, size_t srccount,                      \
                                      void *const srclist[], size_t srclen)                        \
    {                                                                                              \
        cw_vector_t v;                                                                             \
        gas_vis_indexed(&v, __func__, false, srcnode, srccount, srclist, srclen, dstcount,         \
                        dstlist, dstlen);                                                          \
        kind run(&v);                                                                              \
    }                                                                                              \
    GAS_API result gasnet_puts_##name(                                                             \
        gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[], void *srcaddr,            \
        const size_t srcstrides[], const size_t count[], size_t stridelevels)                      \
    {                                                                                              \
        cw_vector_t v;                                                                             \
        counted(&v, __func__, true, dstnode, dstaddr, dststrides, srcaddr, srcstrides, count,      \
                stridelevels);                                                                     \
        kind run(&v);                                                                              \
    }                                                                                              \
    GAS_API result gasnet_gets_##name(                                                             \
        void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode, void *srcaddr,            \
        const size_t srcstrides[], const size_t count[], size_t stridelevels)                      \
    {                                                                                              \
        cw_vector_t v;                                                                             \
        counted(&v, __func__, false, srcnode, srcaddr, srcstrides, dstaddr, dststrides, count,     \
                stridelevels);                                                                     \
        kind run(&v);                                                                              \
    }

CALLS(, void, gas_vis_blocking, bulk)
CALLS(return, gasnet_handle_t, gas_vis_explicit, nb_bulk)
CALLS(, void, gas_vis_implicit, nbi_bulk)
