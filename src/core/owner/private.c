// SPDX-License-Identifier: BSD-3-Clause
//
// The table of ranges, calls of the kernel, requests to node servers and their execution.
#include "core/owner/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/lock.h"
#include "core/bulk/stage.h"
#include "core/mem/memory.h"
#include "core/observe/address.h"
#include "core/owner/copy.h"
#include "core/rma/batch.h"
#include "core/rma/send.h"
#include "core/server/server.h"
#include "core/world/deaths.h"

enum { ASK, READ, WRITE };  // kinds of requests

//  0 header | 24 kind | 28 slot | 32 range | 36 nbytes | 40 offset | 48 payload of a WRITE
// reply to ASK: 8 bytes, not 0 if the server reaches the range; to READ: nbytes of payload, none
// if it is gone
typedef struct request {
    cwt_header_t header;
    uint32_t kind;
    uint32_t slot;  // of the PE, in its node
    uint32_t range;
    uint32_t nbytes;
    uint64_t offset;  // in the range
} request_t;
_Static_assert(sizeof(request_t) == 48, "wire format");

enum {
    PUT_MOST = CW_MESSAGE_MAX - sizeof(request_t),
    GET_MOST = CW_MESSAGE_MAX - sizeof(cwt_header_t)
};

/** How a PE is reached. */
typedef enum { UNKNOWN, BY_KERNEL, BY_OWNER, GONE } way_t;

static struct {
    const cw_area_request_t *area;
    size_t table_at;
    cw_private_range_t *own;  // this PE's table; NULL: closed
    uint32_t used;            // places that were ever used
    cwu_lock_t lock;          // guards used, and changes of the table
    uint8_t *way;             // [npes] way_t; threads that find one store the same
} ranges;

// ---------------------------------------------------------------- ranges
/** Of a PE of this node, also before that PE opens it. */
static cw_private_range_t *ranges_of(int pe)
{
    char *at = ranges.area ? cw_area_own(ranges.area, &(size_t){0}) : NULL;
    return at ? (cw_private_range_t *)cw_area_early(at + ranges.table_at, pe) : NULL;
}

/** For copies by the owner. */
static bool shares(const void *addr, size_t nbytes)
{
    bool found = false;
    cwu_lock(&ranges.lock);
    for (uint32_t i = 0; ranges.own && i < ranges.used && !found; i++) {
        uint64_t at = (uintptr_t)addr - ranges.own[i].begin;
        found = at < ranges.own[i].nbytes && nbytes <= ranges.own[i].nbytes - at;
    }
    cwu_unlock(&ranges.lock);
    return found;
}

static void allow(void)
{
    static bool allowed;
    if (!allowed)
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // for Yama; refused elsewhere
    allowed = true;
}

static _Atomic uint32_t *shares_all(int pe)
{
    return &cw_segment.slots[cw_world.slot_of_pe[pe]].shares_all;
}

void cw_private_share_all(void)
{
    allow();
    // pairs with is_shared
    atomic_store_explicit(shares_all(cw_world.pe), 1, memory_order_release);
}

bool cw_private_share(void *begin, size_t nbytes, uint32_t *range_p)
{
    allow();
    cwu_lock(&ranges.lock);
    uint32_t i = 0;
    while (i < ranges.used && ranges.own[i].begin)
        i++;
    bool found = i < CW_PRIVATE_RANGES;
    if (found) {
        ranges.used = i == ranges.used ? ranges.used + 1 : ranges.used;
        ranges.own[i].begin = begin ? (uintptr_t)begin : 1;  // taken
        // pairs with is_shared
        __atomic_store_n(&ranges.own[i].nbytes, begin ? nbytes : 0, __ATOMIC_RELEASE);
        *range_p = i;
    }
    cwu_unlock(&ranges.lock);
    return found;
}

void cw_private_unshare(uint32_t range)
{
    cwu_lock(&ranges.lock);
    __atomic_store_n(&ranges.own[range].nbytes, 0, __ATOMIC_RELEASE);
    ranges.own[range].begin = 0;
    cwu_unlock(&ranges.lock);
}

