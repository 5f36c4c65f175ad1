// SPDX-License-Identifier: BSD-3-Clause
//
// The state machine's work.
#include "core/route/forward.h"

#include <stdlib.h>
#include <string.h>

#include "core/route/combine.h"
#include "core/route/turns.h"
#include "core/route/window.h"

/** Each has at least a head and a tail. */
enum { PARTS_MAX = CW_FORWARD_NBYTES / (sizeof(cw_forward_part_t) + sizeof(cw_forward_tail_t)) };

typedef struct part {  // has had its turn and waits to be sent
    uint32_t input, slot, request;
    uint32_t with;              // number + 1 of the part that travels for both; 0: alone
    cw_combine_group_t *group;  // of parts combined with this one
    uint32_t final_node;
    cw_forward_add_t add;
} part_t;

typedef struct way {  // an edge, or execution here
    cw_turns_t turns;
    bool is_busy;
    cw_window_use_t use;            // of slot 0's window at the neighbour
    part_t *load;                   // [PARTS_MAX], the next message
    uint32_t nload, nparts, units;  // nparts: without those combined with others
    size_t nbytes;
    uint64_t final_nodes;  // of the load (cw_forward_bit)
} way_t;

struct cw_forward {
    cw_forward_config_t config;
    cw_topology_t topology;
    cw_forward_ops_t ops;
    void *ctx;
    uint32_t degree, window;  // window: units
    uint32_t *weight;         // [degree + 1], the last for this node's PEs
    cw_window_t *windows;     // [degree][nslots]
    way_t *way;               // [degree + 1], the last for execution
    uint32_t *busy, nbusy;    // ways with something waiting
    cw_forward_own_t **own;   // [number - 1] waiting requests of this node's PEs
    uint32_t room_own;
    cw_turns_links_t links;
    cw_answers_t answers;
    cw_combine_t combine;
    cw_forward_counts_t counts;
    _Alignas(8) char message[CW_FORWARD_NBYTES], value[CW_ANSWER_VALUE_MAX];
};

uint64_t cw_forward_cells_nbytes(const cw_forward_config_t *c)
{
    return cw_topology_buffers(c->topology, c->node, c->nslots, c->buffer_nbytes, c->nbuffers);
}

uint32_t cw_forward_window(const cw_forward_config_t *c)
{
    return (uint32_t)(c->buffer_nbytes * c->nbuffers / sizeof(cw_cell_t));
}

// ---------------------------------------------------------------- requests by input
static cw_window_t *window_of(cw_forward_t *f, uint32_t edge, uint32_t slot)
{
    return &f->windows[(size_t)edge * f->config.nslots + slot];
}

static cw_cell_t *cells_of(cw_forward_t *f, uint32_t edge, uint32_t slot)
{
    return (cw_cell_t *)f->config.cells + ((size_t)edge * f->config.nslots + slot) * f->window;
}

static uint32_t next_of(void *ctx, uint32_t input, uint32_t slot, uint32_t request)
{
    cw_forward_t *f = ctx;
    if (input < f->degree)
        return cw_window_next(cells_of(f, input, slot), request);
    return f->own[request - 1]->next;
}

static void set_next(void *ctx, uint32_t input, uint32_t slot, uint32_t request, uint32_t next)
{
    cw_forward_t *f = ctx;
    if (input < f->degree)
        cw_window_set_next(cells_of(f, input, slot), request, next);
    else
        f->own[request - 1]->next = next;
}

static size_t nbytes_of(void *ctx, uint32_t input, uint32_t slot, uint32_t request)
{
    cw_forward_t *f = ctx;
    return input < f->degree ? cw_window_nbytes(cells_of(f, input, slot), request)
                             : f->own[request - 1]->nbytes;
}

// ---------------------------------------------------------------- begin and end
static bool allocate(cw_forward_t *f)
{
    f->weight = calloc(f->degree + 1, sizeof *f->weight);
    f->windows = calloc((size_t)f->degree * f->config.nslots + 1, sizeof *f->windows);
    f->way = calloc(f->degree + 1, sizeof *f->way);
    f->busy = calloc(f->degree + 1, sizeof *f->busy);
    return f->weight && f->windows && f->way && f->busy &&
           cw_answers_create(&f->answers, f->topology.nnodes, f->config.nslots);
}

