// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers: lists of regions here and there, of the same total length, whose bytes pair off in
// order. A walk over both lists gives contiguous pieces, each one put or get; one synchronization completes them all. Sections
// to and from other nodes go row by row instead, as core's strided blocks: as many pieces in a message as fit.
#include "gasnet/gas.h"

/** Regions one after the other, of whichever kind of list. */
typedef struct list {
    const gasnet_memvec_t *vectors;  // or
    void *const *addresses;          // all of len bytes; or
    char *base;                      // a strided section
    const size_t *strides, *count;
    size_t levels, index[GAS_MAX_LEVELS];
    size_t n, len;  // regions; bytes of each (not of vectors)
    size_t at;      // region that comes next
} list_t;

static list_t vector_list(size_t n, const gasnet_memvec_t *vectors)
{
    return (list_t){.vectors = vectors, .n = n};
}

static list_t indexed_list(size_t n, void *const *addresses, size_t len)
{
    return (list_t){.addresses = addresses, .n = len ? n : 0, .len = len};
}

static list_t strided_list(void *base, const size_t *strides, const size_t *count, size_t levels)
{
    list_t list = {.base = base, .strides = strides, .count = count, .levels = levels, .n = 1, .len = count[0]};
    for (size_t i = 1; i <= levels; i++)
        list.n *= count[i];
    list.n = list.len ? list.n : 0;
    return list;
}

/** The next region; false: there is none. */
static bool next_region(list_t *list, char **addr_p, size_t *nbytes_p)
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
            *addr_p += list->index[level] * list->strides[level];
        for (size_t level = 0; level < list->levels && ++list->index[level] == list->count[level + 1]; level++)
            list->index[level] = 0;
    }
    return true;
}

static size_t total(const list_t *list)
{
    if (!list->vectors)
        return list->n * list->len;
    size_t sum = 0;
    for (size_t i = 0; i < list->n; i++)
        sum += list->vectors[i].len;
    return sum;
}

/** A transfer: `far` is the remote list. */
typedef struct vis {
    const char *call;
    gasnet_node_t node;
    bool put;
    list_t far, near;
} vis_t;

static void check(const vis_t *v)
{
    gas_check_transfer(v->call, v->node, NULL, NULL, 0);
    size_t far = total(&v->far), near = total(&v->near);
    if (far != near)
        gas_fail(v->call, "the lists differ in length: %zu bytes on node %u, %zu bytes here", far, v->node, near);
}

/** Is it a section of another node that core may move in blocks? While somebody looks on, pieces are checked one by one. */
static bool is_in_blocks(const vis_t *v)
{
    uintptr_t word;
    return v->far.strides && v->far.levels > 0 && gas_is_plain(v->node, &word) && (word & 1) && v->far.n > 0;
}

/** The distance of a list's current row from its base. The first level is within the row. */
static size_t row_offset(const list_t *list)
{
    size_t offset = 0;
    for (size_t level = 1; level < list->levels; level++)
        offset += list->index[level] * list->strides[level];
    return offset;
}

static void next_row(list_t *list)
{
    for (size_t level = 1; level < list->levels && ++list->index[level] == list->count[level + 1]; level++)
        list->index[level] = 0;
}

static void issue_blocks(vis_t *v)
{
    list_t *far = &v->far, *near = &v->near;
    size_t rows = far->n / far->count[1];
    for (size_t row = 0; row < rows; row++) {
        char *there = gas_symmetric(v->node, far->base + row_offset(far));
        char *here = near->base + row_offset(near);
        ptrdiff_t far_stride = (ptrdiff_t)far->strides[0], near_stride = (ptrdiff_t)near->strides[0];
        if (v->put)
            cw_put_strided(&cw_ctx_default, there, here, far_stride, near_stride, far->len, far->count[1],
                           (int)v->node);
        else
            cw_get_strided(&cw_ctx_default, here, there, near_stride, far_stride, far->len, far->count[1],
                           (int)v->node);
        next_row(far);
        next_row(near);
    }
}

/** Issues all pieces. op: for messages. True: something is under way. */
static bool issue(vis_t *v, gas_op_t *op)
{
    char *far = NULL, *near = NULL;
    size_t far_left = 0, near_left = 0;
    bool under_way = false;
    check(v);
    if (is_in_blocks(v)) {
        issue_blocks(v);
        return true;
    }
    for (;;) {
        while (far_left == 0 && next_region(&v->far, &far, &far_left))
            ;
        while (near_left == 0 && next_region(&v->near, &near, &near_left))
            ;
        size_t n = far_left < near_left ? far_left : near_left;
        if (n == 0)
            return under_way;
        under_way |= v->put ? gas_put(v->call, v->node, far, near, n, GAS_BULK, op)
                            : gas_get(v->call, near, v->node, far, n, GAS_BULK, op);
        far += n;
        near += n;
        far_left -= n;
        near_left -= n;
    }
}

