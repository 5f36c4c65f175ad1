// SPDX-License-Identifier: BSD-3-Clause
//
// Forwarding of requests: for every topology of 2 to 12 nodes, a net of its state machines in one
// process, with windows that hold one request, random delivery and a transport that refuses at
// random. Everything arrives once, in order by origin and final node, with the right bytes and the
// right answers; waiting requests stay within the formula's memory, which ends at a page that must
// not be touched; it ends. Then fetch-and-adds that are combined on the way, the turns by weight,
// and messages that break the protocol.
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/route/forward.h"
#include "core/route/turns.h"
#include "core/route/window.h"
#include "frame/check.h"
#include "frame/random.h"

enum {
    NODES = 12,
    SLOTS = 3,
    PES = NODES * SLOTS,
    EACH = 5,   // requests of a PE to a node
    DEPTH = 3,  // messages that the transport takes before it refuses
    QUEUE = 4096,
    LARGEST = 1500  // bytes of a request
};

typedef struct message {
    size_t nbytes;
    bool is_packed;
    _Alignas(8) char bytes[CW_FORWARD_NBYTES];
} message_t;

typedef struct channel {  // from a sender (node and slot; slot SLOTS: answers) to a node
    message_t *message[QUEUE];
    unsigned first, last;
} channel_t;

typedef struct pe {
    unsigned sent[NODES];        // requests to each node
    cw_window_use_t use[NODES];  // of the windows at each neighbour
    unsigned done[2], expected[2];
    unsigned values, expected_values;
    cw_forward_own_t own;
    bool owns;       // own.request waits
    bool by_server;  // it has left requests at its node's server
    char request[LARGEST];
} pe_t;

typedef struct node {
    uint32_t me;
    cw_forward_t *f;
    char *area;  // with its guard
    size_t area_nbytes;
    _Atomic uint64_t unanswered[NODES];
} node_t;

static struct {
    cw_topology_t topology;
    uint32_t nnodes, nslots, window;
    node_t node[NODES];
    pe_t pe[PES];
    channel_t channel[NODES][SLOTS + 1][NODES];
    unsigned got[PES][NODES];
    unsigned open;  // requests that were not executed yet
    bool refuses;
    size_t largest;  // bytes of a request
    bool is_roomy;   // windows hold 8 of them
    // combining: all send to the last node, fetch-and-adds and marks in turn
    bool adds;
    uint64_t word[2];
    unsigned totals[2][PES * EACH];  // how often a value with so many adds before it came back
    unsigned combined;
} net;

typedef struct add {  // or a mark, which has no operand
    uint32_t seq, pe;
    uint64_t place, operand;
} add_t;
enum { DIGIT = 2, ADDS = (EACH + 1) / 2 };  // bits of a PE's own adds in a word, and how many
_Static_assert(ADDS < 1 << DIGIT && PES / 2 * DIGIT <= 64, "digits of all PEs fit");

// ---------------------------------------------------------------- requests
static unsigned digit(uint64_t word, uint32_t pe)
{
    return word >> DIGIT * (pe / 2) & ((1 << DIGIT) - 1);
}

static unsigned digits(uint64_t word)
{
    unsigned sum = 0;
    for (; word; word >>= DIGIT)
        sum += word & ((1 << DIGIT) - 1);
    return sum;
}

/** Requests 0, 2, 4... are adds, to the word of the PE's parity: its digit counts them. */
static size_t make_add(char *request, uint32_t pe, uint32_t to, unsigned seq)
{
    bool is_mark = seq & 1;
    add_t add = {seq, pe, pe % 2, is_mark ? 0 : UINT64_C(1) << DIGIT * (pe / 2)};
    cw_forward_tail_t tail = {.origin = pe,
                              .final_node = to,
                              .reply_slot = is_mark ? CW_FORWARD_NO_VALUE : (uint16_t)seq};
    memcpy(request, &add, sizeof add);
    memcpy(request + sizeof add, &tail, sizeof tail);
    return sizeof add + sizeof tail;
}