cw_forward_t *cw_forward_create(const cw_forward_config_t *config, const cw_forward_ops_t *ops,
                                void *ctx)
{
    cw_forward_t *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->config = *config;
    f->topology = *config->topology;
    f->ops = *ops;
    f->ctx = ctx;
    f->degree = cw_topology_degree(&f->topology, config->node);
    f->window = cw_forward_window(config);
    if (!allocate(f) || !cw_route_weights(&f->topology, config->node, f->weight)) {
        cw_forward_destroy(f);
        return NULL;
    }
    f->weight[f->degree] = 1;
    f->links = (cw_turns_links_t){.ninputs = f->degree + 1,
                                  .nslots = config->nslots,
                                  .weight = f->weight,
                                  .next = next_of,
                                  .set_next = set_next,
                                  .nbytes = nbytes_of,
                                  .ctx = f};
    return f;
}

static void destroy_way(way_t *w)
{
    cw_turns_destroy(&w->turns);
    free(w->load);
}

void cw_forward_destroy(cw_forward_t *f)
{
    for (uint32_t i = 0; f->way && i <= f->degree; i++)
        destroy_way(&f->way[i]);
    cw_answers_destroy(&f->answers);
    cw_combine_destroy(&f->combine);
    free(f->weight);
    free(f->windows);
    free(f->way);
    free(f->busy);
    free(f->own);
    free(f);
}

const cw_forward_counts_t *cw_forward_counts(const cw_forward_t *f)
{
    return &f->counts;
}

bool cw_forward_holds(const cw_forward_t *f)
{
    return f->nbusy > 0 || f->answers.first;
}

// ---------------------------------------------------------------- ways out
static cw_forward_tail_t tail_of(const void *request, size_t nbytes)
{
    cw_forward_tail_t tail;
    memcpy(&tail, (const char *)request + nbytes - sizeof tail, sizeof tail);
    return tail;
}

static uint32_t way_to(const cw_forward_t *f, uint32_t final_node)
{
    uint32_t me = f->config.node;
    if (final_node == me)
        return f->degree;
    return cw_topology_edge(&f->topology, me, cw_route_next(&f->topology, me, final_node));
}

static bool enqueue(cw_forward_t *f, uint32_t way, uint32_t input, uint32_t slot, uint32_t request)
{
    if (!cw_turns_add(&f->way[way].turns, &f->links, input, slot, request))
        return false;
    if (++f->counts.waiting > f->counts.longest)
        f->counts.longest = f->counts.waiting;
    if (!f->way[way].is_busy) {
        f->way[way].is_busy = true;
        f->busy[f->nbusy++] = way;
    }
    return true;
}

/** Requests may wait for answers, never the reverse. */
static bool may_execute(const cw_forward_t *f, const cw_forward_tail_t *tail)
{
    return tail->reply_slot == CW_FORWARD_NO_VALUE ||
           f->answers.value_nbytes < CW_FORWARD_VALUES_MAX;
}

/** Returns the bytes of the value in f->value. */
static size_t run(cw_forward_t *f, const cw_forward_tail_t *tail, const void *request,
                  size_t nbytes)
{
    f->counts.executed++;
    return f->ops.execute(f->ctx, tail, request, nbytes, f->value);
}

static void execute(cw_forward_t *f, const void *request, size_t nbytes)
{
    cw_forward_tail_t tail = tail_of(request, nbytes);
    cw_answer_value_t to = {.reply_slot = tail.reply_slot, .generation = tail.generation};
    uint32_t node = 0, slot = 0;
    f->ops.where(f->ctx, tail.origin, &node, &slot);  // exists: fault_of
    size_t n = run(f, &tail, request, nbytes);
    bool has_memory = tail.reply_slot == CW_FORWARD_NO_VALUE
                          ? cw_answers_done(&f->answers, node, slot, tail.epoch)
                          : cw_answers_value(&f->answers, node, slot, to, f->value, n);
    f->counts.dropped += !has_memory;
}