// ---------------------------------------------------------------- calls of the kernel
/** 0, or the kernel's error. */
static int move(int pe, bool put, void *local, uint64_t addr, size_t nbytes)
{
    while (nbytes > 0) {
        struct iovec here = {local, nbytes}, there = {(void *)(uintptr_t)addr, nbytes};
        ssize_t n = put ? process_vm_writev(cw_pid_of(pe), &here, 1, &there, 1, 0)
                        : process_vm_readv(cw_pid_of(pe), &here, 1, &there, 1, 0);
        if (n <= 0)
            return n < 0 ? errno : EFAULT;
        local = (char *)local + n;
        addr += (size_t)n;
        nbytes -= (size_t)n;
    }
    return 0;
}

static bool is_forbidden(int error)
{
    return error == EPERM || error == EACCES || error == ENOSYS;
}

/** May the job outlive the PE? */
static bool is_death(uint32_t range, int error)
{
    return error == ESRCH && range == CW_PRIVATE_ALL && cw_boot.deaths;
}

static void failed(const char *call, const cw_private_t *at, size_t nbytes, int error)
{
    if (at->range == CW_PRIVATE_ALL)
        cwu_fatal("%s: %zu bytes of private memory at 0x%llx of PE %d: %s; it must be there while "
                  "others use it",
                  call, nbytes, (unsigned long long)at->addr, at->pe, strerror(error));
    cwu_fatal("%s: %zu bytes of registered memory at %s of PE %d: %s; memory must be there until "
              "it is deregistered",
              call, nbytes, cw_at_of(at->pe, (void *)(uintptr_t)at->addr, nbytes), at->pe,
              strerror(error));
}

// ---------------------------------------------------------------- what a server does
/** *addr_p: of bytes of a range of this node's PEs. False: the request names none. */
static bool is_shared(const request_t *req, uint64_t *addr_p)
{
    if (req->slot >= (uint32_t)cw_world.nslots)
        return false;
    const int pe = cw_world.pes_of_node[req->slot];
    *addr_p = req->offset;
    if (req->range == CW_PRIVATE_ALL)
        return atomic_load_explicit(shares_all(pe), memory_order_acquire) != 0;
    const cw_private_range_t *ranges = req->range < CW_PRIVATE_RANGES ? ranges_of(pe) : NULL;
    if (!ranges)
        return false;
    // pairs with cw_private_share
    uint64_t nbytes = __atomic_load_n(&ranges[req->range].nbytes, __ATOMIC_ACQUIRE);
    *addr_p = ranges[req->range].begin + req->offset;
    return req->offset < nbytes && req->nbytes <= nbytes - req->offset;
}

static bool execute(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    char *payload = (char *)cw_server_room;
    request_t req;
    uint64_t addr;
    if (nbytes < sizeof req)
        return false;
    memcpy(&req, msg, sizeof req);  // of a cell, which others may write: what is checked is used
    if (!is_shared(&req, &addr) || from->awaits_reply != (req.kind != WRITE))
        return false;
    int pe = cw_world.pes_of_node[req.slot], error = 0;
    if (req.kind == ASK) {
        uint64_t reaches = !is_forbidden(move(pe, false, payload, addr, 1));
        cw_server_reply(from, &reaches, sizeof reaches);
    } else if (req.kind == READ && req.nbytes <= GET_MOST) {
        error = move(pe, false, payload, addr, req.nbytes);
        if (!error || is_death(req.range, error))
            cw_server_reply(from, payload, error ? 0 : req.nbytes);
    } else if (req.kind == WRITE && req.nbytes <= nbytes - sizeof req) {
        error = move(pe, true, (char *)(uintptr_t)msg + sizeof req, addr, req.nbytes);
    } else {
        return false;
    }
    if (error && !is_death(req.range, error))
        failed(req.kind == READ ? "a get" : "a put",
               &(cw_private_t){.pe = pe, .range = req.range, .addr = addr}, req.nbytes, error);
    return true;
}

// ---------------------------------------------------------------- requests to it
static request_t request_to(const cw_private_t *at, uint32_t kind, size_t done, size_t nbytes)
{
    return (request_t){.header = {.op = CW_REQ_PRIVATE},
                       .kind = kind,
                       .slot = (uint32_t)cw_world.slot_of_pe[at->pe],
                       .range = at->range,
                       .nbytes = (uint32_t)nbytes,
                       .offset = at->offset + done};
}

static const cwt_target_t *reach(const char *call, int pe)
{
    uintptr_t delta;
    cw_batch_pass(&cw_ctx_default, pe);
    return cw_request_reach(&cw_ctx_default, call, pe, &delta);
}

