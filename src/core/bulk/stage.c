// SPDX-License-Identifier: BSD-3-Clause
//
// The sender's side of staging. Each cell has a buffer here, the source of puts into it; both are
// free when the server has answered the request behind the put.
#include "core/bulk/stage.h"

#include <stdlib.h>

#include "core/path/contact.h"
#include "core/port/ctx.h"
#include "core/rma/routed.h"

#define KEPT_MOST 4u        // cells that a port keeps, over all nodes
#define SPARE_MOST 2u       // buffers without a cell that it keeps
#define LEAST 16384u        // bytes of a transfer; below, messages are as quick
#define PART_LEAST 262144u  // bytes of a transfer that travel alone
#define REFUSALS 16u        // transfers by messages after the server had no cell

typedef struct cw_stage_cell {
    cwt_reply_t reply;  // first; done: cell and body are free
    struct cw_stage_cell *next;
    cw_lease_t lease;
    bool keep;        // the server allows it
    bool landing;     // the direct get has begun
    uint64_t got;     // bytes gathered by the server
    uint32_t at;      // their place in the cell
    uint32_t nbytes;  // bytes that it should gather
    _Alignas(64) unsigned char body[CW_CELL_NBYTES];
} cw_stage_cell_t;

typedef struct node {
    cw_stage_cell_t *kept;  // lent, and in no transfer
    uint32_t refusals;      // transfers until the server is asked again
} node_t;

/** A free buffer without a cell. */
typedef struct spare {
    struct spare *next;
} spare_t;

/** Guarded by the port's lock. */
typedef struct cw_stage_port {
    cw_stage_cell_t *over;  // given back; buffers may be in use
    spare_t *spare;
    uint32_t nspare;
    uint32_t nkept;
    node_t node[];   // [nnodes]
} cw_stage_port_t;

static uint64_t cells_nbytes(void)
{
    return cw_world.nnodes > 1 ? (uint64_t)CW_CELLS * CW_CELL_NBYTES : 0;
}

cw_section_t cw_stage_section = {.in = CW_SECTION_CONTROL, .align = 4096, .nbytes = cells_nbytes};

// ---------------------------------------------------------------- what a port keeps
static void free_cells(cw_stage_cell_t *cell)
{
    while (cell) {
        cw_stage_cell_t *next = cell->next;
        free(cell);
        cell = next;
    }
}

/** The port closes; nothing is in flight. */
static void forget(cw_port_t *port)
{
    cw_stage_port_t *stage = port->stage;
    for (int i = 0; i < cw_world.nnodes; i++)
        free_cells(stage->node[i].kept);
    free_cells(stage->over);
    for (spare_t *spare; (spare = stage->spare); free(spare))
        stage->spare = spare->next;
    free(stage);
    port->stage = NULL;
}

/** Frees buffers of returned cells whose last put is over. Lock held. */
static void sweep(cw_stage_port_t *stage)
{
    for (cw_stage_cell_t **at = &stage->over, *cell; (cell = *at);)
        if (cell->reply.done) {
            *at = cell->next;
            free(cell);
        } else {
            at = &cell->next;
        }
}

static cw_stage_port_t *stage_of(cw_port_t *port)
{
    if (!port->stage)
        port->stage = calloc(1, sizeof *port->stage + (size_t)cw_world.nnodes * sizeof(node_t));
    port->forget = forget;
    return port->stage;
}

void *cw_stage_buffer(cw_ctx_t *ctx)
{
    spare_t *spare = NULL;
    cw_ctx_enter(ctx);
    cw_stage_port_t *stage = stage_of(ctx->port);
    if (stage && (spare = stage->spare)) {
        stage->spare = spare->next;
        stage->nspare--;
    }
    cw_ctx_leave(ctx);
    return spare || !stage ? spare : malloc(CW_STAGE_BUFFER);
}

void cw_stage_buffer_done(cw_ctx_t *ctx, void *buffer)
{
    spare_t *spare = buffer;
    cw_ctx_enter(ctx);
    cw_stage_port_t *stage = ctx->port->stage;
    bool keep = spare && stage->nspare < SPARE_MOST;
    if (keep) {
        spare->next = stage->spare;
        stage->spare = spare;
        stage->nspare++;
    }
    cw_ctx_leave(ctx);
    if (!keep)
        free(spare);
}

