// SPDX-License-Identifier: BSD-3-Clause
/*
 * causeway-hotspot: requests of many PEs to PE 0, or of neighbours behind a wave front (--planes,
 * wave.c), in simulated time. Each node runs the library's own state machine of forwarding
 * (core/route/forward.h) and its own topologies; what is modelled is the time of messages and
 * servers, by prices from the command line; there are no defaults.
 *
 * A server takes what has arrived, up to a round of messages, pays for each, then drives the state
 * machine and pays for what it sends. While it serves a message, each message that waits behind
 * costs `penalty` more: the contention of the network, which is a parameter and not a measurement.
 * Servers and PEs have a core each. "direct" is a server without forwarding, whose replies go to
 * the PEs one by one. A PE has one request under way and repeats it when it is complete. Output:
 * one JSON line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hotspot.h"
#include "prices.h"

enum { ROUND = 32, SAMPLES = 96 };

static const sim_price_t prices[] = {
#define PRICE(name) {#name, offsetof(price_t, name)}
    PRICE(hop),    PRICE(serve), PRICE(execute), PRICE(send),   PRICE(byte),
    PRICE(client), PRICE(wake),  PRICE(local),   PRICE(penalty)
#undef PRICE
};
enum { NPRICES = sizeof prices / sizeof prices[0] };

hotspot_t sim;

noreturn void hot_fail(const char *what)
{
    fprintf(stderr,
            "causeway-hotspot: %s\n"
            "Usage: causeway-hotspot --npes N --pes-per-node P --topology direct|NAME "
            "--operation fadd|vput|notify\n"
            "       --share PERCENT --packs 0|1 --rounds K [--combines 0|1]\n"
            "       [--buffer-nbytes BYTES (16384)] [--buffers N (4)]\n"
            "       [--planes N --work NANOSECONDS --data BYTES]\n"
            "       NAME=NANOSECONDS...\n"
            "A share of 0 is each PE alone, in turn. Prices, all needed:",
            what);
    for (int i = 0; i < NPRICES; i++)
        fprintf(stderr, " %s", prices[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

void *hot_zeros(size_t n, size_t nbytes)
{
    void *p = calloc(n, nbytes);
    if (!p)
        hot_fail("no memory");
    return p;
}

// ---------------------------------------------------------------- messages
static void serve(server_t *s);
static void next_operation(pe_t *pe);
static void complete(pe_t *pe);

static void arrive(sim_thread_t *event)
{
    packet_t *p = (packet_t *)event;
    if (p->kind == REPLY) {
        complete(&sim.pe[p->to]);
        free(p);
        return;
    }
    if (p->kind == HERE) {
        wave_notified(p->bytes);
        free(p);
        return;
    }
    server_t *s = &sim.server[p->to];
    p->next = NULL;
    if (s->last)
        s->last->next = p;
    else
        s->first = p;
    s->last = p;
    s->arrived++;
    if (++s->waiting > s->longest)
        s->longest = s->waiting;
    if (!s->is_busy)
        serve(s);
}

void hot_post(kind_t kind, uint32_t from, uint32_t slot, uint32_t to, const void *bytes,
              size_t nbytes, double after)
{
    packet_t *p = malloc(sizeof *p + nbytes);
    if (!p)
        hot_fail("no memory");
    *p = (packet_t){.event = {.go = arrive},
                    .kind = kind,
                    .from = from,
                    .slot = slot,
                    .to = to,
                    .nbytes = nbytes};
    memcpy(p->bytes, bytes, nbytes);
    sim_after(&p->event, after + sim.price.hop + sim.price.byte * (double)nbytes);
}

/** The server's time for a message that it sends now. Returns when it has left. */
static double pay(server_t *s, size_t nbytes)
{
    s->debt += sim.price.send + sim.price.byte * (double)nbytes;
    return s->debt;
}

static unsigned parts_of(const packet_t *p)
{
    unsigned n = 0;
    if (p->kind == ANSWERS) {
        const cw_answer_value_t *value;
        for (size_t at = 0; cw_answers_read(p->bytes, p->nbytes, &at, &value); n++)
            ;
        return n;
    }
    if (p->kind != PACKED)
        return 1;
    cw_forward_part_t part;
    for (size_t at = 0; at < p->nbytes; n++) {
        memcpy(&part, p->bytes + at, sizeof part);
        at += sizeof part + ((part.nbytes + 7) & ~(size_t)7);
    }
    return n;
}