static void send(const char *call, int pe, const cwt_target_t *target, cwt_header_t *msg,
                 size_t nbytes, cwt_reply_t *reply)
{
    cw_ctx_must(cw_request_send(cw_world.node_of_pe[pe], target->conn, msg, nbytes, reply), call,
                &cw_ctx_default, pe);
    cw_ctx_mark(&cw_ctx_default);
}

static void put_staged(const cw_private_t *to, const char *src, size_t nbytes, cw_stage_t *stage)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        char *body = cw_stage_body(stage);
        n = stage->room - sizeof(request_t);
        n = nbytes - at < n ? nbytes - at : n;
        request_t req = request_to(to, WRITE, at, n);
        memcpy(body, &req, sizeof req);
        memcpy(body + sizeof req, src + at, n);
        cw_stage_send(stage, sizeof req + n);
    }
    cw_stage_end(stage);
}

static void put_there(const char *call, const cw_private_t *to, const char *src, size_t nbytes)
{
    struct {
        request_t req;
        char payload[PUT_MOST];
    } message;
    cw_stage_t stage;
    const cwt_target_t *target = reach(call, to->pe);
    if (cw_stage_begin(&stage, &cw_ctx_default, to->pe, target, nbytes, call)) {
        put_staged(to, src, nbytes, &stage);
        return;
    }
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = nbytes - at < PUT_MOST ? nbytes - at : PUT_MOST;
        message.req = request_to(to, WRITE, at, n);
        memcpy(message.payload, src + at, n);
        send(call, to->pe, target, &message.req.header, sizeof message.req + n, NULL);
    }
}

/** A reply under way, and where its bytes go. */
typedef struct part {
    cwt_reply_t reply;  // first: `arrived` gets its address
    void *dest;
    size_t nbytes;
    int pe;
} part_t;

/** to: of a get, or NULL. */
static void set_gone(int pe, void *to, size_t nbytes)
{
    __atomic_store_n(&ranges.way[pe], GONE, __ATOMIC_RELAXED);
    if (to)
        memset(to, 0, nbytes);
}

static void arrived(cwt_reply_t *reply, const void *payload, size_t nbytes)
{
    part_t *part = (part_t *)reply;
    if (nbytes == 0) {
        set_gone(part->pe, part->dest, part->nbytes);
    } else {
        if (nbytes != part->nbytes)
            cwu_fatal("get of registered memory: %zu bytes came from PE %d instead of %zu", nbytes,
                      part->pe, part->nbytes);
        memcpy(part->dest, payload, nbytes);
    }
    free(part);
}

static void get_there(const char *call, char *dest, const cw_private_t *from, size_t nbytes)
{
    const cwt_target_t *target = reach(call, from->pe);
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = nbytes - at < GET_MOST ? nbytes - at : GET_MOST;
        part_t *part = malloc(sizeof *part);
        if (!part)
            cwu_fatal("%s: out of memory for a reply", call);
        *part = (part_t){.reply = {.arrived = arrived, .capacity = n},
                         .dest = dest + at,
                         .nbytes = n,
                         .pe = from->pe};
        request_t req = request_to(from, READ, at, n);
        send(call, from->pe, target, &req.header, sizeof req, &part->reply);
    }
}

static bool server_reaches(const char *call, const cw_private_t *at)
{
    uint64_t reaches = 0;
    cwt_reply_t reply = {.buf = &reaches, .capacity = sizeof reaches};
    const cwt_target_t *target = reach(call, at->pe);
    request_t req = request_to(at, ASK, 0, 1);
    send(call, at->pe, target, &req.header, sizeof req, &reply);
    cw_ctx_must(cw_request_wait(&cw_ctx_default, &reply), call, &cw_ctx_default, at->pe);
    return reaches != 0;
}

// ---------------------------------------------------------------- transfers
static void open_ways(const char *call)
{
    ranges.way = calloc((size_t)cw_world.npes, sizeof *ranges.way);
    if (!ranges.way)
        cwu_fatal("%s: out of memory for a table of %d PEs", call, cw_world.npes);
}