/** Updates the tail of a request's copy. */
static void pass_on(char *request, size_t nbytes)
{
    cw_forward_tail_t tail = tail_of(request, nbytes);
    tail.hop++;
    memcpy(request + nbytes - sizeof tail, &tail, sizeof tail);
}

static bool send(cw_forward_t *f, uint32_t way, uint64_t final_nodes, size_t nbytes, uint32_t units,
                 bool is_packed)
{
    uint32_t next = cw_topology_neighbour(&f->topology, f->config.node, way);
    if (!f->ops.request(f->ctx, next, f->message, nbytes, is_packed))
        return false;
    f->way[way].use.used += units;
    atomic_fetch_or_explicit(&f->config.unanswered[way], final_nodes, memory_order_relaxed);
    f->counts.messages++;
    f->counts.packed += is_packed;
    return true;
}

/** Without cells, if nothing is before it. */
static bool goes_at_once(cw_forward_t *f, uint32_t way, const void *request, size_t nbytes,
                         bool is_own)
{
    if (f->way[way].is_busy)
        return false;
    if (way == f->degree) {
        cw_forward_tail_t tail = tail_of(request, nbytes);
        if (!may_execute(f, &tail))
            return false;
        execute(f, request, nbytes);
        return true;
    }
    uint32_t units = cw_window_units(nbytes);
    if (f->config.packs || !cw_window_has(&f->way[way].use, f->window, units))
        return false;
    memcpy(f->message, request, nbytes);
    if (!is_own)
        pass_on(f->message, nbytes);
    uint64_t final_nodes = cw_forward_bit(tail_of(request, nbytes).final_node);
    return send(f, way, final_nodes, nbytes, units, false);
}

// ---------------------------------------------------------------- arrivals
static bool drop(cw_forward_t *f, const char *reason, const char **why_p)
{
    f->counts.dropped++;
    *why_p = reason;
    return false;
}

static bool is_neighbour(const cw_forward_t *f, uint32_t node)
{
    return node < f->topology.nnodes && cw_route_hops(&f->topology, f->config.node, node) == 1;
}

/** NULL: a valid request of a neighbour. */
static const char *fault_of(const cw_forward_t *f, uint32_t from, const void *request,
                            size_t nbytes)
{
    if (nbytes < sizeof(cw_forward_tail_t) || nbytes > CW_FORWARD_NBYTES)
        return "its size";
    cw_forward_tail_t tail = tail_of(request, nbytes);
    uint32_t node, slot;
    if (!f->ops.where(f->ctx, tail.origin, &node, &slot) || node == tail.final_node)
        return "its origin";
    if (tail.final_node >= f->topology.nnodes || tail.final_node == from ||
        tail.hop >= CW_TOPOLOGY_DIMS || tail.class != 0)
        return "its tail";
    if (cw_route_next(&f->topology, from, tail.final_node) != f->config.node)
        return "its route";
    return NULL;
}

static bool keep(cw_forward_t *f, uint32_t way, uint32_t edge, uint32_t slot, const void *request,
                 size_t nbytes)
{
    cw_window_t *w = window_of(f, edge, slot);
    uint32_t first = cw_window_store(w, cells_of(f, edge, slot), request, nbytes);
    if (!enqueue(f, way, edge, slot, first))
        return false;
    f->counts.kept++;
    f->counts.held += cw_window_units(nbytes) * sizeof(cw_cell_t);
    if (f->counts.held > f->counts.most_held)
        f->counts.most_held = f->counts.held;
    return true;
}

bool cw_forward_arrived(cw_forward_t *f, uint32_t from, uint32_t slot, const void *request,
                        size_t nbytes, const char **why_p)
{
    return cw_forward_asked(f, from, slot, request, nbytes, NULL, why_p);
}