// ---------------------------------------------------------------- the server
static void take(server_t *s)
{
    packet_t *p = s->first;
    const char *why = "";
    bool ok = true;
    s->first = p->next;
    if (!s->first)
        s->last = NULL;
    s->waiting--;
    if (p->kind == ANSWERS) {
        ok = cw_forward_answered(s->f, p->from, p->bytes, p->nbytes, &why);
    } else if (p->kind == PACKED) {
        ok = cw_forward_packed(s->f, p->from, p->slot, p->bytes, p->nbytes, &why);
    } else if (p->kind == REQUEST) {
        ok = cw_forward_arrived(s->f, p->from, p->slot, p->bytes, p->nbytes, &why);
    } else {
        sim.executed++;
        sim.hops++;
        wave_notified(p->bytes);
        hot_post(REPLY, s->me, 0, p->from * sim.pes_per_node + p->slot, p->bytes, 32, pay(s, 32));
    }
    if (!ok)
        hot_fail(why);
    free(p);
}

/** What PEs of the node have left here. */
static void take_left(server_t *s)
{
    const char *why;
    for (pe_t *pe = s->left, *next; pe; pe = next) {
        next = pe->next;
        pe->own = (cw_forward_own_t){.request = pe->request,
                                     .nbytes = (uint32_t)sim.nbytes,
                                     .slot = pe->me % sim.pes_per_node};
        if (!cw_forward_own(s->f, &pe->own, &why))
            hot_fail(why);
    }
    s->left = NULL;
}

static void end_round(sim_thread_t *event)
{
    server_t *s = (server_t *)event;
    for (; s->taken > 0; s->taken--)
        take(s);
    take_left(s);
    if (s->f)
        while (cw_forward_turn(s->f))
            ;
    serve(s);
}

/** Begins a round after the sends of the last one. */
static void serve(server_t *s)
{
    double ns = s->debt;
    s->debt = 0;
    s->taken = 0;
    for (packet_t *p = s->first; p && s->taken < ROUND; p = p->next) {
        unsigned behind = s->waiting - ++s->taken;
        ns += sim.price.serve + sim.price.execute * parts_of(p) + sim.price.penalty * behind;
    }
    s->is_busy = s->taken > 0 || ns > 0;
    if (s->is_busy)
        sim_after(&s->event, ns);
}

static bool on_request(void *ctx, uint32_t to, const void *message, size_t nbytes, bool is_packed)
{
    server_t *s = ctx;
    hot_post(is_packed ? PACKED : REQUEST, s->me, 0, to, message, nbytes, pay(s, nbytes));
    return true;
}

static bool on_answers(void *ctx, uint32_t to, const void *records, size_t nbytes)
{
    server_t *s = ctx;
    hot_post(ANSWERS, s->me, 0, to, records, nbytes, pay(s, nbytes));
    return true;
}

static bool on_where(void *ctx, uint32_t pe, uint32_t *node_p, uint32_t *slot_p)
{
    (void)ctx;
    *node_p = pe / sim.pes_per_node;
    *slot_p = pe % sim.pes_per_node;
    return pe < sim.npes;
}

static cw_forward_add_t on_fetch_add(void *ctx, const void *request, size_t nbytes)
{
    cw_forward_add_t add = {.nbytes = nbytes >= OPERAND_AT + sizeof add.operand ? 8 : 0,
                            .at = OPERAND_AT};
    (void)ctx;
    if (add.nbytes)
        memcpy(&add.operand, (const char *)request + OPERAND_AT, sizeof add.operand);
    return add;
}

static size_t on_execute(void *ctx, const cw_forward_tail_t *tail, const void *request,
                         size_t nbytes, void *value)
{
    uint64_t operations = 1;
    (void)ctx;
    if (tail->reply_slot != CW_FORWARD_NO_VALUE)  // each adds 1
        operations = on_fetch_add(ctx, request, nbytes).operand;
    memset(value, 0, 8);
    wave_notified(request);
    sim.executed += operations;
    sim.hops += operations * (tail->hop + 1u);  // of combined ones, since they are
    return 8;
}

static pe_t *pe_of(void *ctx, uint32_t slot)
{
    return &sim.pe[((server_t *)ctx)->me * sim.pes_per_node + slot];
}

