// SPDX-License-Identifier: BSD-3-Clause
//
// Deficit round robin over the inputs of a way out.
#include "core/route/turns.h"

#include <stdlib.h>

enum { TURN_NBYTES = 256 };  // for a node behind an in-edge, each time round

static cw_turns_fifo_t *fifo_of(const cw_turns_t *t, const cw_turns_links_t *links, uint32_t input,
                                uint32_t slot)
{
    return &t->fifo[(size_t)input * links->nslots + slot];
}

// ---------------------------------------------------------------- inputs that have requests
static void append_input(cw_turns_t *t, uint32_t input)
{
    t->input[input].behind = 0;
    if (t->last)
        t->input[t->last - 1].behind = input + 1;
    else
        t->first = input + 1;
    t->last = input + 1;
}

static uint32_t remove_input(cw_turns_t *t)
{
    uint32_t input = t->first - 1;
    t->first = t->input[input].behind;
    if (!t->first)
        t->last = 0;
    return input;
}

static void append_slot(cw_turns_t *t, const cw_turns_links_t *links, uint32_t input, uint32_t slot)
{
    cw_turns_input_t *in = &t->input[input];
    fifo_of(t, links, input, slot)->behind = 0;
    if (in->last)
        fifo_of(t, links, input, in->last - 1u)->behind = (uint16_t)(slot + 1);
    else
        in->first = (uint16_t)(slot + 1);
    in->last = (uint16_t)(slot + 1);
}

static uint32_t remove_slot(cw_turns_t *t, const cw_turns_links_t *links, uint32_t input)
{
    cw_turns_input_t *in = &t->input[input];
    uint32_t slot = in->first - 1u;
    in->first = fifo_of(t, links, input, slot)->behind;
    if (!in->first)
        in->last = 0;
    in->repeated = 0;
    return slot;
}

// ---------------------------------------------------------------- requests
static bool has_memory(cw_turns_t *t, const cw_turns_links_t *links)
{
    if (t->fifo)
        return true;
    t->input = calloc(links->ninputs, sizeof *t->input);
    t->fifo = calloc((size_t)links->ninputs * links->nslots, sizeof *t->fifo);
    if (t->input && t->fifo)
        return true;
    cw_turns_destroy(t);
    return false;
}

bool cw_turns_add(cw_turns_t *t, const cw_turns_links_t *links, uint32_t input, uint32_t slot,
                  uint32_t request)
{
    if (!has_memory(t, links))
        return false;
    cw_turns_fifo_t *fifo = fifo_of(t, links, input, slot);
    if (fifo->first) {
        links->set_next(links->ctx, input, slot, fifo->last, request);
    } else {
        fifo->first = request;
        if (!t->input[input].first)
            append_input(t, input);
        append_slot(t, links, input, slot);
    }
    fifo->last = request;
    return true;
}

uint32_t cw_turns_peek(cw_turns_t *t, const cw_turns_links_t *links, uint32_t *input_p,
                       uint32_t *slot_p)
{
    while (t->first) {
        uint32_t input = t->first - 1, slot = t->input[input].first - 1u;
        uint32_t request = fifo_of(t, links, input, slot)->first;
        if (t->input[input].deficit >= (int64_t)links->nbytes(links->ctx, input, slot, request)) {
            *input_p = input;
            *slot_p = slot;
            return request;
        }
        t->input[input].deficit += (int64_t)links->weight[input] * TURN_NBYTES;
        append_input(t, remove_input(t));
    }
    return 0;
}

/** Slot 0 has a turn for each PE behind it. */
static uint32_t turns_of_first(const cw_turns_links_t *links, uint32_t input)
{
    return (links->weight[input] - 1) * links->nslots + 1;
}

void cw_turns_remove(cw_turns_t *t, const cw_turns_links_t *links)
{
    uint32_t input = t->first - 1, slot = t->input[input].first - 1u;
    cw_turns_input_t *in = &t->input[input];
    cw_turns_fifo_t *fifo = fifo_of(t, links, input, slot);
    in->deficit -= (int64_t)links->nbytes(links->ctx, input, slot, fifo->first);
    fifo->first = links->next(links->ctx, input, slot, fifo->first);
    if (!fifo->first) {
        fifo->last = 0;
        remove_slot(t, links, input);
    } else if (slot != 0 || ++in->repeated >= turns_of_first(links, input)) {
        append_slot(t, links, input, remove_slot(t, links, input));
    }
    if (!in->first) {
        in->deficit = 0;
        remove_input(t);
    }
}

void cw_turns_destroy(cw_turns_t *t)
{
    free(t->input);
    free(t->fifo);
    *t = (cw_turns_t){0};
}