bool cw_forward_asked(cw_forward_t *f, uint32_t from, uint32_t slot, const void *request,
                      size_t nbytes, cw_forward_now_t *now, const char **why_p)
{
    if (!is_neighbour(f, from) || slot >= f->config.nslots)
        return drop(f, "its sender", why_p);
    const char *fault = fault_of(f, from, request, nbytes);
    if (fault)
        return drop(f, fault, why_p);
    uint32_t edge = cw_topology_edge(&f->topology, f->config.node, from);
    uint32_t units = cw_window_units(nbytes);
    cw_window_t *w = window_of(f, edge, slot);
    if (w->held + units > f->window)
        return drop(f, "more than its window", why_p);
    cw_forward_tail_t tail = tail_of(request, nbytes);
    uint32_t way = way_to(f, tail.final_node);
    if (now && way == f->degree && !f->way[way].is_busy && tail.reply_slot != CW_FORWARD_NO_VALUE) {
        w->freed += units;
        *now = (cw_forward_now_t){.freed = w->freed, .value = f->value};
        now->nbytes = run(f, &tail, request, nbytes);
        return true;
    }
    if (!goes_at_once(f, way, request, nbytes, false))
        return keep(f, way, edge, slot, request, nbytes) || drop(f, "no memory", why_p);
    f->counts.passed += way < f->degree;
    w->freed += units;
    return cw_answers_freed(&f->answers, from, slot, w->freed) || drop(f, "no memory", why_p);
}

bool cw_forward_packed(cw_forward_t *f, uint32_t from, uint32_t slot, const void *message,
                       size_t nbytes, const char **why_p)
{
    cw_forward_part_t part;
    for (size_t at = 0; at < nbytes; at += (part.nbytes + 7) & ~(size_t)7) {
        if (nbytes - at < sizeof part)
            return drop(f, "its parts", why_p);
        memcpy(&part, (const char *)message + at, sizeof part);
        at += sizeof part;
        if (part.nbytes > CW_FORWARD_ALONE || part.nbytes > nbytes - at)
            return drop(f, "its parts", why_p);
        if (!cw_forward_arrived(f, from, slot, (const char *)message + at, part.nbytes, why_p))
            return false;
    }
    return true;
}

/** Gives each part of a combined request its value. */
static bool split(cw_forward_t *f, cw_combine_group_t *g, const void *bytes)
{
    bool has_memory = true;
    uint64_t whole;
    memcpy(&whole, bytes, sizeof whole);
    for (uint32_t i = 0; i < g->count; i++) {
        const cw_combine_member_t *m = &g->member[i];
        cw_answer_value_t to = {.reply_slot = m->reply_slot, .generation = m->generation};
        uint64_t value = cw_combine_value(g, i, whole);
        uint32_t node = 0, slot = 0;
        f->ops.where(f->ctx, m->origin, &node, &slot);  // exists: fault_of
        if (node == f->config.node)
            f->ops.value(f->ctx, slot, &to, &value, sizeof value);
        else
            has_memory &= cw_answers_value(&f->answers, node, slot, to, &value, sizeof value);
    }
    cw_combine_end(g);
    return has_memory;
}

static bool take_value(cw_forward_t *f, const cw_answer_t *a, const cw_answer_value_t *value)
{
    if (a->slot != 0 || !(value->reply_slot & CW_COMBINE_SLOT)) {
        f->ops.value(f->ctx, a->slot, value, value + 1, a->count);
        return true;
    }
    cw_combine_group_t *g = cw_combine_find(&f->combine, value->reply_slot, value->generation);
    return g && a->count == sizeof(uint64_t) && split(f, g, value + 1);
}

