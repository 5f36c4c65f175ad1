// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers: walks over lists of regions.
#include "core/owner/vector.h"

#include "core/bulk/pieces.h"
#include "core/owner/copy.h"
#include "core/owner/transfer.h"

// ---------------------------------------------------------------- lists
cw_vector_list_t cw_vector_regions(size_t n, const cw_region_t *regions)
{
    return (cw_vector_list_t){.regions = regions, .n = n};
}

cw_vector_list_t cw_vector_indexed(size_t n, void *const *addresses, size_t len)
{
    return (cw_vector_list_t){.addresses = addresses, .n = len ? n : 0, .len = len};
}

cw_vector_list_t cw_vector_strided(void *base, const size_t *strides, size_t nbytes,
                                   const size_t *count, size_t levels)
{
    cw_vector_list_t list = {
        .base = base, .strides = strides, .count = count, .levels = levels, .n = 1, .len = nbytes};
    for (size_t i = 0; i < levels; i++)
        list.n *= count[i];
    list.n = list.len ? list.n : 0;
    return list;
}

bool cw_vector_next(cw_vector_list_t *list, char **addr_p, size_t *nbytes_p)
{
    if (list->at == list->n)
        return false;
    size_t i = list->at++;
    *nbytes_p = list->len;
    if (list->regions) {
        *addr_p = list->regions[i].addr;
        *nbytes_p = list->regions[i].len;
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

size_t cw_vector_total(const cw_vector_list_t *list)
{
    if (!list->regions)
        return list->n * list->len;
    size_t sum = 0;
    for (size_t i = 0; i < list->n; i++)
        sum += list->regions[i].len;
    return sum;
}

// ---------------------------------------------------------------- pieces
/** Small pieces to another node travel packed; a single one is quicker as a transfer of its own. */
static bool is_packed(const cw_vector_t *v, const char *remote, size_t nbytes, size_t most)
{
    return nbytes <= most && (v->remote.n > 1 || v->local.n > 1) &&
           !cw_owner_is_mapped(cw_owner_find_word(v->owner, v->pe)) && !v->by_owner &&
           (!v->owner->config.outside || cw_owner_reaches(v->owner, v->pe, remote, nbytes));
}

static bool issue_piece(const cw_vector_t *v, char *remote, char *local, size_t nbytes,
                        cw_handle_op_t *op, cw_pieces_t *pieces)
{
    if (is_packed(v, remote, nbytes, pieces->most)) {
        cw_pieces_add(pieces, cw_owner_symmetric(v->owner, v->pe, remote), local, nbytes);
        return true;
    }
    if (CW_UNLIKELY(v->by_owner) && !cw_owner_reaches(v->owner, v->pe, remote, nbytes)) {
        if (v->put)
            cw_owner_copy_put(v->pe, remote, local, nbytes, op);
        else
            cw_owner_copy_get(local, v->pe, remote, nbytes, op);
        return true;
    }
    return v->put ? cw_owner_put_general(v->owner, v->call, v->pe, remote, local, nbytes,
                                         CW_OWNER_BULK, op)
                  : cw_owner_get_general(v->owner, v->call, local, v->pe, remote, nbytes,
                                         CW_OWNER_BULK, op);
}

/** Issues all pieces. op: for messages. True: something is in flight. */
static bool issue(cw_vector_t *v, cw_handle_op_t *op)
{
    char *remote = NULL, *local = NULL;
    size_t remote_left = 0, local_left = 0;
    bool in_flight = false;
    cw_pieces_t pieces;
    cw_pieces_begin(&pieces, &cw_ctx_default, (int)v->pe, v->put, cw_vector_total(&v->local));
    for (;;) {
        while (remote_left == 0 && cw_vector_next(&v->remote, &remote, &remote_left))
            ;
        while (local_left == 0 && cw_vector_next(&v->local, &local, &local_left))
            ;
        size_t n = remote_left < local_left ? remote_left : local_left;
        if (n == 0)
            break;
        in_flight |= issue_piece(v, remote, local, n, op, &pieces);
        remote += n;
        local += n;
        remote_left -= n;
        local_left -= n;
    }
    cw_pieces_end(&pieces);
    return in_flight;
}

// ---------------------------------------------------------------- three kinds of completion
void cw_vector_blocking(cw_vector_t *v)
{
    cw_handle_op_t op = {0};
    if (issue(v, &op)) {
        cw_handle_op_wait(v->call, &op);
        cw_handle_quiet();
    }
}

cw_handle_t cw_vector_explicit(cw_vector_t *v)
{
    cw_handle_op_t *op = v->owner->config.outside || v->by_owner ? cw_handle_op_create() : NULL;
    return cw_handle_make(issue(v, op), op);
}

/** Where no implicit operation counts the messages (by_owner), they are waited for. */
void cw_vector_implicit(cw_vector_t *v)
{
    if (CW_UNLIKELY(v->by_owner)) {
        cw_vector_blocking(v);
        return;
    }
    issue(v, cw_implicit_op(v->put));
    cw_implicit_issued();
}
