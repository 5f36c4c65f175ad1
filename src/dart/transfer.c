// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets behind the fast paths: other nodes, types with gaps, wrong use.
#include "dart/transfer.h"

#include <stdio.h>
#include <string.h>

#include "base/copy/rows.h"
#include "base/env.h"
#include "base/symbol.h"
#include "core/bulk/pieces.h"
#include "core/device/part.h"
#include "core/observe/sources.h"
#include "core/owner/handle.h"
#include "dart/memory.h"
#include "dart/op.h"

// ---------------------------------------------------------------- in checking mode
enum { PAIRS = 3 };  // of transfers that were right (core/observe/seen.h)
_Static_assert((int)PAIRS < (int)CW_PAIR_CLIENTS, "a table of pairs");

/** Segment, team and unit. */
static uint64_t pair_key(dart_gptr_t gptr)
{
    return (uint64_t)drt_key_of(gptr) << 32 | drt_unit_of(gptr);
}

/** Done, if this thread remembers that it is right. */
static CW_NOINLINE bool transfer_seen(const drt_transfer_t *t)
{
    size_t nbytes;
    const uint64_t at = t->gptr.addr_or_offs.offset;
    const cw_pair_t *pair =
        drt_plain_nbytes(t->nelem, t->remote_type, t->local_type, &nbytes)
            ? cw_pair_find(PAIRS, pair_key(t->gptr), at, t->local, nbytes, false)
            : NULL;
    if (!pair)
        return false;
    if (t->put) {
        cw_copy((char *)pair->word + at, t->local, nbytes);
    } else {
        cw_copy(t->local, (char *)pair->word + at, nbytes);
        cw_get_done();
    }
    return true;
}

/** In its frame: a transfer was right for which no pair was found. */
static CW_COLD void saw(dart_gptr_t gptr, int pe, const void *local, size_t nbytes)
{
    const unsigned changes = atomic_load(&cw_block_changes);
    const drt_segment_t *segment = drt_segment_find(gptr);
    const cw_known_span_t *here = cw_known_seen(CW_KNOWN_LOCAL, cw_world.pe, local, nbytes);
    // Of this unit both sides may overlap; what one unit allocates is less than its whole area.
    if (!segment || !here || gptr.segid == DART_SEGMENT_LOCAL || pe == cw_world.pe ||
        cw_world.node_of_pe[pe] != cw_world.node)
        return;
    const cw_known_span_t there = {.end = segment->sizes[gptr.unitid]};
    char *far = segment->far[gptr.unitid];
    cw_pair_remember(PAIRS, pair_key(gptr), (uintptr_t)cw_area_early(far, pe), changes, &there,
                     here);
}

// ---------------------------------------------------------------- targets
static void name_private(const drt_part_t *part, uint64_t at, drt_target_t *target)
{
    target->is_private = true;
    target->far = part->addr + at;
    target->device = part->device;
    target->near = target->pe == cw_world.pe && !part->device ? target->far : NULL;
    target->there = (cw_private_t){target->pe, part->range, (uintptr_t)target->far, at};
}

bool drt_is_ignored(const drt_team_t *team, int unit)
{
    return unit == team->group->size && strcmp(cwu_env.dart_unit_after_last, "ignored") == 0;
}

static CW_COLD dart_ret_t refuse_unit_of(const char *call, dart_gptr_t gptr, size_t nbytes,
                                         const drt_team_t *team)
{
    char hint[120] = "";
    const int unit = gptr.unitid,
              rank = unit >= 0 && unit < cw_world.npes ? cw_group_rank_of(team->group, unit) : -1;
    if (team->id != DART_TEAM_ALL && rank >= 0)
        snprintf(hint, sizeof hint, "; unit %d of all is unit %d of the team, which pointers have",
                 unit, rank);
    else if (unit == team->group->size)
        snprintf(hint, sizeof hint, "; CAUSEWAY_DART_UNIT_AFTER_LAST=ignored lets that pass");
    return drt_refuse(call, DART_ERR_INVAL,
                      "unit %d does not exist; team %d has %d (%zu bytes at offset %llu of segment "
                      "%d)%s",
                      unit, team->id, team->group->size, nbytes,
                      (unsigned long long)gptr.addr_or_offs.offset, gptr.segid, hint);
}

