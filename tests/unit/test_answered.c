// SPDX-License-Identifier: BSD-3-Clause
//
// Answers of other nodes' servers to routed requests, right ones and the nearest wrong ones: units,
// counts and values that fit no request of this node's PEs change nothing.
#include <stdlib.h>
#include <string.h>

#include "core/forward/forwarding.h"
#include "core/rma/routed.h"
#include "core/world/world.h"
#include "frame/check.h"

enum { SLOTS = 2, SLICE = 65536, CONTROL = 65536 };

static void open_node(void)
{
    static cw_topology_t topology;
    static int pes[SLOTS] = {4, 5};
    char why[128];
    CHECK(cw_topology_named(&topology, "2x2", 4, why, sizeof why));
    cw_route = (cw_route_setting_t){.topology = &topology, .buffer_nbytes = 8192, .nbuffers = 1};
    cw_world.nslots = cw_world.max_slots = SLOTS;
    cw_world.pes_of_node = pes;
    cw_segment.base = calloc(1, CONTROL + SLOTS * SLICE);
    cw_segment.layout = (cwt_layout_t){.slice_offset = CONTROL, .slice_stride = SLICE};
    cw_routed_section.offset = 64;
    cw_routed_cells_section.offset = 64;
    CHECK(cw_segment.base != NULL);
}

static void units(void)
{
    cw_routed_window_t *w = cw_routed_window(1, 1), *other = cw_routed_window(1, 0);
    w->used = 10;
    cw_answered_freed(NULL, 1, 1, 7);
    CHECK(w->freed == 7);
    cw_answered_freed(NULL, 1, 1, 5);  // an older answer
    CHECK(w->freed == 7);
    cw_answered_freed(NULL, 1, 1, 11);  // more than was used
    CHECK(w->freed == 7);
    cw_answered_freed(NULL, 1, SLOTS, 8);
    cw_answered_freed(NULL, 1, 1, 10);
    CHECK(w->freed == 10 && other->freed == 0);
    w->used = 5;  // behind 2^32
    w->freed = UINT32_MAX - 2;
    cw_answered_freed(NULL, 1, 1, 4);
    CHECK(w->freed == 4);
}

static void counts(void)
{
    cw_routed_counts_t *c = cw_routed_counts(1);
    c->sent[1] = 3;
    cw_answered_done(NULL, 1, 1, 2);
    CHECK(c->done[1] == 2 && c->done[0] == 0);
    cw_answered_done(NULL, 1, 1, 2);  // more than was sent
    cw_answered_done(NULL, 1, 0, 1);
    cw_routed_counts_t *behind = cw_routed_counts(SLOTS);  // is no PE's
    behind->sent[1] = behind->done[1] + 1;
    uint32_t before = behind->done[1];
    cw_answered_done(NULL, SLOTS, 1, 1);
    CHECK(c->done[1] == 2 && c->done[0] == 0 && behind->done[1] == before);
    cw_answered_done(NULL, 1, 1, 1);
    CHECK(c->done[1] == 3);
}

static void values(void)
{
    size_t room = 0;
    static const char value[CW_ANSWER_VALUE_MAX] = "value";
    cw_routed_cell_t *cell = cw_routed_cell(1, 3, &room);
    CHECK(room == CW_ROUTED_SMALL_NBYTES);
    cell->state = 7 << 2 | CW_ROUTED_AWAITED;
    cw_answer_value_t right = {.reply_slot = 3, .generation = 7}, old = {3, 6, 0},
                      none = {CW_ROUTED_CELLS, 7, 0}, other = {4, 7, 0};
    cw_answered_value(NULL, 1, &old, value, 8);
    cw_answered_value(NULL, 1, &none, value, 8);
    cw_answered_value(NULL, 1, &other, value, 8);
    cw_answered_value(NULL, SLOTS, &right, value, 8);
    cw_answered_value(NULL, 1, &right, value, room + 1);
    CHECK(cell->state == (7 << 2 | CW_ROUTED_AWAITED) && cell->value[0] == 0);
    cw_answered_value(NULL, 1, &right, value, room);
    CHECK(cell->state == (7 << 2 | CW_ROUTED_ARRIVED) && cell->nbytes == room);
    CHECK(memcmp(cell->value, value, room) == 0);
    cell->value[0] = 0;
    cw_answered_value(NULL, 1, &right, value, 8);  // once more
    CHECK(cell->value[0] == 0 && cell->nbytes == room);
    cell = cw_routed_cell(1, CW_ROUTED_CELLS - 1, &room);
    cell->state = CW_ROUTED_AWAITED;
    right = (cw_answer_value_t){.reply_slot = CW_ROUTED_CELLS - 1};
    cw_answered_value(NULL, 1, &right, value, sizeof value);
    CHECK(cell->state == CW_ROUTED_ARRIVED && memcmp(cell->value, value, sizeof value) == 0);
}

int main(void)
{
    open_node();
    units();
    counts();
    values();
    return check_result();
}
