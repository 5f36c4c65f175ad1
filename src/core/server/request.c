// SPDX-License-Identifier: BSD-3-Clause
//
// Executes requests on the node object, by a table of opcodes: transfers and atomics here, others
// by rooms that register. All fields come from the network and are checked before use; malformed
// requests are dropped, though records before a malformed one are executed, and the first one is
// reported.
#include <string.h>

#include "base/copy/rows.h"
#include "core/bulk/accumulate.h"
#include "core/mem/segment.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"
#include "core/route/request.h"
#include "core/server/server.h"

bool cw_request_in_bounds(uint64_t offset, uint64_t nbytes, uint32_t *slot_p)
{
    const cwt_layout_t *l = &cw_segment.layout;
    if (offset < l->slice_offset)
        return false;
    uint64_t slot = (offset - l->slice_offset) / l->slice_stride;
    uint64_t at = (offset - l->slice_offset) % l->slice_stride;
    if (slot >= l->nslots)
        return false;
    *slot_p = (uint32_t)slot;
    if (at < l->data_nbytes)
        return nbytes <= l->data_nbytes - at;
    return at >= l->heap_offset && at - l->heap_offset < l->heap_nbytes &&
           nbytes <= l->heap_nbytes - (at - l->heap_offset);
}

uint64_t cw_server_room[CW_MESSAGE_MAX / sizeof(uint64_t)] CW_LARGE;

static void wake(uint32_t slot)
{
    cw_local_stored(cw_world.pes_of_node[slot]);
}

static bool execute_amo(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_amo_t *req = (const cw_req_amo_t *)(const void *)msg;
    uint32_t slot;
    if (nbytes != sizeof *req || (req->nbytes != 4 && req->nbytes != 8) ||
        req->offset % req->nbytes || req->op >= CW_AMO_OPS ||
        !cw_request_in_bounds(req->offset, req->nbytes, &slot))
        return false;
    uint64_t old = cw_amo_local(cw_segment.base + req->offset, (cw_amo_op_t)req->op, req->nbytes,
                                req->operand, req->compare);
    if (from->awaits_reply)
        cw_server_reply(from, &old, sizeof old);
    if (req->op != CW_AMO_FETCH)
        wake(slot);
    return true;
}

/** Does all lie in one part of one slot? */
static bool strided_fits(const cw_req_strided_t *req, uint64_t payload_limit, uint32_t *slot_p)
{
    uint64_t payload = (uint64_t)req->block_nbytes * req->nblocks;
    int64_t span;
    if (req->nblocks == 0 || req->block_nbytes == 0 || payload > payload_limit ||
        __builtin_mul_overflow(req->stride, (int64_t)req->nblocks - 1, &span))
        return false;
    uint64_t length = span < 0 ? -(uint64_t)span : (uint64_t)span;
    return length < cw_segment.nbytes && (span > 0 || req->offset >= length) &&
           cw_request_in_bounds(span < 0 ? req->offset - length : req->offset,
                                length + req->block_nbytes, slot_p);
}

static bool execute_put_strided(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    cw_req_strided_t req;
    uint32_t slot;
    (void)from;
    if (nbytes < sizeof req)
        return false;
    memcpy(&req, msg, sizeof req);  // read once: it may lie in a cell, which others may write
    if (!strided_fits(&req, nbytes - sizeof req, &slot))
        return false;
    const char *payload = (const char *)msg + sizeof req;
    cwu_copy_rows((uintptr_t)cw_segment.base + req.offset, req.stride, (uintptr_t)payload,
                  req.block_nbytes, req.block_nbytes, req.nblocks);
    wake(slot);
    return true;
}

static size_t gather_strided(const cwt_header_t *msg, size_t nbytes, char *out, size_t room)
{
    cw_req_strided_t req;
    uint32_t slot;
    if (nbytes != sizeof req)
        return 0;
    memcpy(&req, msg, sizeof req);  // of a cell, perhaps
    if (!strided_fits(&req, room, &slot))
        return 0;
    cwu_copy_rows((uintptr_t)out, req.block_nbytes, (uintptr_t)cw_segment.base + req.offset,
                  req.stride, req.block_nbytes, req.nblocks);
    return (size_t)req.nblocks * req.block_nbytes;
}