static CW_COLD dart_ret_t refuse_beyond(const char *call, dart_gptr_t gptr, size_t nbytes,
                                        uint64_t most)
{
    char origin[CW_KNOWN_TEXT];
    const uint64_t at = gptr.addr_or_offs.offset;
    drt_known_origin(gptr, origin, sizeof origin);
    return drt_refuse(call, DART_ERR_INVAL,
                      "%zu bytes at offset %llu reach out of segment %d of team %d, %llu bytes "
                      "beyond the %llu that it has on unit %d%s",
                      nbytes, (unsigned long long)at, gptr.segid, gptr.teamid,
                      (unsigned long long)(at + nbytes - most), (unsigned long long)most,
                      gptr.unitid, origin);
}

dart_ret_t drt_check_here(const char *call, const char *what, const void *addr, size_t nbytes)
{
    char text[CW_KNOWN_TEXT];
    if (!cw_known_wrong_here(addr, nbytes, text, sizeof text))
        return DART_OK;
    return drt_refuse(call, DART_ERR_INVAL, "%s: %zu bytes at %p of this unit %s", what, nbytes,
                      addr, text);
}

/** In checking mode: memory that dart_memalloc gave another unit, in one of its blocks. */
static CW_COLD dart_ret_t check_there(const char *call, const drt_segment_t *segment,
                                      dart_gptr_t gptr, size_t nbytes)
{
    char hint[240] = "", place[160];
    cw_known_t block;
    const uint64_t at = gptr.addr_or_offs.offset;
    const uintptr_t here = (uintptr_t)segment->own + at;
    {
        CW_WATCH(cw_watch_call(call));
        if (drt_local_has(gptr.unitid, at, nbytes))
            return DART_OK;
    }
    if (cw_known_find(cw_world.pe, here, &block) && !block.freed &&
        here - block.base < block.nbytes) {
        cwu_symbol_describe(block.place, place, sizeof place);
        snprintf(hint, sizeof hint,
                 "; %s gave that to this unit, %d, at %s: keep its unit in the pointer", block.call,
                 segment->rank, place);
    }
    return drt_refuse(call, DART_ERR_INVAL,
                      "dart_memalloc gave unit %d no block with %zu bytes at offset %llu%s",
                      gptr.unitid, nbytes, (unsigned long long)at, hint);
}

dart_ret_t drt_resolve(const char *call, dart_gptr_t gptr, size_t nbytes, drt_target_t *target_p)
{
    drt_segment_t *segment = drt_segment_find_any(gptr);
    if (!segment)
        return drt_refuse_segment(call, gptr);
    if (!segment->parts)
        drt_index_enter(segment);
    const drt_team_t *team = drt_team_find(gptr.teamid);
    if (!drt_is_member(team, gptr.unitid)) {
        *target_p = (drt_target_t){.is_nowhere = drt_is_ignored(team, gptr.unitid)};
        return target_p->is_nowhere ? DART_OK : refuse_unit_of(call, gptr, nbytes, team);
    }
    const uint64_t at = gptr.addr_or_offs.offset;
    const drt_part_t *part = segment->parts ? &segment->parts[gptr.unitid] : NULL;
    const uint64_t most = segment->sizes[gptr.unitid];
    if (nbytes > most || at > most - nbytes)
        return refuse_beyond(call, gptr, nbytes, most);
    if (CW_CHECKING() && gptr.segid == DART_SEGMENT_LOCAL && nbytes > 0) {
        dart_ret_t rc = gptr.unitid == segment->rank
                            ? drt_check_here(call, "the global pointer", segment->own + at, nbytes)
                            : check_there(call, segment, gptr, nbytes);
        if (rc != DART_OK)
            return rc;
    }
    char *far = segment->far[gptr.unitid], *near = segment->near[gptr.unitid];
    *target_p = (drt_target_t){.pe = cw_group_pe(team->group, gptr.unitid),
                               .far = far + at,
                               .near = near ? near + at : NULL};
    if (part && !part->symmetric)
        name_private(part, at, target_p);
    return DART_OK;
}

