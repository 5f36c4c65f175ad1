// SPDX-License-Identifier: BSD-3-Clause
//
// Calls without waiting. A handle holds the number of a quiet (core/owner/handle.h), or 0 where
// local memory is not in use: copies within the node, small puts, what was packed into requests. A
// later number covers an earlier one, so a handle that is used again without a wait completes all.
//
// An aggregate handle collects puts, or gets, of one process in a list, which leaves as one
// transfer of many pieces: when the handle is waited for or tested, when the list is full, when an
// operation of the other kind or to another process comes, before other operations of the thread
// with the process, and before a fence, a barrier or the end. Values are kept in the list.
#include <stdlib.h>
#include <string.h>

#include "armci/device.h"
#include "armci/far.h"
#include "base/error.h"
#include "base/lock.h"
#include "core/observe/sources.h"

enum { LIST_MOST = 256 };

/** causeway_kind */
enum {
    AGGREGATE = 1,
    PUTS = 2,  // what the list has; else gets
    KINDS = 3
};

typedef struct piece {
    void *remote, *local;
    size_t nbytes;
} piece_t;

typedef struct list {
    struct list *next;   // of all
    const void *thread;  // whose calls fill it
    const char *call;    // the last one
    int proc;
    bool put;
    cw_handle_t sent;  // what left before, and the handle has not taken over
    size_t n;
    piece_t piece[LIST_MOST];
    uint64_t value[LIST_MOST];
} list_t;

list_t *aci_lists;
static cwu_lock_t lists_lock;       // guards the chain of lists
static _Thread_local char my_mark;  // its address names the thread

// ---------------------------------------------------------------- checks
static bool is_live(const list_t *list)
{
    cwu_lock(&lists_lock);
    const list_t *at = aci_lists;
    while (at && at != list)
        at = at->next;
    cwu_unlock(&lists_lock);
    return at != NULL;
}

/** Nothing that was not initialised may be followed. */
static void check_handle(const char *call, const armci_hdl_t *hdl)
{
    if (!hdl)
        aci_fail(call, "the handle is NULL");
    cw_handle_t op = hdl->causeway_op;
    if ((hdl->causeway_kind & ~KINDS) || (hdl->causeway_list && !hdl->causeway_kind) ||
        (op != CW_HANDLE_DONE && (!((uintptr_t)op & 1) || !cw_handle_is_known(op))))
        aci_fail(call, "the handle at %s has not been initialised; use ARMCI_INIT_HANDLE",
                 cw_at(hdl, sizeof *hdl));
}

/** The same, and its list exists. */
static void check_whole_handle(const char *call, const armci_hdl_t *hdl)
{
    check_handle(call, hdl);
    if (hdl->causeway_list && !is_live(hdl->causeway_list))
        aci_fail(call,
                 "the aggregate handle at %s has not been initialised (ARMCI_INIT_HANDLE), or is a "
                 "copy of one that was waited for",
                 cw_at(hdl, sizeof *hdl));
}

bool aci_is_aggregate(const armci_hdl_t *hdl)
{
    return (hdl->causeway_kind & AGGREGATE) != 0;
}

// ---------------------------------------------------------------- operations
/** A later number covers the one before; 0 does not. */
static void add_operation(void **op_p)
{
    cw_handle_t handle = cw_handle_make(true, NULL);
    if (handle != CW_HANDLE_DONE)
        *op_p = handle;
}

void aci_begun(const aci_op_t *op, bool in_use)
{
    if (op->hdl && in_use)
        add_operation(&op->hdl->causeway_op);
}

// ---------------------------------------------------------------- aggregates
static list_t *create_list(const aci_op_t *op)
{
    list_t *list = malloc(sizeof *list);
    if (!list)
        cwu_fatal("%s: out of memory for an aggregate handle", op->call);
    list->n = 0;
    list->sent = CW_HANDLE_DONE;
    list->thread = &my_mark;
    cwu_lock(&lists_lock);
    list->next = aci_lists;
    __atomic_store_n(&aci_lists, list, __ATOMIC_RELAXED);
    cwu_unlock(&lists_lock);
    return list;
}