bool cw_forward_answered(cw_forward_t *f, uint32_t from, const void *records, size_t nbytes,
                         const char **why_p)
{
    size_t at = 0;
    const cw_answer_t *a;
    const cw_answer_value_t *value;
    while ((a = cw_answers_read(records, nbytes, &at, &value))) {
        if (a->slot >= f->config.nslots || from >= f->topology.nnodes)
            return drop(f, "its slot", why_p);
        if (a->kind == CW_ANSWER_FREED) {
            if (!is_neighbour(f, from))
                return drop(f, "its sender", why_p);
            uint32_t edge = cw_topology_edge(&f->topology, f->config.node, from);
            if (a->slot != 0)
                f->ops.freed(f->ctx, edge, a->slot, a->count);
            else if (!cw_window_was_freed(&f->way[edge].use, a->count))
                return drop(f, "its count", why_p);
            // seq_cst: pairs with a PE that left a request here and looks again
            atomic_store(&f->config.unanswered[edge], 0);
        } else if (a->kind == CW_ANSWER_DONE) {
            f->ops.done(f->ctx, a->slot, a->epoch & 1, a->count);
        } else if (!value) {
            return drop(f, "its kind", why_p);
        } else if (!take_value(f, a, value)) {
            return drop(f, "its value", why_p);
        }
    }
    return at == nbytes || drop(f, "its end", why_p);
}

// ---------------------------------------------------------------- requests of this node's PEs
static bool add_own(cw_forward_t *f, cw_forward_own_t *own, uint32_t *number_p)
{
    uint32_t i = 0;
    while (i < f->room_own && f->own[i])
        i++;
    if (i == f->room_own) {
        cw_forward_own_t **list = realloc(f->own, (2 * (size_t)i + 4) * sizeof *list);
        if (!list)
            return false;
        memset(list + i, 0, (i + 4) * sizeof *list);
        f->own = list;
        f->room_own = 2 * i + 4;
    }
    f->own[i] = own;
    *number_p = i + 1;
    return true;
}

bool cw_forward_own(cw_forward_t *f, cw_forward_own_t *own, const char **why_p)
{
    uint32_t number;
    own->is_gone = false;
    own->next = 0;
    if (own->slot >= f->config.nslots || own->nbytes < sizeof(cw_forward_tail_t) ||
        own->nbytes > CW_FORWARD_NBYTES || cw_window_units(own->nbytes) > f->window)
        return drop(f, "its size", why_p);
    uint32_t to = tail_of(own->request, own->nbytes).final_node;
    if (to >= f->topology.nnodes || to == f->config.node)
        return drop(f, "its tail", why_p);
    if (goes_at_once(f, way_to(f, to), own->request, own->nbytes, true)) {
        own->is_gone = true;
        return true;
    }
    return (add_own(f, own, &number) && enqueue(f, way_to(f, to), f->degree, own->slot, number)) ||
           drop(f, "no memory", why_p);
}

// ---------------------------------------------------------------- turns
static void copy_part(cw_forward_t *f, const part_t *part, size_t from, void *copy, size_t nbytes)
{
    if (part->input < f->degree)
        cw_window_copy(cells_of(f, part->input, part->slot), part->request, from, copy, nbytes);
    else
        memcpy(copy, (const char *)f->own[part->request - 1]->request + from, nbytes);
}

static void copy_of(cw_forward_t *f, const part_t *part, char *copy)
{
    copy_part(f, part, 0, copy, nbytes_of(f, part->input, part->slot, part->request));
}

static cw_forward_tail_t tail_of_part(cw_forward_t *f, const part_t *part)
{
    cw_forward_tail_t tail;
    size_t nbytes = nbytes_of(f, part->input, part->slot, part->request);
    copy_part(f, part, nbytes - sizeof tail, &tail, sizeof tail);
    return tail;
}

static void release(cw_forward_t *f, const part_t *part)
{
    f->counts.waiting--;
    if (part->input == f->degree) {
        cw_forward_own_t *own = f->own[part->request - 1];
        f->own[part->request - 1] = NULL;
        __atomic_store_n(&own->is_gone, true, __ATOMIC_RELEASE);
        return;
    }
    cw_window_t *w = window_of(f, part->input, part->slot);
    uint32_t before = w->held;
    cw_window_release(w, cells_of(f, part->input, part->slot), part->request);
    f->counts.held -= (before - w->held) * sizeof(cw_cell_t);
    cw_answers_freed(&f->answers, cw_topology_neighbour(&f->topology, f->config.node, part->input),
                     part->slot, w->freed);
}