static bool execute_get_strided(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    char *payload = (char *)cw_server_room;
    size_t n = from->awaits_reply ? gather_strided(msg, nbytes, payload, CW_STRIDED_PAYLOAD) : 0;
    if (n > 0)
        cw_server_reply(from, payload, n);
    return n > 0;
}

/** Returns the record's words; 0: it is malformed. */
static size_t put_piece(const uint64_t *at, size_t nwords)
{
    uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED);  // once: it may lie in a cell
    uint64_t offset = word & CW_BATCH_OFFSET_MAX;
    size_t nbytes = (size_t)(word >> 48), words = 1 + (nbytes + 7) / 8;
    uint32_t slot;
    if (nbytes == 0 || words > nwords || !cw_request_in_bounds(offset, nbytes, &slot))
        return 0;
    cw_copy(cw_segment.base + offset, at + 1, nbytes);
    wake(slot);
    return words;
}

static bool execute_put_pieces(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const uint64_t *at = (const uint64_t *)(const void *)(msg + 1);
    size_t left = (nbytes - sizeof *msg) / sizeof *at, words = 1;
    (void)from;
    for (; left > 0 && words > 0; at += words, left -= words)
        words = put_piece(at, left);
    return words > 0;
}

static size_t gather_pieces(const cwt_header_t *msg, size_t nbytes, char *out, size_t room)
{
    const uint64_t *at = (const uint64_t *)(const void *)(msg + 1);
    size_t n = (nbytes - sizeof *msg) / sizeof *at, done = 0;
    uint32_t slot;
    if (nbytes % sizeof *at)
        return 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t word = __atomic_load_n(&at[i], __ATOMIC_RELAXED);  // once: it may lie in a cell
        uint64_t offset = word & CW_BATCH_OFFSET_MAX, piece = word >> 48;
        if (piece == 0 || piece > room - done || !cw_request_in_bounds(offset, piece, &slot))
            return 0;
        cw_copy(out + done, cw_segment.base + offset, piece);
        done += piece;
    }
    return done;
}

static bool execute_get_pieces(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    char *payload = (char *)cw_server_room;
    size_t n = from->awaits_reply ? gather_pieces(msg, nbytes, payload, CW_PIECES_PAYLOAD) : 0;
    if (n > 0)
        cw_server_reply(from, payload, n);
    return n > 0;
}

static bool execute_fill(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_fill_t *req = (const cw_req_fill_t *)(const void *)msg;
    uint32_t slot;
    (void)from;
    if (nbytes != sizeof *req || req->nbytes == 0 ||
        !cw_request_in_bounds(req->offset, req->nbytes, &slot))
        return false;
    memset(cw_segment.base + req->offset, (int)(req->value & 0xff), req->nbytes);
    wake(slot);
    return true;
}

static bool batched_amo(char *at, unsigned op, size_t nbytes, const uint64_t *payload)
{
    if ((nbytes != 4 && nbytes != 8) || (uintptr_t)at % nbytes || op == CW_AMO_FETCH ||
        op > CW_AMO_XOR)
        return false;
    cw_amo_local(at, (cw_amo_op_t)op, nbytes, *payload, 0);
    return true;
}

/** Words of the sizes that programs wait for are stored at once. */
static void batched_put(char *at, size_t nbytes, const uint64_t *payload)
{
    if ((nbytes == 8 || nbytes == 4 || nbytes == 2 || nbytes == 1) && (uintptr_t)at % nbytes == 0)
        cw_store_bits(at, *payload, nbytes);
    else
        memcpy(at, payload, nbytes);
}

/** A batch's reply, in cw_server_room. */
typedef struct values {
    bool wanted;
    size_t nbytes;  // so far
} values_t;