static void destroy_list(list_t *list)
{
    cwu_lock(&lists_lock);
    list_t **at = &aci_lists;
    while (*at != list)
        at = &(*at)->next;
    __atomic_store_n(at, list->next, __ATOMIC_RELAXED);
    cwu_unlock(&lists_lock);
    free(list);
}

/** The pieces from number `from` on: all small ones up to a large one, or a large one. *in_use_p:
 *  becomes true where local memory stays in use. */
static size_t send_some(const char *call, const list_t *list, size_t n, size_t from, bool *in_use_p)
{
    const piece_t *piece = list->piece;
    size_t to = from + 1, total = piece[from].nbytes;
    while (piece[from].nbytes < CW_PIECE_MAX && to < n && piece[to].nbytes < CW_PIECE_MAX)
        total += piece[to++].nbytes;
    aci_far_t f;
    aci_far_begin(&f, call, list->proc, list->put, to - from > 1 ? total : 0);
    for (size_t i = from; i < to; i++)
        aci_far_add(&f, piece[i].remote, piece[i].local, piece[i].nbytes);
    *in_use_p |= aci_far_end(&f);
    return to;
}

/** Sends what was collected, in order: what was put to one location later comes later. */
static void send_pieces(const char *call, list_t *list)
{
    bool in_use = false;
    const size_t n = list->n;
    list->n = 0;  // the transfers go behind what is left in lists
    for (size_t i = 0; i < n;)
        i = send_some(call, list, n, i, &in_use);
    if (in_use)
        add_operation(&list->sent);
}

/** The handle takes over what left the list now or before, which is later than all that it has. */
static void send_list(const char *call, armci_hdl_t *hdl)
{
    list_t *list = hdl->causeway_list;
    if (!list)
        return;
    send_pieces(call, list);
    if (list->sent != CW_HANDLE_DONE)
        hdl->causeway_op = list->sent;
    list->sent = CW_HANDLE_DONE;
}

/** A list of the calling thread that is not empty, for that process (-1: any); not `except`. */
static list_t *find_filled(int proc, const list_t *except)
{
    cwu_lock(&lists_lock);
    list_t *list = aci_lists;
    while (list && (list == except || list->thread != &my_mark || list->n == 0 ||
                    (proc >= 0 && list->proc != proc)))
        list = list->next;
    cwu_unlock(&lists_lock);
    return list;
}

void aci_lists_send(const char *call)
{
    for (list_t *list; (list = find_filled(-1, NULL));)
        send_pieces(call, list);
}

void aci_lists_send_to(int proc)
{
    for (list_t *list; (list = find_filled(proc, NULL));)
        send_pieces(list->call, list);
}

/** Before a handle collects for the process: what other handles have. */
static void send_others(int proc, const list_t *mine)
{
    for (list_t *list; (list = find_filled(proc, mine));)
        send_pieces(list->call, list);
}

/** Is there a list of another handle? */
static bool has_others(const list_t *mine)
{
    const list_t *first = __atomic_load_n(&aci_lists, __ATOMIC_RELAXED);
    return first != mine || (mine && __atomic_load_n(&mine->next, __ATOMIC_RELAXED));
}

/** Sends it, and gives up the list. */
static void end_list(const char *call, armci_hdl_t *hdl)
{
    send_list(call, hdl);
    if (hdl->causeway_list)
        destroy_list(hdl->causeway_list);
    hdl->causeway_list = NULL;
}

bool aci_collects(const aci_op_t *op)
{
    armci_hdl_t *hdl = op->hdl;
    if (!hdl)
        return false;
    check_handle(op->call, hdl);
    if (!(hdl->causeway_kind & AGGREGATE))
        return false;
    if (CW_UNLIKELY(aci.check))
        check_whole_handle(op->call, hdl);
    if (hdl->causeway_proc != op->proc || !(hdl->causeway_kind & PUTS) == op->put) {
        send_list(op->call, hdl);
        hdl->causeway_proc = op->proc;
        hdl->causeway_kind = op->put ? AGGREGATE | PUTS : AGGREGATE;
    }
    if (CW_UNLIKELY(has_others(hdl->causeway_list)))
        send_others(op->proc, hdl->causeway_list);
    return true;
}

