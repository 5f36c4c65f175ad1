// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces and sections to and from other nodes.
#include "armci/far.h"

#include "armci/aci.h"
#include "core/bulk/sieve.h"
#include "core/bulk/strided.h"
#include "core/route/request.h"

/** From this payload on a plane of small rows pays for requests of its own. */
#define PLANE_LEAST (CW_STRIDED_PAYLOAD / 2)
#define ROW_LEAST 32u  // a shorter row's header weighs more than a transfer's beginning and end

bool aci_is_far(int proc)
{
    return !cw_owner_is_mapped(cw_owner_find_word(&aci_owner, (uint32_t)proc));
}

void aci_far_begin(aci_far_t *f, const char *call, int proc, bool put, size_t total)
{
    aci_behind_lists(proc);
    f->call = call;
    f->proc = proc;
    f->put = put;
    f->shift = cw_owner_shift(&aci_owner, (uint32_t)proc);
    f->total = total;
    f->most = 0;
    if (total) {
        cw_pieces_begin(&f->pieces, &cw_ctx_default, proc, put, total);
        f->most = f->pieces.most;
    }
    f->packing = false;
    f->direct = false;
    f->paths = 0;
    f->read = (aci_range_t){0, 0};
}

/** Before the first transfer that goes directly: what this call has sent itself is in no order. */
static void direct(aci_far_t *f, uint64_t paths)
{
    if (!f->direct)
        aci_before_direct(f->proc);
    f->direct = true;
    f->paths |= paths;
}

/** r: its remote side as the process itself sees it. */
static void add_packed(aci_far_t *f, cw_rows_t r)
{
    if (!f->packing)
        aci_before_request(f->proc);
    f->packing = true;
    f->paths |= f->put ? ACI_REQUESTS : ACI_GETS;
    *(f->put ? &r.dest : &r.src) += f->shift;
    cw_pieces_add_rows(&f->pieces, &r);
}

static void add_direct(aci_far_t *f, void *remote, void *local, size_t nbytes)
{
    uint32_t pe = (uint32_t)f->proc;
    bool copied = nbytes <= ACI_COPIED_MOST;
    if (f->put) {
        direct(f, copied ? ACI_PUTS : ACI_PUTS | ACI_SOURCES);
        cw_owner_put_general(&aci_owner, f->call, pe, remote, local, nbytes,
                             copied ? CW_OWNER_COPIED : CW_OWNER_BULK, NULL);
    } else {
        direct(f, ACI_GETS);
        cw_owner_get_general(&aci_owner, f->call, local, pe, remote, nbytes, CW_OWNER_BULK, NULL);
    }
}

static void add(aci_far_t *f, const cw_rows_t *r)
{
    uintptr_t dest = r->dest, src = r->src;
    if (r->nbytes <= f->most) {
        add_packed(f, *r);
        return;
    }
    for (size_t i = 0; i < r->n; i++) {
        add_direct(f, (void *)(f->put ? dest : src), (void *)(f->put ? src : dest), r->nbytes);
        dest += (uintptr_t)r->dest_stride;
        src += (uintptr_t)r->src_stride;
    }
}

/** Before a write of [remote, +nbytes), or behind a read of it. */
static void note_range(aci_far_t *f, uintptr_t remote, size_t nbytes)
{
    if (f->put) {
        aci_behind_gets(f->proc, (const void *)remote, nbytes);
        return;
    }
    bool first = f->read.begin == f->read.end;
    uintptr_t end = remote + nbytes;
    f->read.begin = first || remote < f->read.begin ? remote : f->read.begin;
    f->read.end = first || end > f->read.end ? end : f->read.end;
}

void aci_far_add(aci_far_t *f, void *remote, void *local, size_t nbytes)
{
    if (nbytes == 0)
        return;
    uintptr_t far = (uintptr_t)remote, near = (uintptr_t)local;
    note_range(f, far, nbytes);
    add(f, &(cw_rows_t){f->put ? far : near, f->put ? near : far, 0, 0, nbytes, 1});
}

// ---------------------------------------------------------------- sections
/** As the core names them: the remote one by its local symmetric address. */
static void *symmetric_src(const aci_far_t *f, uintptr_t src)
{
    return (void *)(f->put ? src : src + f->shift);
}