/** Takes kept cells, up to `want`. Returns how many to ask the server for. */
static uint32_t take_kept(cw_stage_t *s, uint32_t want)
{
    uint32_t more = 0;
    cw_ctx_enter(s->ctx);
    cw_stage_port_t *stage = stage_of(s->ctx->port);
    if (stage) {
        node_t *node = &stage->node[s->node];
        sweep(stage);
        for (; s->n < want && node->kept; stage->nkept--) {
            s->cell[s->n++] = node->kept;
            node->kept = node->kept->next;
        }
        if (s->n < want && node->refusals > 0)
            node->refusals--;
        else
            more = want - s->n;
    }
    cw_ctx_leave(s->ctx);
    return more;
}

static void refused(cw_stage_t *s)
{
    cw_ctx_enter(s->ctx);
    s->ctx->port->stage->node[s->node].refusals = REFUSALS;
    cw_ctx_leave(s->ctx);
}

// ---------------------------------------------------------------- the server's cells
static void give_back(cw_stage_t *s, const cw_lease_t *lease, uint32_t n)
{
    cw_req_cells_t req = {.header = {.op = CW_REQ_CELLS}, .n = n};
    memcpy(req.lease, lease, n * sizeof *lease);
    cw_ctx_must(cw_transport->request(s->conn, &req.header, sizeof req, NULL), s->call, s->ctx,
                s->rank);
    cw_ctx_mark(s->ctx);
}

static void ask(cw_stage_t *s, uint32_t want)
{
    cw_cells_t got = {0};
    cwt_reply_t reply = {.buf = &got, .capacity = sizeof got};
    cw_req_cells_t req = {.header = {.op = CW_REQ_CELLS}, .want = want};
    cw_ctx_must(cw_transport->request(s->conn, &req.header, sizeof req, &reply), s->call, s->ctx,
                s->rank);
    cw_ctx_must(cw_transport->wait(s->ctx->port->client, &reply), s->call, s->ctx, s->rank);
    if (reply.nbytes != sizeof got || got.n > want)
        cwu_fatal("%s: the node server of PE %d gave a malformed answer to a request for memory",
                  s->call, cw_ctx_pe(s->ctx, s->rank));
    if (got.n == 0 || (got.n < want && s->n > 0))  // it does as well with what it keeps
        refused(s);
    uint32_t i = 0;
    for (cw_stage_cell_t *cell;
         i < got.n && (cell = aligned_alloc(_Alignof(cw_stage_cell_t), sizeof *cell)); i++) {
        cell->reply = (cwt_reply_t){.done = 1};
        cell->lease = got.lease[i];
        cell->keep = got.keep != 0;
        s->cell[s->n++] = cell;
    }
    if (i < got.n)  // no memory
        give_back(s, &got.lease[i], got.n - i);
}

bool cw_stage_pays(size_t nbytes)
{
    return nbytes >= LEAST && cwu_env.staging > 0;
}

/** Bodies travel straight to the target's node: behind requests that take another way there. */
static const cwt_target_t *reach_straight(cw_ctx_t *ctx, int rank, const char *call)
{
    uintptr_t delta;
    cw_routed_drain();
    return cw_reach(ctx, call, rank, &delta);
}

bool cw_stage_begin(cw_stage_t *s, cw_ctx_t *ctx, int rank, const cwt_target_t *target,
                    size_t nbytes, const char *call)
{
    if (!cw_stage_pays(nbytes))
        return false;
    if (cw_routed_is_on())
        target = reach_straight(ctx, rank, call);
    size_t part = nbytes / CW_CELLS_MOST;
    part = part < PART_LEAST ? PART_LEAST : part < CW_CELL_PAYLOAD ? part : CW_CELL_PAYLOAD;
    s->room = part + (CW_CELL_NBYTES - CW_CELL_PAYLOAD);
    s->ctx = ctx;
    s->rank = rank;
    s->node = cw_world.node_of_pe[cw_ctx_pe(ctx, rank)];
    s->call = call;
    s->conn = target->conn;
    s->n = s->at = s->asked = 0;
    uint32_t more = take_kept(s, CW_CELLS_MOST);
    if (more > 0)
        ask(s, more);
    return s->n > 0;
}

static cw_stage_cell_t *wait_for(const cw_stage_t *s, cw_stage_cell_t *cell)
{
    // also when done: another thread may have taken the reply in, under the lock that this takes
    cw_ctx_must(cw_transport->wait(s->ctx->port->client, &cell->reply), s->call, s->ctx, s->rank);
    return cell;
}

void *cw_stage_body(cw_stage_t *s)
{
    return wait_for(s, s->cell[s->at])->body;
}

