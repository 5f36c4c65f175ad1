// SPDX-License-Identifier: BSD-3-Clause
//
// Brings lists and sections into the form with the fewest pieces; within the node, reads the peer's
// word once and copies by loops made for the size of a piece.
#include "core/owner/vector.h"

#include "base/copy/rows.h"
#include "core/bulk/pieces.h"
#include "core/mem/copy.h"
#include "core/owner/copy.h"
#include "core/owner/transfer.h"

// ---------------------------------------------------------------- lists
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

/** NULL lists on both sides, too: a section of nothing. */
static bool is_strided(const cw_vector_t *v)
{
    return !v->remote.regions && !v->remote.addresses && !v->local.regions && !v->local.addresses;
}

/** Both sides of a strided transfer. */
static void make_section(cwu_section_t *s, const cw_vector_list_t *dst, const cw_vector_list_t *src)
{
    cwu_section_begin(s, (uintptr_t)dst->base, (uintptr_t)src->base, dst->len, dst->n > 0);
    for (size_t i = 0; i < dst->levels && dst->n > 0; i++)
        if (dst->count[i] > 1)
            cwu_section_add(s, dst->count[i], (intptr_t)dst->strides[i], (intptr_t)src->strides[i]);
    cwu_section_end(s);
}

// ---------------------------------------------------------------- runs of lists
static CW_ALWAYS_INLINE cw_region_t region(const cw_vector_list_t *list, size_t i)
{
    return list->regions ? list->regions[i]
                         : (cw_region_t){.addr = list->addresses[i], .len = list->len};
}

/** A place in a list: regions that follow each other without a gap are one run. */
typedef struct run {
    const cw_vector_list_t *list;
    size_t next;  // region behind the run
    char *at;
    size_t left;
} run_t;

static CW_ALWAYS_INLINE void join_run(run_t *run)
{
    for (; run->next < run->list->n; run->next++) {
        cw_region_t next = region(run->list, run->next);
        if (next.len == 0)
            continue;
        if (run->left == 0)
            run->at = next.addr;
        else if (run->at + run->left != (char *)next.addr)
            break;
        run->left += next.len;
    }
}

static CW_ALWAYS_INLINE void take_run(run_t *run, size_t nbytes)
{
    run->at += nbytes;
    run->left -= nbytes;
}

/** Bytes of the next piece, contiguous on both sides; 0: none. */
static size_t next_piece(run_t *a, run_t *b)
{
    join_run(a);
    join_run(b);
    return a->left < b->left ? a->left : b->left;
}

// ---------------------------------------------------------------- within the node
static CW_ALWAYS_INLINE void copy_piece(uintptr_t dest, uintptr_t src, size_t nbytes)
{
    if (nbytes <= CWU_SMALL_COPY)
        cwu_copy_small((void *)dest, (const void *)src, nbytes);
    else
        cw_copy((void *)dest, (const void *)src, nbytes);
}

/** Two lists within the node, and the distances to their mappings here. */
typedef struct near {
    const cw_vector_list_t *dest, *src;
    uintptr_t dest_delta, src_delta;
} near_t;

/** Copies the first regions that have one length on both sides; returns their number. */
static size_t copy_pairs(const near_t *near)
{
    const cw_region_t *dest = near->dest->regions, *src = near->src->regions;
    const size_t n = near->dest->n < near->src->n ? near->dest->n : near->src->n;
    const uintptr_t dest_delta = near->dest_delta, src_delta = near->src_delta;
    size_t i = 0;
    for (; i < n && dest[i].len == src[i].len; i++)
        copy_piece((uintptr_t)dest[i].addr + dest_delta, (uintptr_t)src[i].addr + src_delta,
                   dest[i].len);
    return i;
}

static void copy_lists(const near_t *near)
{
    const cw_vector_list_t *dest = near->dest, *src = near->src;
    if (dest->addresses && dest->n == src->n) {
        cw_copy_lists(dest->addresses, near->dest_delta, src->addresses, near->src_delta, dest->len,
                      dest->n);
        return;
    }
    size_t pairs = dest->regions ? copy_pairs(near) : 0, n;
    run_t to = {.list = dest, .next = pairs}, from = {.list = src, .next = pairs};
    while ((n = next_piece(&to, &from)) > 0) {
        copy_piece((uintptr_t)to.at + near->dest_delta, (uintptr_t)from.at + near->src_delta, n);
        take_run(&to, n);
        take_run(&from, n);
    }
}

static void copy_near(const cw_vector_t *v, uintptr_t word)
{
    const uintptr_t delta = word & ~(uintptr_t)3;
    const near_t near = v->put ? (near_t){&v->remote, &v->local, delta, 0}
                               : (near_t){&v->local, &v->remote, 0, delta};
    cwu_section_t section;
    if (is_strided(v)) {
        make_section(&section, near.dest, near.src);
        cw_copy_section(&section, near.dest_delta, near.src_delta);
    } else {
        copy_lists(&near);
    }
    if (!v->put)
        cw_get_done();
    else if (!cw_owner_is_plain(word))
        cw_local_stored((int)v->pe);
}

// ---------------------------------------------------------------- to another node
typedef struct far {
    const cw_vector_t *v;
    cw_handle_op_t *op;
    size_t total;
    bool in_flight;
    cw_pieces_t pieces;
    cw_owner_pieces_t copied;  // by the owner
} far_t;

/** Small pieces travel packed; a single one is quicker alone. */
static bool is_packed(const far_t *f, size_t nbytes)
{
    return nbytes <= f->pieces.most && nbytes < f->total && !f->v->by_owner;
}