static void send_routed(pe_t *pe);

static void on_freed(void *ctx, uint32_t edge, uint32_t slot, uint32_t units)
{
    pe_t *pe = pe_of(ctx, slot);
    cw_window_was_freed(&pe->use[edge], units);
    if (pe->holds)
        send_routed(pe);
}

static void on_done(void *ctx, uint32_t slot, unsigned epoch, uint32_t count)
{
    (void)epoch, (void)count;
    complete(pe_of(ctx, slot));
}

static void on_value(void *ctx, uint32_t slot, const cw_answer_value_t *to, const void *value,
                     size_t nbytes)
{
    (void)to, (void)value, (void)nbytes;
    complete(pe_of(ctx, slot));
}

static const cw_forward_ops_t ops = {.request = on_request,
                                     .answers = on_answers,
                                     .execute = on_execute,
                                     .where = on_where,
                                     .fetch_add = on_fetch_add,
                                     .freed = on_freed,
                                     .done = on_done,
                                     .value = on_value};

// ---------------------------------------------------------------- the PE
static void complete(pe_t *pe)
{
    if (pe->wave) {
        wave_sent(pe);
        return;
    }
    pe->left--;
    pe->n++;
    pe->total += sim_now() + sim.price.wake - pe->begin;
    if (pe->left > 0)
        sim_after(&pe->event, sim.price.wake);
    else if (sim.share == 0 && pe->me + 1 < sim.npes)
        sim_after(&sim.pe[pe->me + 1].event, 0);
}

/** A PE leaves its request at its node's server: its node's first PE, which then drives the state
 *  machine itself, and others while an answer from their first hop is under way, which the server
 *  takes in. */
static void leave(pe_t *pe, bool drives)
{
    server_t *s = &sim.server[pe->me / sim.pes_per_node];
    pe->next = s->left;
    s->left = pe;
    if (!drives)
        return;
    take_left(s);
    cw_forward_turn(s->f);
    if (!s->is_busy)
        serve(s);
}

static uint32_t target_of(const pe_t *pe)
{
    cw_forward_tail_t tail;
    memcpy(&tail, pe->request + sim.nbytes - sizeof tail, sizeof tail);
    return tail.final_node;
}

/** Over its own connection to the first hop, if it may. */
static void send_routed(pe_t *pe)
{
    uint32_t node = pe->me / sim.pes_per_node,
             next = cw_route_next(&sim.topology, node, target_of(pe));
    uint32_t units = cw_window_units(sim.nbytes),
             edge = cw_topology_edge(&sim.topology, node, next);
    _Atomic uint64_t *unanswered = &sim.server[node].unanswered[edge];
    cw_window_use_t *use = &pe->use[edge];
    if (sim.packs && *unanswered & cw_forward_bit(0)) {
        leave(pe, false);
        return;
    }
    pe->holds = !cw_window_has(use, sim.window, units);
    if (pe->holds)
        return;
    use->used += units;
    *unanswered |= cw_forward_bit(0);
    hot_post(REQUEST, node, pe->me % sim.pes_per_node, next, pe->request, sim.nbytes,
             sim.price.client);
}

/** To another node. operand: what PE 0 adds, or the PE and side that are notified. */
void hot_request(pe_t *pe, uint32_t to, uint64_t operand)
{
    uint32_t node = pe->me / sim.pes_per_node, slot = pe->me % sim.pes_per_node;
    cw_forward_tail_t tail = {.origin = pe->me,
                              .final_node = to,
                              .reply_slot = sim.wants_value ? 0 : CW_FORWARD_NO_VALUE};
    memcpy(pe->request + OPERAND_AT, &operand, sizeof operand);
    memcpy(pe->request + sim.nbytes - sizeof tail, &tail, sizeof tail);
    if (sim.is_direct)
        hot_post(DIRECT, node, slot, to, pe->request, sim.nbytes, sim.price.client);
    else if (slot == 0)
        leave(pe, true);
    else
        send_routed(pe);
}

static void next_operation(pe_t *pe)
{
    pe->begin = sim_now();
    if (pe->me / sim.pes_per_node > 0) {
        hot_request(pe, 0, 1);
        return;
    }
    pe->begin -= sim.price.local - sim.price.wake;
    complete(pe);
}

