// SPDX-License-Identifier: BSD-3-Clause
//
// Direct gets bring all from the first row to the last; the rows are taken out here. Two parts are
// under way at a time.
#include "core/bulk/sieve.h"

#include "core/bulk/stage.h"
#include "core/port/ctx.h"

#define LEAST CW_STRIDED_PAYLOAD  // bytes: fewer come in one reply

typedef struct part {
    cwt_reply_t landed;
    char *bytes;
    size_t n;  // rows
} part_t;

bool cw_sieve_pays(ptrdiff_t stride, size_t nbytes, size_t n)
{
    return n > 1 && nbytes <= CW_STAGE_PIECE_MAX && nbytes * n > LEAST &&
           stride >= (ptrdiff_t)nbytes && (size_t)stride <= nbytes + nbytes / 4;
}

static void begin(part_t *part, cw_ctx_t *ctx, const cwt_target_t *t, const cw_rows_t *r, size_t at,
                  int rank)
{
    size_t most = CW_STAGE_BUFFER / (size_t)r->src_stride, left = r->n - at;
    part->n = left < most ? left : most;
    cw_ctx_must(cw_transport->get_begin(
                    t->conn, r->src + at * (size_t)r->src_stride + t->offset, part->bytes,
                    (part->n - 1) * (size_t)r->src_stride + r->nbytes, &part->landed),
                "strided get", ctx, rank);
}

static void finish(part_t *part, cw_ctx_t *ctx, const cw_rows_t *r, size_t at, int rank)
{
    cw_ctx_must(cw_transport->wait(ctx->port->client, &part->landed), "strided get", ctx, rank);
    cwu_copy_rows(r->dest + at * (uintptr_t)r->dest_stride, r->dest_stride, (uintptr_t)part->bytes,
                  r->src_stride, r->nbytes, part->n);
}

bool cw_sieve_get(cw_ctx_t *ctx, const cwt_target_t *t, const cw_rows_t *r, int rank)
{
    part_t part[2] = {{.bytes = cw_stage_buffer(ctx)}, {.bytes = cw_stage_buffer(ctx)}};
    bool can = part[0].bytes && part[1].bytes;
    size_t asked = 0, done = 0;
    for (unsigned i = 0; can && done < r->n; i ^= 1) {
        for (unsigned j = i; asked < r->n && part[j].n == 0; j ^= 1) {
            begin(&part[j], ctx, t, r, asked, rank);
            asked += part[j].n;
        }
        finish(&part[i], ctx, r, done, rank);
        done += part[i].n;
        part[i].n = 0;
    }
    cw_stage_buffer_done(ctx, part[0].bytes);
    cw_stage_buffer_done(ctx, part[1].bytes);
    return can;
}
