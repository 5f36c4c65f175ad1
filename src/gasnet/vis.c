// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers (vis.h), and GASNet-1's calls.
#include "gasnet/vis.h"

#include "core/rma/pieces.h"

static gas_list_t vector_list(size_t n, const gasnet_memvec_t *vectors)
{
    return (gas_list_t){.vectors = vectors, .n = n};
}

static gas_list_t indexed_list(size_t n, void *const *addresses, size_t len)
{
    return (gas_list_t){.addresses = addresses, .n = len ? n : 0, .len = len};
}

static gas_list_t strided_list(void *base, const size_t *strides, size_t nbytes,
                               const size_t *count, size_t levels)
{
    gas_list_t list = {
        .base = base, .strides = strides, .count = count, .levels = levels, .n = 1, .len = nbytes};
    for (size_t i = 0; i < levels; i++)
        list.n *= count[i];
    list.n = list.len ? list.n : 0;
    return list;
}

bool gas_list_next(gas_list_t *list, char **addr_p, size_t *nbytes_p)
{
    if (list->at == list->n)
        return false;
    size_t i = list->at++;
    *nbytes_p = list->len;
    if (list->vectors) {
        *addr_p = list->vectors[i].addr;
        *nbytes_p = list->vectors[i].len;
    } else if (list->addresses) {
        *addr_p = list->addresses[i];
    } else {
        *addr_p = list->base;
        for (size_t level = 0; level < list->levels; level++)
            *addr_p += (ptrdiff_t)(list->index[level] * list->strides[level]);
        for (size_t level = 0; level < list->levels && ++list->index[level] == list->count[level];
             level++)
            list->index[level] = 0;
    }
    return true;
}

static size_t total(const gas_list_t *list)
{
    if (!list->vectors)
        return list->n * list->len;
    size_t sum = 0;
    for (size_t i = 0; i < list->n; i++)
        sum += list->vectors[i].len;
    return sum;
}

static void check(const gas_vis_t *v)
{
    gas_check_transfer(v->call, v->node, NULL, NULL, 0);
    size_t far = total(&v->far), near = total(&v->near);
    if (far != near)
        gas_fail(v->call, "the lists differ in length: %zu bytes on node %u, %zu bytes here", far,
                 v->node, near);
}

/** Small pieces to another node travel packed; one all alone is quicker as a transfer of its
 *  own. */
static bool is_packed(const gas_vis_t *v, const char *far, size_t nbytes)
{
    return nbytes < CW_PIECE_MAX && (v->far.n > 1 || v->near.n > 1) &&
           (gas_find_word(v->node) & 1) && !v->by_message &&
           (gas.segments != GAS_EVERYTHING || gas_is_reachable(v->node, far, nbytes));
}

static bool piece(const gas_vis_t *v, char *far, char *near, size_t nbytes, gas_op_t *op,
                  cw_pieces_t *pieces)
{
    if (is_packed(v, far, nbytes)) {
        gas_check_transfer(v->call, v->node, far, near, nbytes);
        cw_pieces_add(pieces, gas_symmetric(v->node, far), near, nbytes);
        return true;
    }
    if (CW_UNLIKELY(v->by_message) && !gas_is_reachable(v->node, far, nbytes)) {
        if (v->put)
            gas_far_put(v->node, far, near, nbytes, op);
        else
            gas_far_get(near, v->node, far, nbytes, op);
        return true;
    }
    return v->put ? gas_put(v->call, v->node, far, near, nbytes, GAS_BULK, op)
                  : gas_get(v->call, near, v->node, far, nbytes, GAS_BULK, op);
}

/** Issues all pieces. op: for messages. True: something is under way. */
static bool issue(gas_vis_t *v, gas_op_t *op)
{
    char *far = NULL, *near = NULL;
    size_t far_left = 0, near_left = 0;
    bool under_way = false;
    cw_pieces_t pieces;
    CW_WATCH(gas_watch(v->call));
    check(v);
    cw_pieces_begin(&pieces, &cw_ctx_default, (int)v->node, v->put);
    for (;;) {
        while (far_left == 0 && gas_list_next(&v->far, &far, &far_left))
            ;
        while (near_left == 0 && gas_list_next(&v->near, &near, &near_left))
            ;
        size_t n = far_left < near_left ? far_left : near_left;
        if (n == 0)
            break;
        under_way |= piece(v, far, near, n, op, &pieces);
        far += n;
        near += n;
        far_left -= n;
        near_left -= n;
    }
    cw_pieces_end(&pieces);
    return under_way;
}

void gas_vis_blocking(gas_vis_t v)
{
    gas_op_t op = {0};
    if (issue(&v, &op)) {
        gas_op_wait(v.call, &op);
        gas_quiet();
    }
}

gasnet_handle_t gas_vis_explicit(gas_vis_t v)
{
    gas_op_t *op = gas.segments == GAS_EVERYTHING || v.by_message ? gas_op_create() : NULL;
    return gas_handle(issue(&v, op), op);
}