static cw_device_rows_there_t device_bytes(const drt_target_t *target, size_t at, void *here,
                                           size_t nbytes)
{
    return (cw_device_rows_there_t){.there = target->there.offset + at,
                                    .here = here,
                                    .nbytes = nbytes,
                                    .n = 1,
                                    .part = target->device};
}

bool drt_read(const char *call, const drt_target_t *target, size_t at, void *dest, size_t nbytes)
{
    if (target->device) {
        const cw_device_rows_there_t rows = device_bytes(target, at, dest, nbytes);
        cw_device_part_get(call, target->pe, &rows, (uintptr_t)target->far + at);
        return false;
    }
    if (target->is_private) {
        cw_private_t there = target->there;
        there.addr += at;
        there.offset += at;
        return cw_private_get(call, dest, &there, nbytes);
    }
    cw_get_nbi(&cw_ctx_default, dest, target->far + at, nbytes, target->pe);
    return true;
}

bool drt_write(const char *call, const drt_target_t *target, size_t at, const void *src,
               size_t nbytes)
{
    if (target->device) {
        const cw_device_rows_there_t rows =
            device_bytes(target, at, (void *)(uintptr_t)src, nbytes);
        return cw_device_part_put(call, target->pe, &rows, (uintptr_t)target->far + at);
    }
    if (target->is_private) {
        cw_private_t there = target->there;
        there.addr += at;
        there.offset += at;
        return cw_private_put(call, &there, src, nbytes);
    }
    cw_put_nbi(&cw_ctx_default, target->far + at, src, nbytes, target->pe);
    return true;
}

/** "DART_TYPE_INT", or the number of a type that the program has made. */
static const char *type_text(dart_datatype_t type, char *text, size_t nbytes)
{
    const char *name = drt_value_name(false, (uint64_t)type);
    if (!name)
        snprintf(text, nbytes, "%lld", (long long)type);
    return name ? name : text;
}

static dart_ret_t refuse_types(const drt_transfer_t *t)
{
    size_t each, span;
    char text[4][24];
    dart_datatype_t remote, local;
    if (!drt_base_of(t->remote_type, &remote, &each) || !drt_base_of(t->local_type, &local, &each))
        return drt_refuse(t->call, DART_ERR_INVAL,
                          "types %lld and %lld: one of them does not exist",
                          (long long)t->remote_type, (long long)t->local_type);
    if (remote != local)
        return drt_refuse(t->call, DART_ERR_INVAL,
                          "types %s (remote) and %s (local) have different elements, %s and %s; "
                          "values are not converted",
                          type_text(t->remote_type, text[0], sizeof text[0]),
                          type_text(t->local_type, text[1], sizeof text[1]),
                          type_text(remote, text[2], sizeof text[2]),
                          type_text(local, text[3], sizeof text[3]));
    if (t->nelem > SIZE_MAX / each)
        return drt_refuse_size(t->call, t->nelem, local);
    bool whole = drt_span(t->nelem, t->remote_type, &span);
    return drt_refuse(t->call, DART_ERR_INVAL, "%zu elements are no whole blocks of type %lld",
                      t->nelem, (long long)(whole ? t->local_type : t->remote_type));
}

/** Have both types the same elements, in whole blocks? *span_p: bytes of the remote part. */
static bool types_match(const drt_transfer_t *t, size_t *span_p)
{
    size_t each, span;
    dart_datatype_t remote, local;
    return drt_base_of(t->remote_type, &remote, &each) &&
           drt_base_of(t->local_type, &local, &each) && remote == local &&
           drt_span(t->nelem, t->local_type, &span) && drt_span(t->nelem, t->remote_type, span_p);
}

/** Bytes that lie behind each other here and there. */
static size_t next_run(drt_walk_t *remote, drt_walk_t *local)
{
    if (!drt_walk_next(remote) || !drt_walk_next(local))
        return 0;
    return remote->run < local->run ? remote->run : local->run;
}