static uint64_t offset_of(const cw_stage_cell_t *cell)
{
    return cw_stage_section.offset + (uint64_t)cell->lease.cell * CW_CELL_NBYTES;
}

void cw_stage_send(cw_stage_t *s, size_t nbytes)
{
    cw_stage_cell_t *cell = s->cell[s->at];
    cw_req_in_cell_t req = {
        .header = {.op = CW_REQ_IN_CELL}, .lease = cell->lease, .nbytes = (uint32_t)nbytes};
    int rc = cw_transport->put(s->conn, offset_of(cell), cell->body, nbytes, true);
    cw_ctx_mark(s->ctx);
    if (rc == CW_OK)
        rc = cw_transport->request(s->conn, &req.header, sizeof req, &cell->reply);
    cw_ctx_must(rc, s->call, s->ctx, s->rank);
    cw_ctx_mark(s->ctx);
    s->at = (s->at + 1) % s->n;
}

// ---------------------------------------------------------------- gets
void cw_stage_ask(cw_stage_t *s, const cwt_header_t *request, size_t nbytes, size_t payload)
{
    union {
        cw_req_to_cell_t req;
        char bytes[CW_MESSAGE_MAX];
    } m;
    cw_stage_cell_t *cell = wait_for(s, s->cell[s->at]);
    bool in_message = nbytes <= sizeof m - sizeof m.req;
    cell->at = in_message ? 0 : (uint32_t)(nbytes + 63) & ~63u;
    cell->nbytes = (uint32_t)payload;
    cell->landing = false;
    cell->reply = (cwt_reply_t){.buf = &cell->got, .capacity = sizeof cell->got};
    m.req = (cw_req_to_cell_t){.header = {.op = CW_REQ_TO_CELL},
                               .lease = cell->lease,
                               .nbytes = in_message ? 0 : (uint32_t)nbytes,
                               .at = cell->at};
    int rc = 0;
    if (in_message)
        memcpy(&m.req + 1, request, nbytes);
    else
        rc = cw_transport->put(s->conn, offset_of(cell), request, nbytes, true);
    if (rc == CW_OK)
        rc = cw_transport->request(s->conn, &m.req.header, sizeof m.req + (in_message ? nbytes : 0),
                                   &cell->reply);
    cw_ctx_must(rc, s->call, s->ctx, s->rank);
    cw_ctx_mark(s->ctx);
    s->at = (s->at + 1) % s->n;
    s->asked++;
}

/** Waits until the server has filled the cell, then begins the direct get. */
static void begin_landing(cw_stage_t *s, cw_stage_cell_t *cell)
{
    if (cell->landing)
        return;
    wait_for(s, cell);
    if (cell->reply.nbytes != sizeof cell->got || cell->got != cell->nbytes)
        cwu_fatal("%s: the node server of PE %d gathered %llu bytes instead of %u", s->call,
                  cw_ctx_pe(s->ctx, s->rank), (unsigned long long)cell->got, cell->nbytes);
    cell->landing = true;
    cw_ctx_must(cw_transport->get_begin(s->conn, offset_of(cell) + cell->at, cell->body,
                                        cell->nbytes, &cell->reply),
                s->call, s->ctx, s->rank);
}

const void *cw_stage_take(cw_stage_t *s)
{
    uint32_t first = s->at + s->n - s->asked;
    begin_landing(s, s->cell[first % s->n]);
    if (s->asked > 1)  // on its way while the first is used
        begin_landing(s, s->cell[(first + 1) % s->n]);
    s->asked--;
    return wait_for(s, s->cell[first % s->n])->body;
}

// ---------------------------------------------------------------- ends
void cw_stage_end(cw_stage_t *s)
{
    cw_lease_t back[CW_CELLS_MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; cw_routed_is_on() && i < s->n; i++)
        wait_for(s, s->cell[i]);  // before requests that take another way
    cw_ctx_enter(s->ctx);
    cw_stage_port_t *stage = s->ctx->port->stage;
    for (uint32_t i = s->n; i-- > 0;) {  // the first used is the first kept
        cw_stage_cell_t *cell = s->cell[(s->at + i) % s->n];
        bool keep = cell->keep && stage->nkept < KEPT_MOST;
        cw_stage_cell_t **list = keep ? &stage->node[s->node].kept : &stage->over;
        cell->next = *list;
        *list = cell;
        if (keep)
            stage->nkept++;
        else
            back[n++] = cell->lease;
    }
    cw_ctx_leave(s->ctx);
    if (n > 0)
        give_back(s, back, n);
}