void gas_vis_implicit(gas_vis_t v)
{
    if (CW_UNLIKELY(v.by_message))  // no operation of implicit ones counts these messages
        gas_vis_blocking(v);
    else
        issue(&v, gas_implicit(v.put)), gas_implicit_issued();
}

// ---------------------------------------------------------------- what the calls are made of
gas_vis_t gas_vis_vector(const char *call, bool put, gasnet_node_t node, size_t nfar,
                         const gasnet_memvec_t *far, size_t nnear, const gasnet_memvec_t *near)
{
    if ((nfar && !far) || (nnear && !near))
        gas_fail(call, "a list of %zu regions is NULL", far ? nnear : nfar);
    return (gas_vis_t){call, node, put, vector_list(nfar, far), vector_list(nnear, near), false};
}

gas_vis_t gas_vis_indexed(const char *call, bool put, gasnet_node_t node, size_t nfar,
                          void *const *far, size_t far_len, size_t nnear, void *const *near,
                          size_t near_len)
{
    if ((nfar && !far) || (nnear && !near))
        gas_fail(call, "a list of %zu addresses is NULL", far ? nnear : nfar);
    return (gas_vis_t){
        call, node, put, indexed_list(nfar, far, far_len), indexed_list(nnear, near, near_len),
        false};
}

gas_vis_t gas_vis_strided(const char *call, bool put, gasnet_node_t node, void *far,
                          const size_t *far_strides, void *near, const size_t *near_strides,
                          size_t nbytes, const size_t *count, size_t levels)
{
    if (levels > GAS_MAX_LEVELS || (levels && (!count || !far_strides || !near_strides)))
        gas_fail(call,
                 "stridelevels is %zu, count %p, the strides %p and %p; at most %d levels, and no "
                 "list may be NULL",
                 levels, (const void *)count, (const void *)far_strides, (const void *)near_strides,
                 GAS_MAX_LEVELS);
    return (gas_vis_t){call,
                       node,
                       put,
                       strided_list(far, far_strides, nbytes, count, levels),
                       strided_list(near, near_strides, nbytes, count, levels),
                       false};
}

/** GASNet-1's count begins with the bytes of a region. */
static gas_vis_t counted(const char *call, bool put, gasnet_node_t node, void *far,
                         const size_t *far_strides, void *near, const size_t *near_strides,
                         const size_t *count, size_t levels)
{
    if (!count)
        gas_fail(call, "count is NULL");
    return gas_vis_strided(call, put, node, far, far_strides, near, near_strides, count[0],
                           count + 1, levels);
}

// ---------------------------------------------------- the calls: each in three kinds of completion
#define CALLS(kind, result, run, name)                                                             \
    GAS_API result gasnet_putv_##name(gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const dstlist[], \
                                      size_t srccount, gasnet_memvec_t const srclist[])            \
    {                                                                                              \
        kind run(gas_vis_vector(__func__, true, dstnode, dstcount, dstlist, srccount, srclist));   \
    }                                                                                              \
    GAS_API result gasnet_getv_##name(size_t dstcount, gasnet_memvec_t const dstlist[], gasnet_node_t srcnode, \
                                      size_t srccount, gasnet_memvec_t const srclist[])            \
    {                                                                                              \
        kind run(gas_vis_vector(__func__, false, srcnode, srccount, srclist, dstcount, dstlist));  \
    }                                                                                              \
    GAS_API result gasnet_puti_##name(gasnet_node_t dstnode, size_t dstcount, void *const dstlist[], size_t dstlen, \
                                      size_t srccount, void *const srclist[], size_t srclen)       \
    {                                                                                              \
        kind run(gas_vis_indexed(__func__, true, dstnode, dstcount, dstlist, dstlen, srccount, srclist, srclen)); \
    }                                                                                              \
    GAS_API result gasnet_geti_##name(size_t dstcount, void *const dstlist[], size_t dstlen, gasnet_node_t srcnode, \
                                      size_t srccount, void *const srclist[], size_t srclen)       \
    {                                                                                              \
        kind run(gas_vis_indexed(__func__, false, srcnode, srccount, srclist, srclen, dstcount, dstlist, dstlen)); \
    }                                                                                              \
    GAS_API result gasnet_puts_##name(gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[], void *srcaddr, \
                                      const size_t srcstrides[], const size_t count[], size_t stridelevels) \
    {                                                                                              \
        kind run(counted(__func__, true, dstnode, dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels)); \
    }                                                                                              \
    GAS_API result gasnet_gets_##name(void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode, void *srcaddr, \
                                      const size_t srcstrides[], const size_t count[], size_t stridelevels) \
    {                                                                                              \
        kind run(counted(__func__, false, srcnode, srcaddr, srcstrides, dstaddr, dststrides, count, stridelevels)); \
    }

CALLS(, void, gas_vis_blocking, bulk)
CALLS(return, gasnet_handle_t, gas_vis_explicit, nb_bulk)
CALLS(, void, gas_vis_implicit, nbi_bulk)
