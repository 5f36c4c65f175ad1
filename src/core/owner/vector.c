// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers: walks over lists of regions.
#include "core/owner/vector.h"

#include "base/rows.h"
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

void cw_vector_begin(cw_vector_walk_t *walk, const cw_vector_list_t *list)
{
    walk->list = list;
    walk->at = 0;
    for (size_t level = 0; level < list->levels; level++)
        walk->index[level] = 0;
}

bool cw_vector_next(cw_vector_walk_t *walk, char **addr_p, size_t *nbytes_p)
{
    const cw_vector_list_t *list = walk->list;
    if (walk->at == list->n)
        return false;
    size_t i = walk->at++, *index = walk->index;
    *nbytes_p = list->len;
    if (list->regions) {
        *addr_p = list->regions[i].addr;
        *nbytes_p = list->regions[i].len;
    } else if (list->addresses) {
        *addr_p = list->addresses[i];
    } else {
        *addr_p = list->base;
        for (size_t level = 0; level < list->levels; level++)
            *addr_p += (ptrdiff_t)(index[level] * list->strides[level]);
        for (size_t level = 0; level < list->levels && ++index[level] == list->count[level];
             level++)
            index[level] = 0;
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

/** The lowest level of a strided section has one row, or its rows follow each other in memory. */
static bool is_dense(const cw_vector_list_t *list)
{
    return list->levels > 0 && list->n > 0 &&
           (list->count[0] == 1 || list->strides[0] == list->len);
}

/** Makes the rows longer by the lowest level. */
static void merge_level(cw_vector_list_t *list)
{
    list->n /= list->count[0];
    list->len *= list->count[0];
    list->strides++;
    list->count++;
    list->levels--;
}

static bool is_strided(const cw_vector_list_t *list)
{
    return !list->regions && !list->addresses;
}

// ---------------------------------------------------------------- pieces
/** What is contiguous on both sides. */
typedef struct cw_vector_pieces {
    cw_vector_walk_t remote, local;
    char *remote_at, *local_at;
    size_t remote_left, local_left;
} cw_vector_pieces_t;

static void begin_pieces(cw_vector_pieces_t *p, const cw_vector_t *v)
{
    cw_vector_begin(&p->remote, &v->remote);
    cw_vector_begin(&p->local, &v->local);
    p->remote_left = p->local_left = 0;
}

/** Bytes of the next piece; 0: there is none. */
static size_t next_piece(cw_vector_pieces_t *p, char **remote_p, char **local_p)
{
    while (p->remote_left == 0 && cw_vector_next(&p->remote, &p->remote_at, &p->remote_left))
        ;
    while (p->local_left == 0 && cw_vector_next(&p->local, &p->local_at, &p->local_left))
        ;
    size_t n = p->remote_left < p->local_left ? p->remote_left : p->local_left;
    *remote_p = p->remote_at;
    *local_p = p->local_at;
    p->remote_at += n;
    p->local_at += n;
    p->remote_left -= n;
    p->local_left -= n;
    return n;
}

// ---------------------------------------------------------------- within the node
/** Two sections of the same counts. remote: where the remote one begins here. */
static void copy_sections(bool put, cw_vector_list_t remote, cw_vector_list_t local)
{
    while (is_dense(&remote) && is_dense(&local)) {
        merge_level(&remote);
        merge_level(&local);
    }
    cw_vector_list_t *dest = put ? &remote : &local, *src = put ? &local : &remote;
    if (dest->n == 0)
        return;
    if (dest->levels == 0) {
        cw_copy(dest->base, src->base, dest->len);
        return;
    }
    size_t rows = dest->count[0], dest_stride = dest->strides[0], src_stride = src->strides[0];
    size_t len = dest->len, nbytes;
    cw_vector_list_t *sides[] = {dest, src};
    for (int i = 0; i < 2; i++)  // a walk over the levels above goes from block to block of rows
        merge_level(sides[i]);
    cw_vector_walk_t to, from;
    cw_vector_begin(&to, dest);
    cw_vector_begin(&from, src);
    char *dest_at, *src_at;
    while (cw_vector_next(&to, &dest_at, &nbytes) && cw_vector_next(&from, &src_at, &nbytes))
        cwu_copy_rows((uintptr_t)dest_at, (ptrdiff_t)dest_stride, (uintptr_t)src_at,
                      (ptrdiff_t)src_stride, len, rows);
}

static CW_ALWAYS_INLINE cw_region_t region(const cw_vector_list_t *list, size_t i)
{
    return list->regions ? list->regions[i]
                         : (cw_region_t){.addr = list->addresses[i], .len = list->len};
}

/** Two lists that are not strided: the walk of next_piece with less to remember. */
static void copy_regions(const cw_vector_t *v, uintptr_t word)
{
    size_t i = 0, j = 0, remote_done = 0, local_done = 0;
    while (i < v->remote.n && j < v->local.n) {
        cw_region_t there = region(&v->remote, i), here = region(&v->local, j);
        size_t remote_left = there.len - remote_done, local_left = here.len - local_done;
        size_t n = remote_left < local_left ? remote_left : local_left;
        char *remote = (char *)cw_owner_local(word, there.addr) + remote_done;
        char *local = (char *)here.addr + local_done;
        cw_copy(v->put ? remote : local, v->put ? local : remote, n);
        i += n == remote_left;
        j += n == local_left;
        remote_done = n == remote_left ? 0 : remote_done + n;
        local_done = n == local_left ? 0 : local_done + n;
    }
}

static void copy_near(const cw_vector_t *v, uintptr_t word)
{
    if (is_strided(&v->remote) && is_strided(&v->local)) {
        cw_vector_list_t remote = v->remote;
        remote.base = cw_owner_local(word, remote.base);
        copy_sections(v->put, remote, v->local);
    } else {
        copy_regions(v, word);
    }
    if (!v->put)
        cw_get_done();
    else if (!cw_owner_is_plain(word))
        cw_local_stored((int)v->pe);
}

// ---------------------------------------------------------------- to another node
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

static bool issue_far(cw_vector_t *v, cw_handle_op_t *op)
{
    bool in_flight = false;
    cw_vector_list_t *sides[] = {&v->remote, &v->local};
    for (int i = 0; i < 2; i++)
        while (is_strided(sides[i]) && is_dense(sides[i]))
            merge_level(sides[i]);
    cw_vector_pieces_t walk;
    cw_pieces_t pieces;
    char *remote, *local;
    size_t n;
    begin_pieces(&walk, v);
    cw_pieces_begin(&pieces, &cw_ctx_default, (int)v->pe, v->put, cw_vector_total(&v->local));
    while ((n = next_piece(&walk, &remote, &local)) > 0)
        in_flight |= issue_piece(v, remote, local, n, op, &pieces);
    cw_pieces_end(&pieces);
    return in_flight;
}

/** Issues all pieces. op: for messages. True: something is in flight. */
static bool issue(cw_vector_t *v, cw_handle_op_t *op)
{
    uintptr_t word = cw_owner_find_word(v->owner, v->pe);
    if (!cw_owner_is_mapped(word) || v->by_owner)
        return issue_far(v, op);
    copy_near(v, word);
    return false;
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