static void issue_piece(far_t *f, char *remote, char *local, size_t nbytes)
{
    const cw_vector_t *v = f->v;
    if ((v->by_owner || v->owner->config.outside) &&
        !cw_owner_reaches(v->owner, v->pe, remote, nbytes)) {
        cw_owner_pieces_add(&f->copied, remote, local, nbytes);
        f->in_flight = true;
    } else if (is_packed(f, nbytes)) {
        cw_pieces_add(&f->pieces, cw_owner_symmetric(v->owner, v->pe, remote), local, nbytes);
        f->in_flight = true;
    } else if (v->put) {
        f->in_flight |= cw_owner_put_general(v->owner, v->call, v->pe, remote, local, nbytes,
                                             CW_OWNER_BULK, f->op);
    } else {
        f->in_flight |= cw_owner_get_general(v->owner, v->call, local, v->pe, remote, nbytes,
                                             CW_OWNER_BULK, f->op);
    }
}

/** Packed rows of a plane; all of the owner's memory is reached. */
static void pack_rows(far_t *f, const cwu_section_t *s, const cwu_planes_t *w)
{
    const cw_vector_t *v = f->v;
    cw_rows_t r = {w->dst, w->src, s->dst_stride[0], s->src_stride[0], s->row, s->n[0]};
    uintptr_t *remote = v->put ? &r.dest : &r.src;
    *remote = (uintptr_t)cw_owner_symmetric(v->owner, v->pe, (const void *)*remote);
    cw_pieces_add_rows(&f->pieces, &r);
    f->in_flight = true;
}

static void issue_rows(far_t *f, const cwu_section_t *s, const cwu_planes_t *w)
{
    const bool put = f->v->put;
    uintptr_t dst = w->dst, src = w->src;
    for (size_t i = 0; i < s->n[0]; i++) {
        issue_piece(f, (char *)(put ? dst : src), (char *)(put ? src : dst), s->row);
        dst += (uintptr_t)s->dst_stride[0];
        src += (uintptr_t)s->src_stride[0];
    }
}

static void issue_section(far_t *f)
{
    const bool put = f->v->put;
    cwu_section_t s;
    make_section(&s, put ? &f->v->remote : &f->v->local, put ? &f->v->local : &f->v->remote);
    const bool packed = !f->v->owner->config.outside && is_packed(f, s.row);
    cwu_planes_t w;
    for (cwu_planes_begin(&w, &s); w.more; cwu_planes_next(&w))
        if (packed)
            pack_rows(f, &s, &w);
        else
            issue_rows(f, &s, &w);
}

static void issue_lists(far_t *f)
{
    run_t remote = {.list = &f->v->remote}, local = {.list = &f->v->local};
    for (size_t n; (n = next_piece(&remote, &local)) > 0;) {
        issue_piece(f, remote.at, local.at, n);
        take_run(&remote, n);
        take_run(&local, n);
    }
}

static bool issue_far(const cw_vector_t *v, cw_handle_op_t *op)
{
    far_t f;
    f.v = v;
    f.op = op;
    f.total = cw_vector_total(&v->local);
    f.in_flight = false;
    cw_pieces_begin(&f.pieces, &cw_ctx_default, (int)v->pe, v->put, f.total);
    cw_owner_pieces_begin(&f.copied, v->pe, v->put, op);
    if (is_strided(v))
        issue_section(&f);
    else
        issue_lists(&f);
    cw_pieces_end(&f.pieces);
    cw_owner_pieces_end(&f.copied);
    return f.in_flight;
}

/** Issues all pieces. op: for messages. True: something is in flight. */
static bool issue(const cw_vector_t *v, cw_handle_op_t *op)
{
    uintptr_t word = cw_owner_find_word(v->owner, v->pe);
    if (!cw_owner_is_mapped(word) || v->by_owner)
        return issue_far(v, op);
    copy_near(v, word);
    return false;
}

// ---------------------------------------------------------------- three kinds of completion
void cw_vector_blocking(const cw_vector_t *v)
{
    cw_handle_op_t op = {0};
    if (issue(v, &op)) {
        cw_handle_op_wait(v->call, &op);
        cw_handle_quiet();
    }
}

cw_handle_t cw_vector_explicit(const cw_vector_t *v)
{
    cw_handle_op_t *op = v->owner->config.outside || v->by_owner ? cw_handle_op_create() : NULL;
    return cw_handle_make(issue(v, op), op);
}

/** Where no implicit operation counts messages (by_owner), waits for them. */
void cw_vector_implicit(const cw_vector_t *v)
{
    if (CW_UNLIKELY(v->by_owner)) {
        cw_vector_blocking(v);
        return;
    }
    issue(v, cw_implicit_op(v->put));
    cw_implicit_issued();
}

// ---------------------------------------------------------------- rows
void cw_vector_rows(const cw_vector_t *v, void (*move)(void *data, const cw_rows_t *rows),
                    void *data)
{
    const cw_vector_list_t *dest = v->put ? &v->remote : &v->local,
                           *src = v->put ? &v->local : &v->remote;
    if (is_strided(v)) {
        cwu_section_t s;
        cwu_planes_t w;
        make_section(&s, dest, src);
        for (cwu_planes_begin(&w, &s); w.more; cwu_planes_next(&w))
            move(data, &(cw_rows_t){w.dst, w.src, s.dst_stride[0], s.src_stride[0], s.row, s.n[0]});
        return;
    }
    run_t to = {.list = dest}, from = {.list = src};
    for (size_t n; (n = next_piece(&to, &from)) > 0;) {
        move(data, &(cw_rows_t){(uintptr_t)to.at, (uintptr_t)from.at, 0, 0, n, 1});
        take_run(&to, n);
        take_run(&from, n);
    }
}