static void *symmetric_dst(const aci_far_t *f, uintptr_t dst)
{
    return (void *)(f->put ? dst + f->shift : dst);
}

/** Before a plane goes. Gets of rows with little between them go directly. */
static void before_plane(const aci_far_t *f, const cw_rows_t *r)
{
    if (!f->put && cw_sieve_pays(r->src_stride, r->nbytes, r->n))
        aci_before_direct(f->proc);
    else
        aci_before_request(f->proc);
}

/** A plane of small rows, in requests of its own. Gets wait. */
static void move_plane(aci_far_t *f, const cw_rows_t *r)
{
    void *src = symmetric_src(f, r->src), *dst = symmetric_dst(f, r->dest);
    before_plane(f, r);
    if (f->put) {
        cw_put_strided(&cw_ctx_default, dst, src, r->dest_stride, r->src_stride, r->nbytes, r->n,
                       f->proc);
        f->paths |= ACI_REQUESTS;
    } else {
        cw_get_strided(&cw_ctx_default, dst, src, r->dest_stride, r->src_stride, r->nbytes, r->n,
                       f->proc);
    }
}

/** A section of one plane spares the address of each row, if its rows are staged. */
static bool move_staged(aci_far_t *f, const cwu_section_t *s)
{
    void *src = symmetric_src(f, s->src), *dst = symmetric_dst(f, s->dst);
    if (s->levels > 1 || s->row > CW_STAGE_PIECE_MAX)
        return false;
    if (!f->put && cw_sieve_pays(s->src_stride[0], s->row, s->n[0]) &&
        !(aci_paths(f->proc) & (ACI_REQUESTS | ACI_COLLECTED))) {
        aci_before_direct(f->proc);
        cw_get_strided(&cw_ctx_default, dst, src, s->dst_stride[0], s->src_stride[0], s->row,
                       s->n[0], f->proc);
        return true;
    }
    aci_before_request(f->proc);
    if (!cw_strided_staged(&cw_ctx_default, f->put, dst, src, s->dst_stride[0], s->src_stride[0],
                           s->row, s->n[0], f->proc))
        return false;
    f->paths |= f->put ? ACI_REQUESTS : 0;
    return true;
}

/** A plane of its own spares the header of each row. */
static bool goes_by_planes(const aci_far_t *f, const cwu_section_t *s, bool may_wait)
{
    size_t plane = s->row * s->n[0];
    if (s->row >= CW_PIECE_MAX || s->n[0] == 1 || plane < PLANE_LEAST)
        return false;
    if (f->most >= CW_PIECE_MAX && s->levels > 1 && s->row >= ROW_LEAST)
        return false;  // staged: better one transfer than many
    return f->put || may_wait;
}

void aci_far_section(aci_far_t *f, const cwu_section_t *s, bool may_wait)
{
    size_t nbytes;
    if (s->rows == 0)
        return;
    uintptr_t remote = aci_section_extent(f->call, f->proc, s, f->put, &nbytes);
    note_range(f, remote, nbytes);
    bool may_stage = f->put ? f->most >= CW_PIECE_MAX : may_wait || f->total >= CW_PIECES_GET_LEAST;
    if (may_stage && move_staged(f, s))
        return;
    void (*move)(aci_far_t *, const cw_rows_t *) =
        goes_by_planes(f, s, may_wait) ? move_plane : add;
    cw_rows_t rows = {s->dst, s->src, s->dst_stride[0], s->src_stride[0], s->row, s->n[0]};
    if (s->levels == 1) {
        move(f, &rows);
        return;
    }
    cwu_planes_t w;
    for (cwu_planes_begin(&w, s); w.more; cwu_planes_next(&w)) {
        rows.dest = w.dst;
        rows.src = w.src;
        move(f, &rows);
    }
}

// ---------------------------------------------------------------- ends
bool aci_far_end(aci_far_t *f)
{
    if (f->packing)
        cw_pieces_end(&f->pieces);
    if (f->put)
        aci_mark(f->proc, f->paths);
    else if (f->paths)
        aci_mark_get(f->proc, f->read.begin, f->read.end - f->read.begin);
    return f->paths & (ACI_GETS | ACI_SOURCES);
}

void aci_far_complete(aci_far_t *f)
{
    if (aci_far_end(f))
        aci_order_quiet();
}