/** Of a PE's request number `seq` to a node: size, epoch, whether it wants a value. */
static uint64_t traits(uint32_t pe, uint32_t to, unsigned seq)
{
    uint64_t x = (pe * 131u + to) * 977u + seq + 1;
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static size_t make_request(char *request, uint32_t pe, uint32_t to, unsigned seq)
{
    if (net.adds)
        return make_add(request, pe, to, seq);
    uint64_t x = traits(pe, to, seq);
    cw_forward_tail_t tail = {.origin = pe,
                              .final_node = to,
                              .reply_slot = x & 1 ? (uint16_t)seq : CW_FORWARD_NO_VALUE,
                              .generation = (uint16_t)(x >> 8),
                              .epoch = x >> 1 & 1};
    size_t body = 8 + (x >> 24) % (net.largest - sizeof tail - 7);
    for (size_t i = 0; i < body; i++)
        request[i] = (char)(x >> i % 8 * 8) + (char)i;
    memcpy(request, &seq, sizeof seq);
    memcpy(request + body, &tail, sizeof tail);
    return body + sizeof tail;
}

static void expect(uint32_t pe, uint32_t to, unsigned seq)
{
    if (net.adds) {
        net.pe[pe].expected_values += !(seq & 1);
        net.pe[pe].expected[0] += seq & 1;
        return;
    }
    uint64_t x = traits(pe, to, seq);
    if (x & 1)
        net.pe[pe].expected_values++;
    else
        net.pe[pe].expected[x >> 1 & 1]++;
}

// ---------------------------------------------------------------- the transport
static bool post(channel_t *c, const void *bytes, size_t nbytes, bool is_packed, bool must)
{
    if (!must && net.refuses && (c->last - c->first >= DEPTH || draw(3) == 0))
        return false;
    REQUIRE(c->last - c->first < QUEUE && nbytes <= CW_FORWARD_NBYTES);
    message_t *m = malloc(sizeof *m);
    REQUIRE(m);
    m->nbytes = nbytes;
    m->is_packed = is_packed;
    memcpy(m->bytes, bytes, nbytes);
    c->message[c->last++ % QUEUE] = m;
    return true;
}

static bool on_request(void *ctx, uint32_t to, const void *message, size_t nbytes, bool is_packed)
{
    node_t *n = ctx;
    return post(&net.channel[n->me][0][to], message, nbytes, is_packed, false);
}

static bool on_answers(void *ctx, uint32_t to, const void *records, size_t nbytes)
{
    node_t *n = ctx;
    return post(&net.channel[n->me][SLOTS][to], records, nbytes, false, false);
}

static bool on_where(void *ctx, uint32_t pe, uint32_t *node_p, uint32_t *slot_p)
{
    (void)ctx;
    *node_p = pe / net.nslots;
    *slot_p = pe % net.nslots;
    return pe < net.nnodes * net.nslots;
}

/** A mark sees the adds that its PE sent before it, and no others of that PE. */
static size_t execute_add(const void *request, void *value)
{
    add_t add;
    memcpy(&add, request, sizeof add);
    uint64_t *word = &net.word[add.place];
    if (add.operand == 0)
        CHECK(digit(*word, add.pe) == (add.seq + 1) / 2, "PE %u: mark %u behind %u adds", add.pe,
              add.seq, digit(*word, add.pe));
    memcpy(value, word, sizeof *word);
    *word += add.operand;
    net.open -= add.operand ? digits(add.operand) : 1;
    return sizeof *word;
}

static cw_forward_add_t on_fetch_add(void *ctx, const void *request, size_t nbytes)
{
    add_t add;
    (void)ctx;
    memcpy(&add, request, sizeof add);
    CHECK(nbytes == sizeof add);
    return (cw_forward_add_t){add.place, add.operand, 8, offsetof(add_t, operand)};
}

static size_t on_execute(void *ctx, const cw_forward_tail_t *tail, const void *request,
                         size_t nbytes, void *value)
{
    if (net.adds)
        return execute_add(request, value);
    node_t *n = ctx;
    char expected[LARGEST];
    unsigned seq, want = net.got[tail->origin][n->me]++;
    memcpy(&seq, request, sizeof seq);
    CHECK(tail->final_node == n->me);
    CHECK(seq == want, "PE %u to node %u: %u, expected %u", tail->origin, n->me, seq, want);
    size_t right = make_request(expected, tail->origin, n->me, seq);
    CHECK(nbytes == right && memcmp(request, expected, right - sizeof *tail) == 0, "bytes");
    CHECK(tail->hop == cw_route_hops(&net.topology, tail->origin / net.nslots, n->me) - 1);
    net.open--;
    uint64_t x = traits(tail->origin, n->me, seq);
    for (size_t i = 0; i < 1 + x % 40; i++)
        ((char *)value)[i] = (char)seq;
    return 1 + x % 40;
}

static pe_t *pe_of(void *ctx, uint32_t slot)
{
    return &net.pe[((node_t *)ctx)->me * net.nslots + slot];
}

static void on_freed(void *ctx, uint32_t edge, uint32_t slot, uint32_t units)
{
    CHECK(cw_window_was_freed(&pe_of(ctx, slot)->use[edge], units));
}

static void on_done(void *ctx, uint32_t slot, unsigned epoch, uint32_t count)
{
    pe_of(ctx, slot)->done[epoch] += count;
}

static void on_value(void *ctx, uint32_t slot, const cw_answer_value_t *to, const void *value,
                     size_t nbytes)
{
    pe_of(ctx, slot)->values++;
    if (net.adds) {
        uint32_t pe = (uint32_t)(pe_of(ctx, slot) - net.pe);
        uint64_t old;
        memcpy(&old, value, sizeof old);
        CHECK(nbytes == sizeof old && digit(old, pe) == to->reply_slot / 2u,
              "PE %u: add %u saw %u of its own", pe, to->reply_slot, digit(old, pe));
        net.totals[pe % 2][digits(old)]++;
        return;
    }
    for (size_t i = 0; i < nbytes; i++)
        CHECK(((const char *)value)[i] == (char)to->reply_slot);
    CHECK(nbytes > 0 && nbytes <= 40);
}

static const cw_forward_ops_t ops = {.request = on_request,
                                     .answers = on_answers,
                                     .execute = on_execute,
                                     .where = on_where,
                                     .fetch_add = on_fetch_add,
                                     .freed = on_freed,
                                     .done = on_done,
                                     .value = on_value};

// ---------------------------------------------------------------- a net
/** Memory of exactly so many bytes, with a page behind it that faults. */
static void *guarded(node_t *n, size_t nbytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (nbytes + page - 1) / page * page;
    n->area_nbytes = whole + page;
    n->area =
        mmap(NULL, n->area_nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(n->area != MAP_FAILED && mprotect(n->area + whole, page, PROT_NONE) == 0);
    return n->area + whole - nbytes;
}

static cw_forward_config_t config_of(uint32_t me, bool packs)
{
    return (cw_forward_config_t){.topology = &net.topology,
                                 .node = me,
                                 .nslots = net.nslots,
                                 .buffer_nbytes = cw_window_units(net.largest) * sizeof(cw_cell_t),
                                 .nbuffers = net.adds || net.is_roomy ? 8 : 1,
                                 .packs = packs,
                                 .combines = net.adds,
                                 .pe = me * net.nslots,
                                 .unanswered = net.node[me].unanswered};
}

static void begin(const char *name, uint32_t nnodes, uint32_t nslots, size_t largest, bool packs)
{
    char why[200];
    bool adds = net.adds, is_roomy = net.is_roomy;
    memset(&net, 0, sizeof net);
    net.adds = adds;
    net.is_roomy = is_roomy;
    REQUIRE(cw_topology_named(&net.topology, name, nnodes, why, sizeof why), "%s", why);
    net.nnodes = nnodes;
    net.nslots = nslots;
    net.largest = largest;
    for (uint32_t i = 0; i < nnodes; i++) {
        node_t *n = &net.node[i];
        cw_forward_config_t config = config_of(i, packs);
        n->me = i;
        config.cells = guarded(n, cw_forward_cells_nbytes(&config));
        net.window = cw_forward_window(&config);
        n->f = cw_forward_create(&config, &ops, n);
        REQUIRE(n->f);
    }
}

static void end(void)
{
    for (uint32_t i = 0; i < net.nnodes; i++) {
        cw_forward_destroy(net.node[i].f);
        munmap(net.node[i].area, net.node[i].area_nbytes);
    }
}

static bool has_ended(const pe_t *pe)
{
    return pe->done[0] == pe->expected[0] && pe->done[1] == pe->expected[1] &&
           pe->values == pe->expected_values;
}

/** Is the request left at the node's server? Of slot 0 each, of others one now and then, and from
 *  then on until all have been executed. */
static bool is_left(pe_t *pe, uint32_t slot)
{
    pe->by_server = (pe->by_server && !has_ended(pe)) || draw(4) == 0;
    return slot == 0 || pe->by_server;
}

/** A PE's next request to a node, if there is one and it can leave. */
static bool issue(uint32_t number, uint32_t to)
{
    pe_t *pe = &net.pe[number];
    uint32_t me = number / net.nslots, slot = number % net.nslots;
    const char *why = "";
    if (pe->owns && pe->own.is_gone)
        pe->owns = false;
    if (to == me || pe->owns || pe->sent[to] == EACH || (net.adds && to != net.nnodes - 1))
        return false;
    size_t nbytes = make_request(pe->request, number, to, pe->sent[to]);
    uint32_t next = cw_route_next(&net.topology, me, to), units = cw_window_units(nbytes);
    cw_window_use_t *use = &pe->use[cw_topology_edge(&net.topology, me, next)];
    if (is_left(pe, slot)) {
        if (use->used != use->freed)
            return false;  // what went alone must have left the neighbour before
        pe->own =
            (cw_forward_own_t){.request = pe->request, .nbytes = (uint32_t)nbytes, .slot = slot};
        pe->owns = true;
        CHECK(cw_forward_own(net.node[me].f, &pe->own, &why), "%s", why);
    } else {
        if (!cw_window_has(use, net.window, units))
            return false;
        use->used += units;
        post(&net.channel[me][slot][next], pe->request, nbytes, false, true);
    }
    expect(number, to, pe->sent[to]++);
    return true;
}

static bool deliver(uint32_t from, uint32_t slot, uint32_t to)
{
    channel_t *c = &net.channel[from][slot][to];
    cw_forward_t *f = net.node[to].f;
    const char *why = "";
    if (c->first == c->last)
        return false;
    message_t *m = c->message[c->first++ % QUEUE];
    bool ok = slot == SLOTS  ? cw_forward_answered(f, from, m->bytes, m->nbytes, &why)
              : m->is_packed ? cw_forward_packed(f, from, slot, m->bytes, m->nbytes, &why)
                             : cw_forward_arrived(f, from, slot, m->bytes, m->nbytes, &why);
    REQUIRE(ok, "node %u from node %u slot %u: %s", to, from, slot, why);
    free(m);
    return true;
}

/** Does everything once, with a transport that does not refuse; false: nothing moves. */
static bool sweep(void)
{
    bool did = false;
    net.refuses = false;
    for (uint32_t a = 0; a < net.nnodes; a++) {
        for (uint32_t b = 0; b < net.nnodes; b++) {
            for (uint32_t s = 0; s <= SLOTS; s++)
                did |= deliver(a, s, b);
            for (uint32_t s = 0; s < net.nslots; s++)
                did |= issue(a * net.nslots + s, b);
        }
        did |= cw_forward_turn(net.node[a].f);
    }
    net.refuses = true;
    return did;
}

static void check_end(const char *what)
{
    for (uint32_t i = 0; i < net.nnodes; i++) {
        const cw_forward_counts_t *c = cw_forward_counts(net.node[i].f);
        cw_forward_config_t config = config_of(i, false);
        CHECK(!cw_forward_holds(net.node[i].f), "%s: node %u holds", what, i);
        net.combined += (unsigned)c->combined;
        CHECK(c->waiting == 0);
        CHECK(c->held == 0 && c->most_held <= cw_forward_cells_nbytes(&config) && !c->dropped);
    }
    for (uint32_t i = 0; i < net.nnodes * net.nslots; i++) {
        const pe_t *pe = &net.pe[i];
        CHECK(pe->done[0] == pe->expected[0] && pe->done[1] == pe->expected[1] &&
                  pe->values == pe->expected_values,
              "%s: PE %u: done %u %u, values %u", what, i, pe->done[0], pe->done[1], pe->values);
        for (uint32_t e = 0; e < NODES; e++)
            CHECK(pe->use[e].used == pe->use[e].freed);
    }
}

static void run(const char *name, uint32_t nnodes, uint32_t nslots, size_t largest, bool packs)
{
    char what[100];
    snprintf(what, sizeof what, "%s of %u, %u slots, packs %d", name, nnodes, nslots, packs);
    begin(name, nnodes, nslots, largest, packs);
    net.open = (net.adds ? 1 : nnodes) * (nnodes - 1) * nslots * EACH;
    net.refuses = true;
    for (uint64_t steps = 0; net.open > 0; steps++) {
        uint32_t a = (uint32_t)draw(nnodes), b = (uint32_t)draw(nnodes);
        if (draw(3) == 0)
            issue(a * nslots + (uint32_t)draw(nslots), b);
        else if (draw(4) > 0)
            deliver(a, (uint32_t)draw(SLOTS + 1), b);
        else
            cw_forward_turn(net.node[a].f);
        if (steps % 100000 == 99999)
            REQUIRE(sweep() || net.open == 0, "%s: %u requests wait for each other", what,
                    net.open);
    }
    while (sweep())
        ;
    check_end(what);
    end();
}

static void test_nets(void)
{
    static const char *const names[] = {"fcg", "mfcg", "cfcg", "hypercube"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint32_t n = 2; n <= NODES; n++)
            for (unsigned k = 0; k < 4; k++)
                run(names[i], n, k & 1 ? SLOTS : 1, k & 2 ? LARGEST : 100, draw(2));
}

/** Values come back as if the adds had been executed one by one: those to a word have each number
 *  of adds before them once. */
static void test_combining(void)
{
    static const char *const names[] = {"mfcg", "cfcg", "hypercube", "fcg"};
    unsigned combined = 0;
    for (unsigned i = 0; i < 40; i++) {
        net.adds = true;
        run(names[i % 4], 3 + i % (NODES - 2), 1 + i % SLOTS, 100, true);
        combined += net.combined;
        for (unsigned w = 0; w < 2; w++)
            for (unsigned n = 0; n < PES * EACH; n++)
                CHECK(net.totals[w][n] == (n < digits(net.word[w])), "%u adds before: %u times", n,
                      net.totals[w][n]);
    }
    net.adds = false;
    CHECK(combined > 100, "%u combined", combined);
    printf("%u fetch-and-adds combined\n", combined);
}

// ---------------------------------------------------------------- collecting
/** A request of node 1 to `final_node` comes to node 0, which has a turn. Returns how many messages
 *  node 0 has sent. */
static uint64_t pass(uint32_t slot, uint32_t final_node, size_t nbytes)
{
    cw_forward_t *f = net.node[0].f;
    char request[LARGEST] = {0};
    const char *why = "";
    cw_forward_tail_t tail = {
        .origin = net.nslots + slot, .final_node = final_node, .reply_slot = CW_FORWARD_NO_VALUE};
    memcpy(request + nbytes - sizeof tail, &tail, sizeof tail);
    CHECK(cw_forward_arrived(f, 1, slot, request, nbytes, &why), "%s", why);
    cw_forward_turn(f);
    return cw_forward_counts(f)->messages;
}

/** Node 0 passes requests to node 2, by itself or on the way to node 6. Those to a node wait for
 *  each other while node 2 has not given back units of what went to the same node before. */
static void test_collecting(void)
{
    cw_answer_t answer = {.kind = CW_ANSWER_FREED, .count = 2};
    const char *why = "";
    net.is_roomy = true;
    begin("2x2x2", 8, SLOTS, LARGEST, true);
    CHECK(pass(1, 2, 100) == 1, "the first request goes at once");
    CHECK(pass(1, 2, 100) == 1 && pass(2, 2, 100) == 1, "the next ones wait for its answer");
    CHECK(pass(2, 6, 100) == 2, "one to another node does not");
    CHECK(cw_forward_counts(net.node[0].f)->packed == 1, "and takes them along");
    CHECK(pass(1, 6, 100) == 2);
    CHECK(pass(1, 2, LARGEST) == 4, "a large one pushes those before it, and waits for nothing");
    CHECK(pass(0, 2, 100) == 4 && pass(1, 2, 100) == 4);
    CHECK(cw_forward_answered(net.node[0].f, 2, &answer, sizeof answer, &why), "%s", why);
    cw_forward_turn(net.node[0].f);
    CHECK(cw_forward_counts(net.node[0].f)->messages == 5, "they go together, with the answer");
    for (unsigned i = 0; i < 4; i++)
        CHECK(pass(i % SLOTS, 2, 1000) == 5);
    CHECK(pass(2, 2, 1000) == 6, "and as soon as a message is full");
    end();
    net.is_roomy = false;
}

// ---------------------------------------------------------------- turns
enum { WAITING = 400 };

static uint32_t turn_next(void *ctx, uint32_t input, uint32_t slot, uint32_t request)
{
    (void)ctx, (void)input, (void)slot;
    return request < WAITING ? request + 1 : 0;
}

static void turn_set(void *ctx, uint32_t input, uint32_t slot, uint32_t request, uint32_t next)
{
    (void)ctx, (void)input, (void)slot;
    CHECK(next == request + 1);
}

static size_t turn_nbytes(void *ctx, uint32_t input, uint32_t slot, uint32_t request)
{
    (void)ctx, (void)slot, (void)request;
    return input == 0 ? 64 : 512;  // bytes count, not requests
}

/** An edge behind which 8 nodes stand gets 8 times the bytes of one behind which 1 stands. */
static void test_turns(void)
{
    static const uint32_t weight[] = {8, 1};
    cw_turns_links_t links = {.ninputs = 2,
                              .nslots = 2,
                              .weight = weight,
                              .next = turn_next,
                              .set_next = turn_set,
                              .nbytes = turn_nbytes};
    cw_turns_t turns = {0};
    unsigned nbytes[2] = {0}, slots[2] = {0};
    for (uint32_t request = 1; request <= WAITING; request++)
        for (uint32_t k = 0; k < 3; k++)
            REQUIRE(cw_turns_add(&turns, &links, k == 2, k & 1, request));
    for (unsigned i = 0; nbytes[0] < 64 * 360; i++) {
        uint32_t input, slot;
        REQUIRE(cw_turns_peek(&turns, &links, &input, &slot));
        nbytes[input] += (unsigned)turn_nbytes(NULL, input, slot, 1);
        slots[slot] += input == 0;
        cw_turns_remove(&turns, &links);
    }
    CHECK(nbytes[0] > 6 * nbytes[1] && nbytes[0] < 10 * nbytes[1], "%u and %u bytes", nbytes[0],
          nbytes[1]);
    // Slot 0 stands for the 7 nodes of 2 PEs behind it and for its own PE.
    CHECK(slots[0] > 13 * slots[1] && slots[0] < 17 * slots[1], "%u and %u", slots[0], slots[1]);
    cw_turns_destroy(&turns);
}

// ---------------------------------------------------------------- broken peers
static void expect_fault(uint32_t from, uint32_t slot, cw_forward_tail_t tail, const char *fault)
{
    char request[32] = {0};
    const char *why = "";
    memcpy(request + 16, &tail, sizeof tail);
    bool ok = cw_forward_arrived(net.node[3].f, from, slot, request, sizeof request, &why);
    CHECK(!ok, "a request was taken: %s expected", fault);
    CHECK_STR(why, fault);
}

/** Node 3 of a mesh of 2x2 hears from its neighbours 1 and 2. */
static void test_faults(void)
{
    const char *why = "";
    char bytes[64] = {0};
    begin("2x2", 4, 2, 100, false);
    cw_forward_tail_t right = {.origin = 5, .final_node = 3, .reply_slot = CW_FORWARD_NO_VALUE};
    cw_forward_tail_t tail = right;
    expect_fault(0, 0, tail, "its sender");
    expect_fault(9, 0, tail, "its sender");
    expect_fault(2, 2, tail, "its sender");
    tail.origin = 8;
    expect_fault(2, 0, tail, "its origin");
    tail = right;
    tail.final_node = 4;
    expect_fault(2, 0, tail, "its tail");
    tail.final_node = 1;  // by way of node 0, not 3
    expect_fault(1, 0, tail, "its tail");
    tail.final_node = 0;
    expect_fault(2, 0, tail, "its route");
    tail = right;
    tail.hop = CW_TOPOLOGY_DIMS;
    expect_fault(2, 0, tail, "its tail");
    CHECK(!cw_forward_arrived(net.node[3].f, 2, 0, bytes, 15, &why));
    CHECK(!cw_forward_packed(net.node[3].f, 2, 0, bytes, 7, &why));
    memset(bytes, 0x7f, sizeof bytes);
    CHECK(!cw_forward_packed(net.node[3].f, 2, 0, bytes, sizeof bytes, &why));
    cw_answer_t answer = {.kind = CW_ANSWER_FREED, .count = 1};  // of nothing that was sent
    CHECK(!cw_forward_answered(net.node[3].f, 2, &answer, sizeof answer, &why));
    answer = (cw_answer_t){.kind = CW_ANSWER_DONE, .slot = 2};
    CHECK(!cw_forward_answered(net.node[3].f, 2, &answer, sizeof answer, &why));
    answer = (cw_answer_t){.kind = CW_ANSWER_VALUE, .count = 1u << 31};
    CHECK(!cw_forward_answered(net.node[3].f, 2, &answer, sizeof answer, &why));
    CHECK(!cw_forward_answered(net.node[3].f, 2, &answer, 5, &why));
    CHECK(cw_forward_counts(net.node[3].f)->executed == 0);
    end();
}

/** A neighbour that sends more than its window is stopped at the window. */
static void test_overrun(void)
{
    char request[100];
    const char *why = "";
    begin("2x2", 4, 1, sizeof request, true);
    size_t nbytes = make_request(request, 1, 2, 0);  // 1 to 2 by way of 0
    CHECK(cw_forward_arrived(net.node[0].f, 1, 0, request, nbytes, &why), "%s", why);
    CHECK(!cw_forward_arrived(net.node[0].f, 1, 0, request, nbytes, &why));
    CHECK_STR(why, "more than its window");
    end();
}

/** A fetch of node 1's second PE that waits on its connection: what is executed at once is answered
 *  there, and nowhere else; what is passed on, or asks for nothing, as ever. */
static void test_asked(void)
{
    char request[LARGEST];
    const char *why = "";
    net.adds = true;
    begin("2x2", 4, 2, LARGEST, true);
    cw_forward_t *there = net.node[3].f, *between = net.node[0].f;
    cw_forward_now_t now = {.value = NULL};
    uint64_t value = 1;
    size_t nbytes = make_request(request, 3, 3, 0);
    CHECK(cw_forward_asked(there, 1, 1, request, nbytes, &now, &why), "%s", why);
    REQUIRE(now.value);
    memcpy(&value, now.value, sizeof value);
    CHECK(value == 0 && now.nbytes == sizeof value && net.word[1] != 0, "an add");
    CHECK(now.freed == cw_window_units(nbytes) && !cw_forward_holds(there), "%u units", now.freed);
    now.value = NULL;
    nbytes = make_request(request, 3, 3, 1);  // a mark: no value
    CHECK(cw_forward_asked(there, 1, 1, request, nbytes, &now, &why) && !now.value, "%s", why);
    CHECK(cw_forward_holds(there) && cw_forward_counts(there)->executed == 2);
    nbytes = make_request(request, 3, 2, 0);  // by way of node 0
    CHECK(cw_forward_asked(between, 1, 1, request, nbytes, &now, &why) && !now.value, "%s", why);
    CHECK(cw_forward_counts(between)->kept == 1);
    CHECK(!cw_forward_asked(there, 1, 1, request, nbytes, &now, &why) && !now.value);
    CHECK_STR(why, "its route");
    end();
    net.adds = false;
}

int main(void)
{
    test_nets();
    test_combining();
    test_collecting();
    test_turns();
    test_faults();
    test_overrun();
    test_asked();
    return check_result();
}
