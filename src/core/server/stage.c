// SPDX-License-Identifier: BSD-3-Clause
//
// The node's cells (core/bulk/stage.h): lends, executes and fills them. A borrower returns a cell
// behind the last request that uses it, so the next borrower finds it free.
#include <string.h>

#include "base/env.h"
#include "core/bulk/stage.h"
#include "core/mem/segment.h"
#include "core/server/server.h"

/** Changed in the server's progress, under its lock. */
static struct {
    uint32_t lent;  // cells
    struct {
        uint32_t number;  // of the last lease
        bool lent;
    } cell[CW_CELLS];
} stage;

void cw_server_stage_reset(void)
{
    memset(&stage, 0, sizeof stage);
}

static bool is_lent(cw_lease_t lease)
{
    return lease.cell < CW_CELLS && stage.cell[lease.cell].lent &&
           stage.cell[lease.cell].number == lease.number;
}

/** The lowest free cells, so that few ever take memory. Half of them may be kept; others come back
 *  after each transfer. */
static void lend(cw_cells_t *answer, uint32_t want)
{
    uint32_t most = (uint32_t)cwu_env.staging;
    for (uint32_t i = 0; i < most && answer->n < want; i++) {
        if (stage.cell[i].lent)
            continue;
        stage.cell[i].lent = true;
        stage.lent++;
        answer->lease[answer->n++] = (cw_lease_t){i, ++stage.cell[i].number};
    }
    answer->keep = stage.lent <= most / 2;
}

bool cw_request_cells(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_cells_t *req = (const cw_req_cells_t *)(const void *)msg;
    cw_cells_t answer = {0};
    if (nbytes != sizeof *req || req->n > CW_CELLS_MOST || req->want > CW_CELLS_MOST)
        return false;
    for (uint32_t i = 0; i < req->n; i++) {
        if (!is_lent(req->lease[i]))
            return false;
        stage.cell[req->lease[i].cell].lent = false;
        stage.lent--;
    }
    if (!from->awaits_reply)
        return req->want == 0;
    lend(&answer, req->want);
    cw_server_reply(from, &answer, sizeof answer);
    return true;
}

/** Only requests without a reply may lie in a cell. */
static bool is_body(unsigned op)
{
    return op == CW_REQ_PUT_STRIDED || op == CW_REQ_PUT_PIECES || op == CW_REQ_ACCUMULATE ||
           op == CW_REQ_PRIVATE || op == CW_REQ_UPDATE || op == CW_REQ_DEVICE;
}

static char *cell_of(cw_lease_t lease)
{
    return cw_segment.base + cw_stage_section.offset + (size_t)lease.cell * CW_CELL_NBYTES;
}

/** A client may write the body: it is checked as a message is, and each word that decides is read
 *  once (request.c). */
static bool execute_body(const cw_req_in_cell_t *req)
{
    const cwt_header_t *body = (const cwt_header_t *)(const void *)cell_of(req->lease);
    cw_from_t none = {.client = NULL, .awaits_reply = false};
    unsigned op = __atomic_load_n(&body->op, __ATOMIC_RELAXED);
    return req->nbytes >= sizeof *body && req->nbytes <= CW_CELL_NBYTES && is_body(op) &&
           cw_request_kind(op) && cw_request_kind(op)(&none, body, req->nbytes);
}

bool cw_request_in_cell(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_in_cell_t *req = (const cw_req_in_cell_t *)(const void *)msg;
    if (nbytes != sizeof *req || !from->awaits_reply)
        return false;
    bool good = is_lent(req->lease) && execute_body(req);
    cw_server_reply(from, NULL, 0);
    return good;
}

/** Gathers what the request in the message or in the cell names. Returns bytes; 0: it is
 *  malformed. */
static size_t gather(const cw_req_to_cell_t *req, size_t nbytes)
{
    char *cell = cell_of(req->lease);
    const cwt_header_t *request = (const cwt_header_t *)(const void *)(req + 1);
    size_t behind = nbytes - sizeof *req;
    if (req->at > CW_CELL_NBYTES || req->nbytes > req->at || (req->nbytes > 0 && behind > 0))
        return 0;
    if (req->nbytes > 0) {
        request = (const cwt_header_t *)(const void *)cell;
        behind = req->nbytes;
    }
    if (behind < sizeof *request)
        return 0;
    return cw_request_gather(request, behind, cell + req->at, CW_CELL_NBYTES - req->at);
}

bool cw_request_to_cell(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_to_cell_t *req = (const cw_req_to_cell_t *)(const void *)msg;
    if (nbytes < sizeof *req || !from->awaits_reply)
        return false;
    uint64_t got = is_lent(req->lease) ? gather(req, nbytes) : 0;
    cw_server_reply(from, &got, sizeof got);
    return got > 0;
}