/** NULL: no room, or no reply. */
static uint64_t *next_value(values_t *values, size_t nbytes)
{
    size_t whole = (nbytes + 7) & ~(size_t)7;
    if (!values->wanted || whole > CW_BATCH_ANSWERS - values->nbytes)
        return NULL;
    uint64_t *at = &cw_server_room[values->nbytes / sizeof *at];
    values->nbytes += whole;
    return at;
}

static size_t batched_get(const uint64_t *record, values_t *values)
{
    uint64_t offset = *record & CW_BATCH_OFFSET_MAX;
    size_t nbytes = CW_BATCH_NBYTES(*record);
    uint32_t slot;
    if (nbytes == 0 || !cw_request_in_bounds(offset, nbytes, &slot))
        return 0;
    const char *from = cw_segment.base + offset;
    uint64_t *at = next_value(values, nbytes);
    if (!at)
        return 0;
    at[(nbytes - 1) / sizeof *at] = 0;  // padding
    if ((nbytes == 8 || nbytes == 4 || nbytes == 2 || nbytes == 1) && (uintptr_t)from % nbytes == 0)
        *at = cw_load_bits(from, nbytes);
    else
        memcpy(at, from, nbytes);
    return 1;
}

static size_t batched_fetch(const uint64_t *record, size_t nwords, values_t *values)
{
    uint64_t offset = *record & CW_BATCH_OFFSET_MAX;
    size_t field = CW_BATCH_NBYTES(*record), nbytes = field & 15, op = field >> 4,
           words = op == CW_AMO_CSWAP ? 3 : 2;
    uint32_t slot;
    if ((nbytes != 4 && nbytes != 8) || offset % nbytes || op >= CW_AMO_OPS || nwords < words ||
        !cw_request_in_bounds(offset, nbytes, &slot))
        return 0;
    uint64_t *at = next_value(values, nbytes);
    if (!at)
        return 0;
    *at = cw_amo_local(cw_segment.base + offset, (cw_amo_op_t)op, nbytes, record[1],
                       words == 3 ? record[2] : 0);
    if (op != CW_AMO_FETCH)
        wake(slot);
    return words;
}

static cw_server_message_t message;

void cw_server_handle_messages(cw_server_message_t deliver)
{
    message = deliver;
}

static bool batched_add(uint64_t offset, cwu_number_t part, size_t nbytes, const uint64_t *payload)
{
    if (cwu_number_splits(nbytes, part))
        return false;
    cw_accumulate_here(offset, cw_segment.base + offset, part, NULL, payload, nbytes);
    return true;
}

/** Returns the record's words; 0: it is malformed. */
static size_t batched_record(const uint64_t *record, size_t nwords, values_t *values)
{
    uint64_t offset = *record & CW_BATCH_OFFSET_MAX;
    unsigned kind = CW_BATCH_KIND(*record);
    size_t nbytes = CW_BATCH_NBYTES(*record), words = 1 + (nbytes + 7) / 8;
    uint32_t slot;
    if (kind == CW_BATCH_GET)
        return batched_get(record, values);
    if (kind == CW_BATCH_FETCH)
        return batched_fetch(record, nwords, values);
    if (nbytes == 0 || nwords < words)
        return 0;
    if (kind == CW_BATCH_MESSAGE)
        return message && message(offset, record + 1, nbytes) ? words : 0;
    if (!cw_request_in_bounds(offset, nbytes, &slot))
        return 0;
    char *at = cw_segment.base + offset;
    bool known = true;
    if (kind == CW_BATCH_PUT)
        batched_put(at, nbytes, record + 1);
    else if (kind >= CW_BATCH_ADD)
        known = batched_add(offset, (cwu_number_t)(kind - CW_BATCH_ADD), nbytes, record + 1);
    else
        known = batched_amo(at, kind - CW_BATCH_AMO, nbytes, record + 1);
    if (!known)
        return 0;
    wake(slot);
    return words;
}

static bool execute_batch(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const uint64_t *at = (const uint64_t *)(const void *)(msg + 1);
    size_t left = (nbytes - sizeof *msg) / sizeof *at, words = 1;
    values_t values = {.wanted = from->awaits_reply};
    for (; left > 0 && words > 0; at += words, left -= words)
        words = batched_record(at, left, &values);
    if (values.wanted)
        cw_server_reply(from, cw_server_room, values.nbytes);
    return words > 0;
}