/** Rows of one length on both sides, at least one of them strided. False: nothing was done. */
static bool copy_strided(const drt_transfer_t *t, char *near)
{
    const drt_type_t *remote = drt_type_find(t->remote_type), *local = drt_type_find(t->local_type);
    const bool remote_gaps = remote && remote->nelems > 0, local_gaps = local && local->nelems > 0;
    const drt_type_t *rows = remote_gaps ? remote : local_gaps ? local : NULL;
    if (!rows || (remote_gaps && remote->nblocks) || (local_gaps && local->nblocks) ||
        (remote_gaps && local_gaps && remote->reach != local->reach))
        return false;
    const size_t n = t->nelem / rows->nelems, nbytes = rows->reach,
                 remote_step = remote_gaps ? remote->stride : nbytes,
                 local_step = local_gaps ? local->stride : nbytes;
    if (t->put)
        cwu_copy_rows((uintptr_t)near, (ptrdiff_t)remote_step, (uintptr_t)t->local,
                      (ptrdiff_t)local_step, nbytes, n);
    else
        cwu_copy_rows((uintptr_t)t->local, (ptrdiff_t)local_step, (uintptr_t)near,
                      (ptrdiff_t)remote_step, nbytes, n);
    return true;
}

static void copy_runs(const drt_transfer_t *t, char *near)
{
    drt_walk_t remote = drt_walk(near, t->nelem, t->remote_type),
               local = drt_walk(t->local, t->nelem, t->local_type);
    for (size_t n; (n = next_run(&remote, &local)) > 0;) {
        if (t->put)
            cw_copy(remote.at, local.at, n);
        else
            cw_copy(local.at, remote.at, n);
        drt_walk_take(&remote, n);
        drt_walk_take(&local, n);
    }
}

static void copy_near(const drt_transfer_t *t, char *near)
{
    if (!copy_strided(t, near))
        copy_runs(t, near);
    if (!t->put)
        cw_get_done();
}

/** Small pieces travel packed. */
static void move_pieces(const drt_transfer_t *t, const drt_target_t *target, size_t span)
{
    drt_walk_t remote = drt_walk(target->far, t->nelem, t->remote_type),
               local = drt_walk(t->local, t->nelem, t->local_type);
    cw_pieces_t pieces;
    cw_pieces_begin(&pieces, &cw_ctx_default, target->pe, t->put, span);
    for (size_t n; (n = next_run(&remote, &local)) > 0;) {
        if (n <= pieces.most)
            cw_pieces_add(&pieces, remote.at, local.at, n);
        else if (t->put)
            cw_put_nbi(&cw_ctx_default, remote.at, local.at, n, target->pe);
        else
            cw_get_nbi(&cw_ctx_default, local.at, remote.at, n, target->pe);
        drt_walk_take(&remote, n);
        drt_walk_take(&local, n);
    }
    cw_pieces_end(&pieces);
}

/** Piece by piece: private memory. */
static bool move_runs(const drt_transfer_t *t, const drt_target_t *target)
{
    bool in_flight = false;
    drt_walk_t remote = drt_walk(target->far, t->nelem, t->remote_type),
               local = drt_walk(t->local, t->nelem, t->local_type);
    for (size_t n; (n = next_run(&remote, &local)) > 0;) {
        size_t at = (size_t)(remote.at - target->far);
        in_flight |= t->put ? drt_write(t->call, target, at, local.at, n)
                            : drt_read(t->call, target, at, local.at, n);
        drt_walk_take(&remote, n);
        drt_walk_take(&local, n);
    }
    return in_flight;
}

static bool is_one_piece(const drt_transfer_t *t)
{
    size_t nbytes;
    return drt_nbytes(t->nelem, t->remote_type, &nbytes) &&
           drt_nbytes(t->nelem, t->local_type, &nbytes);
}

/** Off the node, or observed. */
static bool move(const drt_transfer_t *t, const drt_target_t *target, size_t nbytes)
{
    if (!is_one_piece(t)) {
        move_pieces(t, target, nbytes);
        return true;
    }
    if (t->put)
        cw_put_nbi(&cw_ctx_default, target->far, t->local, nbytes, target->pe);
    else if (t->blocking)
        cw_get(&cw_ctx_default, t->local, target->far, nbytes, target->pe);
    else
        cw_get_nbi(&cw_ctx_default, t->local, target->far, nbytes, target->pe);
    return t->put || !t->blocking;
}