/** The way to the PE of a place of at least one byte. */
static way_t way_to(const char *call, const cw_private_t *at)
{
    char byte;
    if (CW_UNLIKELY(!ranges.way))
        open_ways(call);
    way_t known = (way_t)__atomic_load_n(&ranges.way[at->pe], __ATOMIC_RELAXED);
    if (at->range == CW_PRIVATE_ALL && cw_killed_by(at->pe))  // its number may be another's
        known = GONE;
    if (CW_LIKELY(known != UNKNOWN))
        return known;
    cw_gather();
    if (cw_world.node_of_pe[at->pe] == cw_world.node)
        known = is_forbidden(move(at->pe, false, &byte, at->addr, 1)) ? BY_OWNER : BY_KERNEL;
    else
        known = server_reaches(call, at) ? BY_KERNEL : BY_OWNER;
    __atomic_store_n(&ranges.way[at->pe], known, __ATOMIC_RELAXED);
    return known;
}

bool cw_private_reaches(const char *call, const cw_private_t *at)
{
    return at->pe == cw_world.pe || way_to(call, at) != BY_OWNER;
}

bool cw_private_is_gone(const char *call, int pe)
{
    if (!ranges.way || __atomic_load_n(&ranges.way[pe], __ATOMIC_RELAXED) != GONE)
        return false;
    cw_wait_t w = CW_WAIT_INIT(call);
    while (!cw_killed_by(pe))
        cw_wait_round(&w);
    cw_wait_done(&w);
    return true;
}

static void by_owner(const char *call, const cw_private_t *at, bool put, void *local, size_t nbytes)
{
    cw_handle_op_t op = {0};
    void *remote = (void *)(uintptr_t)at->addr;
    if (put)
        cw_owner_copy_put((uint32_t)at->pe, remote, local, nbytes, &op);
    else
        cw_owner_copy_get(local, (uint32_t)at->pe, remote, nbytes, &op);
    cw_handle_op_wait(call, &op);
}

/** Only gets write local. */
static bool transfer(const char *call, const cw_private_t *at, bool put, void *local, size_t nbytes)
{
    void *remote = (void *)(uintptr_t)at->addr;
    if (nbytes == 0)
        return false;
    if (at->pe == cw_world.pe) {
        memmove(put ? remote : local, put ? local : remote, nbytes);
        return false;
    }
    const way_t way = way_to(call, at);
    if (way == BY_OWNER) {
        by_owner(call, at, put, local, nbytes);
        return false;
    }
    if (way == GONE || cw_world.node_of_pe[at->pe] == cw_world.node) {
        int error = way == GONE ? ESRCH : move(at->pe, put, local, at->addr, nbytes);
        if (is_death(at->range, error))
            set_gone(at->pe, put ? NULL : local, nbytes);
        else if (error)
            failed(call, at, nbytes, error);
        return false;
    }
    if (put)
        put_there(call, at, local, nbytes);
    else
        get_there(call, local, at, nbytes);
    return true;
}

bool cw_private_put(const char *call, const cw_private_t *to, const void *src, size_t nbytes)
{
    CW_WATCH(cw_watch_transfer(CW_OP_PUT, nbytes, to->pe));
    return transfer(call, to, true, (void *)(uintptr_t)src, nbytes);
}

bool cw_private_get(const char *call, void *dest, const cw_private_t *from, size_t nbytes)
{
    CW_WATCH(cw_watch_transfer(CW_OP_GET, nbytes, from->pe));
    return transfer(call, from, false, dest, nbytes);
}

// ---------------------------------------------------------------- life
void cw_private_expect_all(void)
{
    cw_server_handle(CW_REQ_PRIVATE, "registered memory", execute);
}

void cw_private_expect(const cw_area_request_t *request, size_t at)
{
    ranges.area = request;
    ranges.table_at = at;
    cw_private_expect_all();
}

void cw_private_open(const char *call)
{
    ranges.own = (cw_private_range_t *)(void *)((char *)cw_area_own(ranges.area, &(size_t){0}) +
                                                ranges.table_at);
    ranges.used = 0;
    if (!ranges.way)
        open_ways(call);
    cw_owner_copy_register_shares(shares);
    cw_owner_copy_open();
}

void cw_private_close(void)
{
    cw_owner_copy_close();
    for (uint32_t i = 0; i < ranges.used; i++)
        cw_private_unshare(i);
    ranges.own = NULL;
    cw_private_close_all();
}

void cw_private_close_all(void)
{
    if (ranges.own)
        return;  // registered memory needs them
    free(ranges.way);
    ranges.way = NULL;
}