// ---------------------------------------------------------------- the table

static struct {
    const char *what;  // in messages
    cw_server_execute_t execute;
    cw_server_gather_t gather;  // NULL: not into cells
} kinds[CW_SERVER_OPS] = {
    [CW_REQ_AMO] = {"atomic", execute_amo, NULL},
    [CW_REQ_PUT_STRIDED] = {"strided put", execute_put_strided, NULL},
    [CW_REQ_GET_STRIDED] = {"strided get", execute_get_strided, gather_strided},
    [CW_REQ_BATCH] = {"batch", execute_batch, NULL},
    [CW_REQ_FILL] = {"memset", execute_fill, NULL},
    [CW_REQ_GET_PIECES] = {"get", execute_get_pieces, gather_pieces},
    [CW_REQ_ACCUMULATE] = {"accumulate", cw_request_accumulate, NULL},
    [CW_REQ_CELLS] = {"loan of memory", cw_request_cells, NULL},
    [CW_REQ_IN_CELL] = {"staged", cw_request_in_cell, NULL},
    [CW_REQ_PUT_PIECES] = {"put", execute_put_pieces, NULL},
    [CW_REQ_TO_CELL] = {"staged get", cw_request_to_cell, NULL},
};

cw_server_execute_t cw_request_kind(unsigned op)
{
    return kinds[op].execute;
}

void cw_server_handle(unsigned op, const char *what, cw_server_execute_t execute)
{
    if (op >= CW_SERVER_OPS || (kinds[op].execute && kinds[op].execute != execute))
        cwu_fatal("two rooms execute requests of opcode %u (%s)", op, what);
    kinds[op].what = what;
    kinds[op].execute = execute;
}

void cw_server_handle_gather(unsigned op, cw_server_gather_t gather)
{
    kinds[op].gather = gather;
}

size_t cw_request_gather(const cwt_header_t *msg, size_t nbytes, char *out, size_t room)
{
    unsigned op = __atomic_load_n(&msg->op, __ATOMIC_RELAXED);  // it may lie in a cell
    return op < CW_SERVER_OPS && kinds[op].gather ? kinds[op].gather(msg, nbytes, out, room) : 0;
}

static cw_server_execute_t routed;

void cw_server_handle_routed(cw_server_execute_t execute)
{
    routed = execute;
}

static void refuse(const char *what, const cwt_header_t *msg)
{
    static _Atomic int reported;
    if (!atomic_exchange(&reported, 1))
        cwu_warn("dropped a malformed %s request (op %u, %u bytes) that came over the network",
                 what, msg->op, msg->nbytes);
}

void cw_server_reply(cw_from_t *from, const void *payload, size_t nbytes)
{
    if (from->client) {
        cw_transport->server_reply(from->client, payload, nbytes);
    } else if (nbytes <= from->capacity) {
        memcpy(from->reply, payload, nbytes);
        from->nbytes = nbytes;
    }
}

void cw_request_run(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    unsigned op = msg->op & ~(unsigned)CW_REQ_ROUTED;
    // After what the provider and earlier requests stored. A put behind a request is stored after
    // the request's acknowledgement, whose sending orders it.
    atomic_thread_fence(memory_order_release);
    if (op >= CW_SERVER_OPS || !kinds[op].execute)
        refuse("unknown", msg);
    else if (!kinds[op].execute(from, msg, nbytes))
        refuse(kinds[op].what, msg);
}

void cw_request_execute(void *arg, cwt_from_t *client, const cwt_header_t *msg, size_t nbytes)
{
    cw_from_t from = {.client = client, .awaits_reply = msg->reply_id != 0};
    (void)arg;
    if (!(msg->op & CW_REQ_ROUTED))
        cw_request_run(&from, msg, nbytes);
    else if (!routed || !routed(&from, msg, nbytes))
        refuse("forwarded", msg);
}
