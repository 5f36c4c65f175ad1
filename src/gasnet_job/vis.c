// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers: what both interfaces check.
#include "gasnet_job/vis.h"
#include "gasnet_job/sync.h"

static void begin(cw_vector_t *v, const char *call, bool put, gasnet_node_t node)
{
    v->owner = &gas_owner;
    v->call = call;
    v->pe = node;
    v->put = put;
    v->by_owner = false;
}

/** any: of what counts, together. Bytes of regions are counted later. */
static void check_counts(const char *call, size_t any)
{
    if (CW_UNLIKELY(any > PTRDIFF_MAX))
        gas_fail(call, "the count is negative or absurd");
}

void gas_vis_vector(cw_vector_t *v, const char *call, bool put, gasnet_node_t node, size_t nremote,
                    const cw_region_t *remote, size_t nlocal, const cw_region_t *local)
{
    if ((nremote && !remote) || (nlocal && !local))
        gas_fail(call, "a list of %zu regions is NULL", remote ? nlocal : nremote);
    check_counts(call, nremote | nlocal);
    begin(v, call, put, node);
    cw_vector_regions(&v->remote, nremote, remote);
    cw_vector_regions(&v->local, nlocal, local);
}

void gas_vis_indexed(cw_vector_t *v, const char *call, bool put, gasnet_node_t node, size_t nremote,
                     void *const *remote, size_t remote_len, size_t nlocal, void *const *local,
                     size_t local_len)
{
    if ((nremote && !remote) || (nlocal && !local))
        gas_fail(call, "a list of %zu addresses is NULL", remote ? nlocal : nremote);
    check_counts(call, nremote | nlocal | remote_len | local_len);
    begin(v, call, put, node);
    cw_vector_indexed(&v->remote, nremote, remote, remote_len);
    cw_vector_indexed(&v->local, nlocal, local, local_len);
}

void gas_vis_strided(cw_vector_t *v, const char *call, bool put, gasnet_node_t node, void *remote,
                     const size_t *remote_strides, void *local, const size_t *local_strides,
                     size_t nbytes, const size_t *count, size_t levels)
{
    if (levels > CW_VECTOR_MAX_LEVELS || (levels && (!count || !remote_strides || !local_strides)))
        gas_fail(call,
                 "stridelevels is %zu, count %p, the strides %p and %p; at most %d levels, and no "
                 "list may be NULL",
                 levels, (const void *)count, (const void *)remote_strides,
                 (const void *)local_strides, CW_VECTOR_MAX_LEVELS);
    check_counts(call, nbytes);
    for (size_t i = 0; i < levels; i++)
        check_counts(call, count[i]);
    begin(v, call, put, node);
    cw_vector_strided(&v->remote, remote, remote_strides, nbytes, count, levels);
    cw_vector_strided(&v->local, local, local_strides, nbytes, count, levels);
}

static void check_addresses(const cw_vector_t *v)
{
    cw_vector_walk_t remote, local;
    char *addr = NULL;
    size_t nbytes = 0;
    cw_vector_begin(&remote, &v->remote);
    cw_vector_begin(&local, &v->local);
    while (!v->by_owner && cw_vector_next(&remote, &addr, &nbytes))
        gas_check_remote(v->call, "the remote address", v->pe, addr, nbytes);
    while (cw_vector_next(&local, &addr, &nbytes))
        cw_check_buffer(v->call, "the local address", addr, nbytes);
}

void gas_vis_check(const cw_vector_t *v)
{
    gas_check_transfer(v->call, v->pe, NULL, NULL, 0);
    size_t remote = cw_vector_total(&v->remote), local = cw_vector_total(&v->local);
    if (remote != local)
        gas_fail(v->call, "the lists differ in length: %zu bytes on node %u, %zu bytes here",
                 remote, v->pe, local);
    if (CW_UNLIKELY(gas.check))
        check_addresses(v);
}

void gas_vis_blocking(const cw_vector_t *v)
{
    CW_WATCH(gas_watch(v->call));
    gas_vis_check(v);
    cw_vector_blocking(v);
    cw_am_poll();
}

gasnet_handle_t gas_vis_explicit(const cw_vector_t *v)
{
    CW_WATCH(gas_watch(v->call));
    gas_vis_check(v);
    return gas_given(v->call, cw_vector_explicit(v));
}

void gas_vis_implicit(const cw_vector_t *v)
{
    CW_WATCH(gas_watch(v->call));
    gas_vis_check(v);
    cw_vector_implicit(v);
}