/** Not of types with gaps, whose blocks may lie between each other. */
static dart_ret_t check_apart(const drt_transfer_t *t, const drt_target_t *target, size_t span)
{
    if (target->pe != cw_world.pe || !drt_is_basic(t->local_type) ||
        !drt_is_basic(t->remote_type) || !cw_check_overlap(target->far, t->local, span))
        return DART_OK;
    return drt_refuse(t->call, DART_ERR_INVAL,
                      "source and destination (%zu bytes) overlap: %s and %s are partly the same "
                      "memory; use memmove, or another buffer",
                      span, cw_at(t->put ? t->local : target->far, span),
                      cw_at(t->put ? target->far : t->local, span));
}

static CW_COLD dart_ret_t check_local(const drt_transfer_t *t, const drt_target_t *target)
{
    size_t span;
    drt_span(t->nelem, t->local_type, &span);
    dart_ret_t rc = check_apart(t, target, span);
    return rc != DART_OK ? rc : drt_check_here(t->call, t->put ? "src" : "dest", t->local, span);
}

static CW_NOINLINE dart_ret_t transfer(const drt_transfer_t *t, bool *flying_p)
{
    size_t span;
    drt_target_t target;
    if (!types_match(t, &span))
        return refuse_types(t);
    dart_ret_t rc = drt_resolve(t->call, t->gptr, span, &target);
    if (rc != DART_OK)
        return rc;
    if (t->nelem == 0 || target.is_nowhere)
        return DART_OK;  // the address may be NULL
    if (!t->local)
        return drt_refuse_null(t->call, t->put ? "src" : "dest");
    if (CW_CHECKING() && (rc = check_local(t, &target)) != DART_OK)
        return rc;
    CW_WATCH(cw_watch_call(t->call));
    if (target.near)
        copy_near(t, target.near);
    else
        *flying_p = target.is_private ? move_runs(t, &target) : move(t, &target, span);
    if (CW_CHECKING() && is_one_piece(t))
        saw(t->gptr, target.pe, t->local, span);
    return DART_OK;
}

dart_ret_t drt_transfer(const drt_transfer_t *t, bool *flying_p)
{
    *flying_p = false;
    if (CW_LIKELY(!CW_CHECKING()))
        return transfer(t, flying_p);
    if (transfer_seen(t))
        return DART_OK;
    dart_ret_t rc = transfer(t, flying_p);
    cw_pair_leave();  // refused calls have no frame
    return rc;
}

/** -1: the pointer leads behind the last unit. */
static int pe_of(dart_gptr_t gptr)
{
    const drt_team_t *team = drt_team_find(gptr.teamid);
    return team && drt_is_member(team, gptr.unitid) ? cw_group_pe(team->group, gptr.unitid) : -1;
}

/** Not of types with gaps. */
void drt_keep_source(const drt_transfer_t *t, void *handle, const void *caller)
{
    size_t nbytes;
    const int pe = pe_of(t->gptr);
    if (pe < 0 || !drt_nbytes(t->nelem, t->local_type, &nbytes))
        return;
    if (handle)
        cw_handle_keep_source(handle, caller, t->local, nbytes, pe);
    else
        cw_source_begin(CW_SOURCE_FLUSH, 0, caller, t->local, nbytes, pe);
}

void drt_keep_get(const drt_transfer_t *t, const void *caller)
{
    const int pe = pe_of(t->gptr);
    if (pe >= 0 && t->nelem > 0)
        cw_source_begin_get(CW_GET_FLUSH, 0, caller, pe);
}

// ---------------------------------------------------------------- gets that land later
drt_gets_t drt_gets;

void drt_gets_copy(void)
{
    const uint64_t n = drt_gets.n;
    for (uint64_t i = n > DRT_GETS ? n - DRT_GETS : 1; i < n; i++)
        memcpy(drt_gets.of[i % DRT_GETS].dest, drt_gets.of[i % DRT_GETS].near, 8);
    drt_gets.n = 0;
    cw_get_done();
}