static void begin_operation(sim_thread_t *event)
{
    next_operation((pe_t *)event);
}

// ---------------------------------------------------------------- the run
static bool contends(uint32_t pe)
{
    return pe > 0 && (sim.share == 0 ||
                      (uint64_t)pe * sim.share / 100 != (uint64_t)(pe - 1) * sim.share / 100);
}

static void make_server(uint32_t node)
{
    server_t *s = &sim.server[node];
    *s = (server_t){.event = {.go = end_round}, .me = node};
    if (sim.is_direct)
        return;
    s->unanswered = hot_zeros(cw_topology_degree(&sim.topology, node), sizeof *s->unanswered);
    cw_forward_config_t config = {.topology = &sim.topology,
                                  .node = node,
                                  .nslots = sim.pes_per_node,
                                  .buffer_nbytes = sim.buffer_nbytes,
                                  .nbuffers = sim.buffers,
                                  .packs = sim.packs,
                                  .combines = sim.combines,
                                  .pe = s->me * sim.pes_per_node,
                                  .unanswered = s->unanswered};
    config.cells = mmap(NULL, cw_forward_cells_nbytes(&config), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (config.cells == MAP_FAILED)
        hot_fail("no memory for windows");
    sim.window = cw_forward_window(&config);
    if (cw_window_units(sim.nbytes) > sim.window)
        hot_fail("a window has no room for a request");
    s->f = cw_forward_create(&config, &ops, s);
    if (!s->f)
        hot_fail("no memory");
}

static void begin(void)
{
    sim.nnodes = (sim.npes + sim.pes_per_node - 1) / sim.pes_per_node;
    sim.server = hot_zeros(sim.nnodes, sizeof *sim.server);
    sim.pe = hot_zeros(sim.npes, sizeof *sim.pe);
    sim_engine_begin(1, 1, (sim_clock_t){0});  // nothing needs a core
    for (uint32_t node = 0; node < sim.nnodes; node++)
        make_server(node);
    for (uint32_t i = 0; i < sim.npes; i++) {
        pe_t *pe = &sim.pe[i];
        uint32_t degree =
            sim.is_direct ? 1 : cw_topology_degree(&sim.topology, i / sim.pes_per_node);
        *pe = (pe_t){.event = {.go = begin_operation}, .me = i, .left = sim.rounds};
        pe->use = hot_zeros(degree, sizeof *pe->use);
        if (sim.planes)
            wave_make(pe);
        else if (contends(i) && (sim.share > 0 || i == 1))
            sim_after(&pe->event, i % 97);  // not all in the same nanosecond
    }
    for (uint32_t i = 0; sim.planes && i < sim.npes; i++)
        wave_begin(&sim.pe[i]);
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(void)
{
    double *us = hot_zeros(sim.npes, sizeof *us), sum = 0;
    uint32_t n = 0, shown = 0;
    printf("\"by_rank\": [");
    for (uint32_t i = sim.pes_per_node; i < sim.npes; i++) {
        if (!contends(i))
            continue;
        if (sim.pe[i].n != sim.rounds)
            hot_fail("a PE did not end");
        us[n++] = sim.pe[i].total / sim.pe[i].n / 1e3;
        sum += us[n - 1];
        uint64_t step = (uint64_t)(sim.npes - sim.pes_per_node) / SAMPLES + 1;
        if ((i - sim.pes_per_node) / step >= shown) {
            printf("%s[%u, %.2f]", shown ? ", " : "", i, us[n - 1]);
            shown = (uint32_t)((i - sim.pes_per_node) / step) + 1;
        }
    }
    qsort(us, n, sizeof *us, by_time);
    printf("], \"contending\": %u, \"mean_us\": %.2f, \"median_us\": %.2f, \"least_us\": %.2f, "
           "\"most_us\": %.2f",
           n, sum / n, us[n / 2], us[0], us[n - 1]);
    free(us);
}

static void print_result(uint64_t events)
{
    uint64_t held = 0;
    unsigned longest = 0;
    for (uint32_t node = 0; node < sim.nnodes; node++) {
        const server_t *s = &sim.server[node];
        if (s->f && cw_forward_counts(s->f)->most_held > held)
            held = cw_forward_counts(s->f)->most_held;
        if (node > 0 && s->longest > longest)
            longest = s->longest;
    }
    printf("{\"simulated\": true, \"npes\": %u, \"nodes\": %u, \"share\": %u, \"packs\": %d, "
           "\"penalty\": %g, ",
           sim.npes, sim.nnodes, sim.share, sim.packs, sim.price.penalty);
    print_times();
    printf(", \"requests\": %llu, \"messages\": %llu, \"queue\": %u, \"queue_elsewhere\": %u, "
           "\"hops\": %.3f, \"most_held\": %llu, \"seconds\": %.6f, \"events\": %llu}\n",
           (unsigned long long)sim.executed, (unsigned long long)sim.server[0].arrived,
           sim.server[0].longest, longest, (double)sim.hops / (double)sim.executed,
           (unsigned long long)held, sim_now() / 1e9, (unsigned long long)events);
}

// ---------------------------------------------------------------- the command line
static uint32_t number(const char *text, unsigned long least, unsigned long most)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*end || end == text || n < least || n > most)
        hot_fail("unusable number");
    return (uint32_t)n;
}