static bool execute_waiting(cw_forward_t *f)
{
    way_t *w = &f->way[f->degree];
    part_t part;
    bool did = false;
    while ((part.request = cw_turns_peek(&w->turns, &f->links, &part.input, &part.slot))) {
        size_t nbytes = nbytes_of(f, part.input, part.slot, part.request);
        copy_of(f, &part, f->message);
        cw_forward_tail_t tail = tail_of(f->message, nbytes);
        if (!may_execute(f, &tail))
            break;
        execute(f, f->message, nbytes);
        cw_turns_remove(&w->turns, &f->links);
        release(f, &part);
        did = true;
    }
    return did;
}

// ---------------------------------------------------------------- combining
static bool adds_to(const part_t *a, const part_t *b)
{
    return a->add.nbytes == b->add.nbytes && a->add.place == b->add.place &&
           a->final_node == b->final_node;
}

/** The part to combine with; NULL: none. This part is executed in its place, so no other of its
 *  input may come between. */
static part_t *leader_of(way_t *w, const part_t *part)
{
    for (uint32_t i = w->nload; i-- > 0;) {
        part_t *p = &w->load[i], *leader = p->with ? &w->load[p->with - 1] : p;
        bool same_input = p->input == part->input && p->slot == part->slot;
        if ((leader == p || same_input) && adds_to(leader, part))
            return leader;
        if (same_input)
            return NULL;
    }
    return NULL;
}

static bool join(cw_combine_group_t *g, const cw_forward_tail_t *tail, uint64_t operand)
{
    cw_combine_member_t member = {
        .origin = tail->origin, .reply_slot = tail->reply_slot, .generation = tail->generation};
    return cw_combine_add(g, member, operand);
}

/** Combines a fetch-and-add with one of the load. False: it travels by itself. */
static bool combine(cw_forward_t *f, way_t *w, part_t *part, size_t nbytes)
{
    part_t *leader;
    part->add.nbytes = 0;
    if (!f->config.combines || nbytes > CW_FORWARD_ALONE)
        return false;
    copy_of(f, part, f->value);
    cw_forward_tail_t tail = tail_of(f->value, nbytes);
    part->final_node = tail.final_node;
    if (tail.reply_slot != CW_FORWARD_NO_VALUE)
        part->add = f->ops.fetch_add(f->ctx, f->value, nbytes - sizeof tail);
    if (part->add.nbytes == 0 || !(leader = leader_of(w, part)))
        return false;
    if (!leader->group) {
        cw_combine_group_t *g = cw_combine_begin(&f->combine, part->add.nbytes);
        size_t n = nbytes_of(f, leader->input, leader->slot, leader->request);
        if (!g)
            return false;
        copy_of(f, leader, f->value);
        cw_forward_tail_t first = tail_of(f->value, n);
        if (!join(g, &first, leader->add.operand))
            return false;
        leader->group = g;
    }
    if (!join(leader->group, &tail, part->add.operand))
        return false;
    part->with = (uint32_t)(leader - w->load) + 1;
    return true;
}

/** A part that others were combined with becomes this node's own request. */
static void speak_for(cw_forward_t *f, const part_t *part, char *request, size_t nbytes)
{
    cw_forward_tail_t tail = tail_of(request, nbytes);
    uint64_t sum = part->add.nbytes == 4 ? (uint32_t)part->group->sum : part->group->sum;
    tail.origin = f->config.pe;
    tail.reply_slot = cw_combine_slot(&f->combine, part->group);
    tail.generation = part->group->generation;
    tail.flags |= CW_COMBINE_FLAG;
    tail.hop = 0;
    memcpy(request + part->add.at, &sum, sizeof sum);
    memcpy(request + nbytes - sizeof tail, &tail, sizeof tail);
}