static void blocking(vis_t v)
{
    gas_op_t op = {0};
    if (issue(&v, &op)) {
        gas_op_wait(v.call, &op);
        gas_quiet();
    }
}

static gasnet_handle_t explicit(vis_t v)
{
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    return gas_handle(issue(&v, op), op);
}

static void implicit(vis_t v)
{
    issue(&v, gas_implicit(v.put));
    gas_implicit_issued();
}

// ---------------------------------------------------------------- what the calls are made of
static vis_t vector(const char *call, bool put, gasnet_node_t node, size_t nfar, const gasnet_memvec_t *far,
                    size_t nnear, const gasnet_memvec_t *near)
{
    if ((nfar && !far) || (nnear && !near))
        gas_fail(call, "a list of %zu regions is NULL", far ? nnear : nfar);
    return (vis_t){call, node, put, vector_list(nfar, far), vector_list(nnear, near)};
}

static vis_t indexed(const char *call, bool put, gasnet_node_t node, size_t nfar, void *const *far, size_t far_len,
                     size_t nnear, void *const *near, size_t near_len)
{
    if ((nfar && !far) || (nnear && !near))
        gas_fail(call, "a list of %zu addresses is NULL", far ? nnear : nfar);
    return (vis_t){call, node, put, indexed_list(nfar, far, far_len), indexed_list(nnear, near, near_len)};
}

static vis_t strided(const char *call, bool put, gasnet_node_t node, void *far, const size_t *far_strides, void *near,
                     const size_t *near_strides, const size_t *count, size_t levels)
{
    if (levels > GAS_MAX_LEVELS || !count || (levels && (!far_strides || !near_strides)))
        gas_fail(call,
                 "stridelevels is %zu, count %p, the strides %p and %p; at most %d levels, and no list may be NULL",
                 levels, (const void *)count, (const void *)far_strides, (const void *)near_strides, GAS_MAX_LEVELS);
    return (vis_t){call, node, put, strided_list(far, far_strides, count, levels),
                   strided_list(near, near_strides, count, levels)};
}

// ---------------------------------------------------------------- the calls: each in three kinds of completion
#define CALLS(kind, result, run, name)                                                                                \
    GAS_API result gasnet_putv_##name(gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const dstlist[],        \
                                      size_t srccount, gasnet_memvec_t const srclist[])                               \
    {                                                                                                                 \
        kind run(vector(__func__, true, dstnode, dstcount, dstlist, srccount, srclist));                              \
    }                                                                                                                 \
    GAS_API result gasnet_getv_##name(size_t dstcount, gasnet_memvec_t const dstlist[], gasnet_node_t srcnode,        \
                                      size_t srccount, gasnet_memvec_t const srclist[])                               \
    {                                                                                                                 \
        kind run(vector(__func__, false, srcnode, srccount, srclist, dstcount, dstlist));                             \
    }                                                                                                                 \
    GAS_API result gasnet_puti_##name(gasnet_node_t dstnode, size_t dstcount, void *const dstlist[], size_t dstlen,   \
                                      size_t srccount, void *const srclist[], size_t srclen)                          \
    {                                                                                                                 \
        kind run(indexed(__func__, true, dstnode, dstcount, dstlist, dstlen, srccount, srclist, srclen));             \
    }                                                                                                                 \
    GAS_API result gasnet_geti_##name(size_t dstcount, void *const dstlist[], size_t dstlen, gasnet_node_t srcnode,   \
                                      size_t srccount, void *const srclist[], size_t srclen)                          \
    {                                                                                                                 \
        kind run(indexed(__func__, false, srcnode, srccount, srclist, srclen, dstcount, dstlist, dstlen));            \
    }                                                                                                                 \
    GAS_API result gasnet_puts_##name(gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[], void *srcaddr, \
                                      const size_t srcstrides[], const size_t count[], size_t stridelevels)           \
    {                                                                                                                 \
        kind run(strided(__func__, true, dstnode, dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels));    \
    }                                                                                                                 \
    GAS_API result gasnet_gets_##name(void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode, void *srcaddr, \
                                      const size_t srcstrides[], const size_t count[], size_t stridelevels)           \
    {                                                                                                                 \
        kind run(strided(__func__, false, srcnode, srcaddr, srcstrides, dstaddr, dststrides, count, stridelevels));   \
    }

CALLS(, void, blocking, bulk)
CALLS(return, gasnet_handle_t, explicit, nb_bulk)
CALLS(, void, implicit, nbi_bulk)