static void set_operation(const char *name)
{
    enum { HEADER = 24, SEGMENTS = 8, SEGMENT = 64 };
    bool is_put = strcmp(name, "vput") == 0, is_notify = strcmp(name, "notify") == 0;
    if (!is_put && !is_notify && strcmp(name, "fadd") != 0)
        hot_fail("an operation is fadd, vput or notify");
    sim.wants_value = !is_put && !is_notify;
    sim.nbytes = HEADER + (is_put ? SEGMENTS * (SEGMENT + 8) : 16) + sizeof(cw_forward_tail_t);
}

static const char *parse(int argc, char **argv)
{
    const char *topology = NULL;
    bool given[NPRICES] = {false};
    const char *wrong;
    sim.buffer_nbytes = 16384, sim.buffers = 4;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strncmp(arg, "--", 2)) {
            wrong = sim_price_set(prices, NPRICES, &sim.price, given, arg);
            if (wrong)
                hot_fail(wrong);
            continue;
        }
        i++;
        if (!strcmp(arg, "--npes"))
            sim.npes = number(value, 2, 1 << 20);
        else if (!strcmp(arg, "--pes-per-node"))
            sim.pes_per_node = number(value, 1, 1024);
        else if (!strcmp(arg, "--topology"))
            topology = value;
        else if (!strcmp(arg, "--operation"))
            set_operation(value);
        else if (!strcmp(arg, "--share"))
            sim.share = number(value, 0, 100);
        else if (!strcmp(arg, "--packs"))
            sim.packs = number(value, 0, 1);
        else if (!strcmp(arg, "--combines"))
            sim.combines = number(value, 0, 1);
        else if (!strcmp(arg, "--buffer-nbytes"))
            sim.buffer_nbytes = number(value, sizeof(cw_cell_t), 1 << 20);
        else if (!strcmp(arg, "--buffers"))
            sim.buffers = number(value, 1, 1024);
        else if (!strcmp(arg, "--planes"))
            sim.planes = number(value, 1, QUEUED_MOST / 4);
        else if (!strcmp(arg, "--work"))
            sim.work = number(value, 0, 1000000000);
        else if (!strcmp(arg, "--data"))
            sim.data = number(value, 0, 1 << 30);
        else if (!strcmp(arg, "--rounds"))
            sim.rounds = number(value, 1, 10000);
        else
            hot_fail("unknown option");
    }
    if ((wrong = sim_prices_check(NPRICES, given)))
        hot_fail(wrong);
    if (sim.planes && sim.wants_value)
        hot_fail("planes end with a notify");
    if (!topology || !sim.nbytes || !sim.rounds || sim.pes_per_node == 0 ||
        sim.npes <= sim.pes_per_node)
        hot_fail("topology, operation, rounds, and more PEs than one node's are needed");
    return topology;
}

int main(int argc, char **argv)
{
    char why[200];
    const char *topology = parse(argc, argv);
    uint32_t nnodes = (sim.npes + sim.pes_per_node - 1) / sim.pes_per_node;
    sim.is_direct = strcmp(topology, "direct") == 0;
    if (!sim.is_direct && !cw_topology_named(&sim.topology, topology, nnodes, why, sizeof why))
        hot_fail(why);
    begin();
    uint64_t events = sim_engine_run();
    if (sim.planes)
        wave_print(events);
    else
        print_result(events);
    return 0;
}
