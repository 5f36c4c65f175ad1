// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: vector, indexed and strided transfers.
#include "gasnet_job/vis.h"

_Static_assert(sizeof(gasnet_memvec_t) == sizeof(cw_region_t) &&
                   offsetof(gasnet_memvec_t, len) == offsetof(cw_region_t, len),
               "the two are the same");

static cw_vector_t vector(const char *call, bool put, gasnet_node_t node, size_t nremote,
                          const gasnet_memvec_t *remote, size_t nlocal,
                          const gasnet_memvec_t *local)
{
    return gas_vis_vector(call, put, node, nremote, (const cw_region_t *)remote, nlocal,
                          (const cw_region_t *)local);
}

/** GASNet-1's count begins with the bytes of a region. */
static cw_vector_t counted(const char *call, bool put, gasnet_node_t node, void *remote,
                           const size_t *remote_strides, void *local, const size_t *local_strides,
                           const size_t *count, size_t levels)
{
    if (!count)
        gas_fail(call, "count is NULL");
    return gas_vis_strided(call, put, node, remote, remote_strides, local, local_strides, count[0],
                           count + 1, levels);
}

// ---------------------------------------------------- the calls: each in three kinds of completion
#define CALLS(kind, result, run, name)                                                             \
    GAS_API result gasnet_putv_##name(gasnet_node_t dstnode, size_t dstcount,                      \
                                      gasnet_memvec_t const dstlist[], size_t srccount,            \
                                      gasnet_memvec_t const srclist[])                             \
    {                                                                                              \
        kind run(vector(__func__, true, dstnode, dstcount, dstlist, srccount, srclist));           \
    }                                                                                              \
    GAS_API result gasnet_getv_##name(size_t dstcount, gasnet_memvec_t const dstlist[],            \
                                      gasnet_node_t srcnode, size_t srccount,                      \
                                      gasnet_memvec_t const srclist[])                             \
    {                                                                                              \
        kind run(vector(__func__, false, srcnode, srccount, srclist, dstcount, dstlist));          \
    }                                                                                              \
    GAS_API result gasnet_puti_##name(gasnet_node_t dstnode, size_t dstcount,                      \
                                      void *const dstlist[], size_t dstlen, size_t srccount,       \
                                      void *const srclist[], size_t srclen)                        \
    {                                                                                              \
        kind run(gas_vis_indexed(__func__, true, dstnode, dstcount, dstlist, dstlen, srccount,     \
                                 srclist, srclen));                                                \
    }                                                                                              \
    GAS_API result gasnet_geti_##name(size_t dstcount, void *const dstlist[], size_t dstlen,       \
                                      gasnet_node_t srcnode, size_t srccount,                      \
                                      void *const srclist[], size_t srclen)                        \
    {                                                                                              \
        kind run(gas_vis_indexed(__func__, false, srcnode, srccount, srclist, srclen, dstcount,    \
                                 dstlist, dstlen));                                                \
    }                                                                                              \
    GAS_API result gasnet_puts_##name(gasnet_node_t dstnode, void *dstaddr,                        \
                                      const size_t dststrides[], void *srcaddr,                    \
                                      const size_t srcstrides[], const size_t count[],             \
                                      size_t stridelevels)                                         \
    {                                                                                              \
        kind run(counted(__func__, true, dstnode, dstaddr, dststrides, srcaddr, srcstrides, count, \
                         stridelevels));                                                           \
    }                                                                                              \
    GAS_API result gasnet_gets_##name(void *dstaddr, const size_t dststrides[],                    \
                                      gasnet_node_t srcnode, void *srcaddr,                        \
                                      const size_t srcstrides[], const size_t count[],             \
                                      size_t stridelevels)                                         \
    {                                                                                              \
        kind run(counted(__func__, false, srcnode, srcaddr, srcstrides, dstaddr, dststrides,       \
                         count, stridelevels));                                                    \
    }

CALLS(, void, gas_vis_blocking, bulk)
CALLS(return, gasnet_handle_t, gas_vis_explicit, nb_bulk)
CALLS(, void, gas_vis_implicit, nbi_bulk)