/** Where the piece's local memory may be kept. */
static uint64_t *append(const aci_op_t *op, void *remote, void *local, size_t nbytes)
{
    list_t *list = op->hdl->causeway_list;
    if (list && list->n == LIST_MOST)
        send_list(op->call, op->hdl);
    if (!list)
        op->hdl->causeway_list = list = create_list(op);
    list->call = op->call;
    list->proc = op->proc;
    list->put = op->put;
    list->piece[list->n] = (piece_t){remote, local, nbytes};
    return &list->value[list->n++];
}

void aci_collect(const aci_op_t *op, void *remote, void *local, size_t nbytes)
{
    if (nbytes > 0)
        append(op, remote, local, nbytes);
}

/** A value of at most 8 bytes, which is kept. */
static void collect_value(const aci_op_t *op, void *dst, const void *value, size_t nbytes)
{
    uint64_t *kept = append(op, dst, NULL, nbytes);
    memcpy(kept, value, nbytes);
    list_t *list = op->hdl->causeway_list;
    list->piece[list->n - 1].local = kept;
}

void aci_collect_section(const aci_op_t *op, const cwu_section_t *s)
{
    cwu_planes_t w;
    for (cwu_planes_begin(&w, s); w.more; cwu_planes_next(&w))
        for (size_t i = 0; i < s->n[0]; i++) {
            void *src = (void *)(w.src + i * (uintptr_t)s->src_stride[0]),
                 *dst = (void *)(w.dst + i * (uintptr_t)s->dst_stride[0]);
            append(op, op->put ? dst : src, op->put ? src : dst, s->row);
        }
}

ACI_API void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl)
{
    check_handle(__func__, hdl);
    hdl->causeway_kind |= AGGREGATE;
}

ACI_API void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl)
{
    ACI_ENTER();
    check_whole_handle(__func__, hdl);
    end_list(__func__, hdl);
    hdl->causeway_kind = 0;
}

// ---------------------------------------------------------------- contiguous
static int contiguous(const aci_op_t *op, void *remote, void *local, intptr_t nbytes)
{
    aci_check_transfer(op->call, op->proc, remote, local, nbytes);
    uintptr_t word = cw_owner_find_word(&aci_owner, (uint32_t)op->proc);
    if (cw_owner_is_mapped(word)) {
        if (op->put)
            aci_put(op->call, local, remote, nbytes, op->proc);
        else
            aci_get(op->call, remote, local, nbytes, op->proc);
        return 0;
    }
    if (CW_UNLIKELY(aci.devices) && aci_device_contiguous(op, remote, local, (size_t)nbytes))
        return 0;
    if (aci_collects(op)) {
        aci_collect(op, remote, local, (size_t)nbytes);
        return 0;
    }
    if (op->put && nbytes <= (intptr_t)ACI_COPIED_MOST)
        return aci_put(op->call, local, remote, nbytes, op->proc);
    if (!op->put && aci_get_of_many(remote, local, nbytes, op->proc)) {
        aci_begun(op, true);
        return 0;
    }
    aci_far_t f;
    aci_far_begin(&f, op->call, op->proc, op->put, 0);
    aci_far_add(&f, remote, local, (size_t)nbytes);
    aci_begun(op, aci_far_end(&f));
    return 0;
}

ACI_API int PARMCI_NbPut(void *src, void *dst, armci_size_t bytes, int proc, armci_hdl_t *hdl)
{
    uintptr_t word;
    if (aci_is_near(proc, &word) && CW_LIKELY(bytes > 0)) {
        cw_copy(cw_local_address(word, dst), src, (size_t)bytes);
        return 0;
    }
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    const aci_op_t op = {aci_call(__func__), proc, true, true, hdl};
    int rc = contiguous(&op, dst, src, bytes);
    if (CW_UNLIKELY(aci.check))
        cw_source_begin(CW_SOURCE_REQUEST, (uintptr_t)hdl, ACI_CALLER, src, (size_t)bytes, proc);
    aci_keep_put(proc, ACI_CALLER);
    return rc;
}
ACI_WEAK(ARMCI_NbPut);

ACI_API int PARMCI_NbGet(void *src, void *dst, armci_size_t bytes, int proc, armci_hdl_t *hdl)
{
    uintptr_t word;
    if (aci_is_near(proc, &word) && CW_LIKELY(bytes > 0)) {
        cw_copy(dst, cw_local_address(word, src), (size_t)bytes);
        cw_get_done();
        return 0;
    }
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    const aci_op_t op = {aci_call(__func__), proc, false, true, hdl};
    return contiguous(&op, src, dst, bytes);
}
ACI_WEAK(ARMCI_NbGet);