// ---------------------------------------------------------------- messages of a turn
/** Takes what the turns yield, as far as message and window have room. */
static bool load_way(cw_forward_t *f, way_t *w)
{
    part_t part = {0};
    if (!w->load && !(w->load = calloc(PARTS_MAX, sizeof *w->load)))
        return false;
    while ((part.request = cw_turns_peek(&w->turns, &f->links, &part.input, &part.slot))) {
        size_t nbytes = nbytes_of(f, part.input, part.slot, part.request);
        size_t padded = sizeof(cw_forward_part_t) + ((nbytes + 7) & ~(size_t)7);
        uint32_t units = cw_window_units(nbytes);
        part.with = 0;
        part.group = NULL;
        if (w->nload < PARTS_MAX && combine(f, w, &part, nbytes)) {
            cw_turns_remove(&w->turns, &f->links);
            w->load[w->nload++] = part;
            continue;
        }
        bool fits = w->nload < PARTS_MAX && f->config.packs && nbytes <= CW_FORWARD_ALONE &&
                    w->nbytes + padded <= CW_FORWARD_PACKED;
        if ((w->nload > 0 && !fits) || !cw_window_has(&w->use, f->window, w->units + units))
            break;
        cw_turns_remove(&w->turns, &f->links);
        w->load[w->nload++] = part;
        w->nparts++;
        w->units += units;
        w->nbytes += nbytes <= CW_FORWARD_ALONE ? padded : CW_FORWARD_NBYTES;
        cw_forward_tail_t tail = tail_of_part(f, &part);
        w->final_nodes |= cw_forward_bit(tail.final_node);
    }
    return w->nload > 0;
}

/** More for these nodes may join the load while the neighbour's answer to earlier requests for them
 *  is under way (ADR 68). */
static bool collects(const cw_forward_t *f, uint32_t way)
{
    const way_t *w = &f->way[way];
    uint64_t unanswered = atomic_load_explicit(&f->config.unanswered[way], memory_order_relaxed);
    return f->config.packs && cw_turns_is_empty(&w->turns) && w->nbytes <= CW_FORWARD_PACKED &&
           !(w->final_nodes & ~unanswered);
}

static size_t build(cw_forward_t *f, const way_t *w)
{
    size_t at = 0;
    for (uint32_t i = 0; i < w->nload; i++) {
        const part_t *part = &w->load[i];
        size_t nbytes = nbytes_of(f, part->input, part->slot, part->request);
        if (part->with)
            continue;
        if (w->nparts > 1) {
            cw_forward_part_t head = {.nbytes = (uint32_t)nbytes};
            memcpy(f->message + at, &head, sizeof head);
            at += sizeof head;
        }
        copy_of(f, part, f->message + at);
        if (part->input < f->degree)
            pass_on(f->message + at, nbytes);
        if (part->group)
            speak_for(f, part, f->message + at, nbytes);
        for (at += nbytes; w->nparts > 1 && at % 8 != 0; at++)
            f->message[at] = 0;
    }
    return at;
}

static bool send_way(cw_forward_t *f, uint32_t way)
{
    way_t *w = &f->way[way];
    bool did = false;
    while (load_way(f, w) && !collects(f, way)) {
        size_t nbytes = build(f, w);
        if (!send(f, way, w->final_nodes, nbytes, w->units, w->nparts > 1))
            break;
        for (uint32_t i = 0; i < w->nload; i++) {
            f->counts.passed += w->load[i].input < f->degree;
            f->counts.combined += w->load[i].with != 0;
            release(f, &w->load[i]);
        }
        w->nload = w->nparts = w->units = 0;
        w->nbytes = 0;
        w->final_nodes = 0;
        did = true;
    }
    return did;
}

static bool send_answers(void *ctx, uint32_t node, const void *records, size_t nbytes)
{
    cw_forward_t *f = ctx;
    bool sent = f->ops.answers(f->ctx, node, records, nbytes);
    f->counts.answers += sent;
    return sent;
}

bool cw_forward_turn(cw_forward_t *f)
{
    bool did = false;
    for (uint32_t i = 0; i < f->nbusy;) {
        uint32_t way = f->busy[i];
        did |= way == f->degree ? execute_waiting(f) : send_way(f, way);
        if (cw_turns_is_empty(&f->way[way].turns) && f->way[way].nload == 0) {
            f->way[way].is_busy = false;
            f->busy[i] = f->busy[--f->nbusy];
        } else {
            i++;
        }
    }
    return cw_answers_flush(&f->answers, send_answers, f) || did;
}