static int put_value(const aci_op_t *op, void *dst, void *value, size_t nbytes)
{
    aci_check_transfer(op->call, op->proc, dst, ACI_NO_BUFFER, (intptr_t)nbytes);
    const bool on_device = aci.devices && aci_device_has(op->proc, dst, nbytes);
    if (on_device || !aci_is_far(op->proc) || !aci_collects(op))
        return aci_put(op->call, value, dst, (intptr_t)nbytes, op->proc);
    collect_value(op, dst, value, nbytes);
    return 0;
}

#define NB_PUT_VALUE(Name, type)                                                           \
    ACI_API int PARMCI_NbPutValue##Name(type value, void *dst, int proc, armci_hdl_t *hdl) \
    {                                                                                      \
        ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));                                   \
        const aci_op_t op = {aci_call(__func__), proc, true, true, hdl};                   \
        return put_value(&op, dst, &value, sizeof value);                                  \
    }                                                                                      \
    ACI_WEAK(ARMCI_NbPutValue##Name)
NB_PUT_VALUE(Int, int);
NB_PUT_VALUE(Long, long);
NB_PUT_VALUE(Float, float);
NB_PUT_VALUE(Double, double);

// ---------------------------------------------------------------- strided, vectors
ACI_API int PARMCI_NbPutS(void *src, int *src_stride, void *dst, int *dst_stride, int *count,
                          int levels, int proc, armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    aci_keep_put(proc, ACI_CALLER);
    const aci_op_t op = {aci_call(__func__), proc, true, true, hdl};
    return aci_strided(&op, src, src_stride, dst, dst_stride, count, levels);
}
ACI_WEAK(ARMCI_NbPutS);

ACI_API int PARMCI_NbGetS(void *src, int *src_stride, void *dst, int *dst_stride, int *count,
                          int levels, int proc, armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    const aci_op_t op = {aci_call(__func__), proc, false, true, hdl};
    return aci_strided(&op, src, src_stride, dst, dst_stride, count, levels);
}
ACI_WEAK(ARMCI_NbGetS);

ACI_API int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    aci_keep_put(proc, ACI_CALLER);
    const aci_op_t op = {aci_call(__func__), proc, true, true, hdl};
    return aci_vector(&op, iov, iov_len);
}
ACI_WEAK(ARMCI_NbPutV);

ACI_API int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    const aci_op_t op = {aci_call(__func__), proc, false, true, hdl};
    return aci_vector(&op, iov, iov_len);
}
ACI_WEAK(ARMCI_NbGetV);

// ---------------------------------------------------------------- completion
ACI_API int PARMCI_Wait(armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_ends(__func__, hdl));
    const char *call = aci_call(__func__);
    check_whole_handle(call, hdl);
    end_list(call, hdl);
    cw_handle_wait(call, hdl->causeway_op);
    hdl->causeway_op = CW_HANDLE_DONE;
    return 0;
}
ACI_WEAK(ARMCI_Wait);

ACI_API int PARMCI_Test(armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_ends(__func__, hdl));
    const char *call = aci_call(__func__);
    check_whole_handle(call, hdl);
    end_list(call, hdl);
    if (!cw_handle_test(hdl->causeway_op))
        return 1;
    hdl->causeway_op = CW_HANDLE_DONE;
    return 0;
}
ACI_WEAK(ARMCI_Test);

ACI_API int PARMCI_WaitProc(int proc)
{
    ACI_ENTER_WITH(aci_watch_ends(__func__, NULL));
    aci_check_proc(aci_call(__func__), proc);
    aci_send_collected(aci_call(__func__));
    if (aci_pending(proc) & (ACI_GETS | ACI_SOURCES))
        aci_order_quiet();
    return 0;
}
ACI_WEAK(ARMCI_WaitProc);

ACI_API int PARMCI_WaitAll(void)
{
    ACI_ENTER_WITH(aci_watch_ends(__func__, NULL));
    aci_order_complete(aci_call(__func__));
    return 0;
}
ACI_WEAK(ARMCI_WaitAll);
