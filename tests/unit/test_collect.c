// SPDX-License-Identifier: BSD-3-Clause
//
// The collector without a transport. First its rule of floods, by script. Then all sequences of
// events up to a length, on a model of two nodes: what this PE sends waits on its connection until
// something proves it, and what the flusher sends passes that by. Each operation is executed once,
// those in order (after a fence, or each) never before what they follow, and a quiet leaves none.
#include "core/collect/collect.h"
#include "frame/check.h"

enum { NODES = 2, MOST = 512, FULL = MOST / 16, RECORD = 2 };  // words of a record

typedef struct op {    // what is under way, by its number
    int node, fences;  // fences before it
    bool follows;      // it is in order after all before it
    int times;         // executed
} op_t;

static struct {
    cw_collect_t c;
    cw_queue_t queue[NODES];
    cw_bundle_t bundle[NODES];
    cw_bundle_seen_t seen[NODES];
    bool used[NODES];
    op_t op[2048];
    int nops, fences;
    int wire[2048], nwire;  // sent by this PE, not proved
    int wakes, direct_ops;
    bool no_memory, is_wrong;
    uint64_t now;
} m;
static _Atomic uint32_t flusher;
static _Atomic uint8_t due;
enum { OWNERS = 0x80 };  // a bit of the ledger that is not the collector's
static _Atomic bool looked;
static int32_t direct;

static int node_of(const cw_queue_t *q)
{
    return (int)(q - m.queue);
}

/** Executed on its connection, after what was sent there before it: only what the flusher sends can
 *  be too early. */
static void execute(int number)
{
    op_t *op = &m.op[number];
    m.is_wrong |= op->times++ != 0;
    for (int i = 0; i < number; i++)
        if (m.op[i].node == op->node && m.op[i].times == 0 &&
            (op->follows || m.op[i].fences < op->fences))
            m.is_wrong = true;
}

static void prove(void)
{
    for (int i = 0; i < m.nwire; i++)
        execute(m.wire[i]);
    m.nwire = 0;
}

static cw_bundle_t *take(cw_queue_t *q)
{
    int node = node_of(q);
    if (m.no_memory || m.used[node])
        return NULL;
    m.used[node] = true;
    return &m.bundle[node];
}

static void give(cw_queue_t *q, cw_bundle_t *b)
{
    m.used[node_of(q)] = false;
    m.is_wrong |= b != &m.bundle[node_of(q)];
}

/** The number of each record of a message. */
static void each_record(const cw_bundle_t *b, bool flushed)
{
    for (uint32_t at = CW_BUNDLE_HEADER / 8; at < b->nbytes / 8; at += RECORD) {
        if (flushed)
            execute((int)b->word[at]);
        else
            m.wire[m.nwire++] = (int)b->word[at];
    }
}

static void send(cw_queue_t *q, bool last)
{
    (void)last;
    each_record(q->open, false);
}

static void run_flusher(cw_bundle_t *b)
{
    if (atomic_load(&b->state) != CW_BUNDLE_TAKEN)
        return;
    each_record(b, true);
    cw_bundle_executed(b, b->answers);
}

static void await(cw_queue_t *q)
{
    run_flusher(q->open);
    m.is_wrong |= atomic_load(&q->open->state) != CW_BUNDLE_FREE;
}

static void wake(void)
{
    m.wakes++;
}

static uint64_t now_ns(void)
{
    return m.now;
}

static const cw_collect_ops_t ops = {.take = take,
                                     .give = give,
                                     .send = send,
                                     .await = await,
                                     .prove = prove,
                                     .wake = wake,
                                     .now_ns = now_ns};

static void begin(bool all)
{
    m.c = (cw_collect_t){
        .ops = &ops, .flusher = &flusher, .due = &due, .direct = &direct, .looked = &looked};
    for (int i = 0; i < NODES; i++) {
        m.queue[i] = (cw_queue_t){.most = CW_BUNDLE_HEADER + MOST};
        m.bundle[i].state = CW_BUNDLE_FREE;
        m.seen[i] = (cw_bundle_seen_t){.serial = m.bundle[i].serial};
        m.used[i] = false;
    }
    m.nops = m.fences = m.nwire = m.wakes = m.direct_ops = 0;
    m.no_memory = m.is_wrong = false;
    m.now = 1u << 30;
    due = OWNERS;
    looked = false;
    flusher = CW_FLUSHER_AWAKE;
    cw_collect_begin(&m.c, all);
}

/** Returns whether it was collected. */
static bool issue(int node, cw_collect_policy_t policy, cw_bundle_order_t *order)
{
    int number = m.nops++;
    m.op[number] = (op_t){.node = node, .fences = m.fences, .follows = order};
    cw_room_t room;
    if (cw_collect_room(&m.c, &m.queue[node], RECORD, 0, policy, order, &room)) {
        room.at[0] = (uint64_t)number;
        cw_collect_end(&m.c, &m.queue[node], &room, RECORD, 0, true);
        return true;
    }
    if (order)  // what leaves otherwise is behind what was collected
        cw_collect_flush(&m.c, CW_BUNDLE_ORDER);
    m.wire[m.nwire++] = number;
    m.direct_ops++;
    return false;
}

static void fence(bool ordered)
{
    if (cw_collect_fence(&m.c, ordered)) {
        prove();
        cw_collect_proved(&m.c);
    }
    m.fences++;
}

static void quiet(void)
{
    if (cw_collect_due(&m.c) & CW_BUNDLES_BUSY)
        cw_collect_pause(&m.c, CW_BUNDLE_QUIET);
    else
        cw_collect_rest(&m.c);
    prove();
    cw_collect_proved(&m.c);
    for (int i = 0; i < m.nops; i++)
        m.is_wrong |= m.op[i].times != 1;
    m.nops = m.fences = 0;
}

// ---------------------------------------------------------------- the rule of floods
/** An interval of n operations, as contexts count them, and its quiet. Returns those collected. */
static int interval(int n)
{
    int collected = 0;
    for (int i = 0; i < n; i++) {
        if (direct-- > 0) {
            m.op[m.nops] = (op_t){0};
            m.wire[m.nwire++] = m.nops++;
            continue;
        }
        looked = true;
        collected += issue(0, CW_COLLECT_FLOOD, NULL);
    }
    quiet();
    return collected;
}

static void floods(void)
{
    const int group = CW_COLLECT_GROUP;
    begin(false);
    for (int i = 0; i < 100; i++)
        CHECK(interval(i % (group + 1)) == 0, "group %d", i);
    CHECK(interval(100) == 100 - group - 3, "the first one of a flood: the node is idle");
    CHECK(interval(100) == 98, "the second one");
    CHECK(interval(1) == 0 && interval(100) == 98, "a flag between two of a flood");
    CHECK(interval(1) == 0 && interval(1) == 0 && direct == group, "two calm pauses end it");
    CHECK(interval(100) == 100 - group - 2 && direct == 0, "it begins again");
    for (int most = group; most < 1280; most *= 2) {  // messages of three
        CHECK(interval(5) == 3 && direct == most, "after messages that did not pay: %d", direct);
        CHECK(interval(most) == 0, "%d are no flood any more", most);
        CHECK(interval(most + 3) == 1 && direct == 0, "%d are", most + 3);
    }
    CHECK(interval(100) == 98 && m.c.group == group, "messages that pay make it as it was");
    begin(true);
    CHECK(interval(5) == 2 && interval(5) == 3, "all are looked at");
    CHECK(!m.is_wrong);
}

static void streams(void)
{
    uint32_t pauses = 0;
    begin(false);
    CHECK(!cw_collect_stream(&m.c, &pauses));
    quiet();
    CHECK(!cw_collect_stream(&m.c, &pauses) && cw_collect_stream(&m.c, &pauses) && looked);
    quiet();
    CHECK(direct == 0 && !cw_collect_stream(&m.c, &pauses));
}

static void messages(void)
{
    begin(true);
    for (int i = 0; i < FULL; i++)
        CHECK(issue(0, CW_COLLECT_ALWAYS, NULL) && m.nwire == 0);
    CHECK(issue(0, CW_COLLECT_ALWAYS, NULL) && m.nwire == FULL && m.c.stats.sent[CW_BUNDLE_FULL]);
    for (int i = 0; i < 2; i++) {
        size_t answer = i == 0 ? CW_BUNDLE_ANSWERS : 8;
        cw_room_t room = {0};
        CHECK(cw_collect_room(&m.c, &m.queue[0], 0, answer, CW_COLLECT_ALWAYS, NULL, &room));
        cw_collect_end(&m.c, &m.queue[0], &room, 0, answer, false);
        CHECK(m.nwire == FULL + i, "values have a limit, too");
    }
    CHECK(due == (OWNERS | CW_BUNDLES_PUTS | CW_BUNDLES_SENT), "%u", due);
    cw_collect_fenced_puts(&m.c);
    CHECK(due == (OWNERS | CW_BUNDLES_SENT));
    cw_collect_flush(&m.c, CW_BUNDLE_QUIET);
    m.no_memory = true;
    CHECK(!issue(0, CW_COLLECT_MESSAGE, NULL) &&
          due == (OWNERS | CW_BUNDLES_SENT | CW_BUNDLES_BUSY));
    quiet();
    CHECK(due == OWNERS && !m.is_wrong);
}

/** A message that nothing touches between two ticks is marked, and then taken. */
static void ticks(void)
{
    cw_bundle_t *b = &m.bundle[0];
    begin(true);
    for (int round = 0; round < 2; round++) {
        issue(0, CW_COLLECT_ALWAYS, NULL);
        CHECK(cw_bundle_tick(b, m.seen) == (CW_TICK_USED | CW_TICK_IN_USE | CW_TICK_OPEN));
        CHECK(b->state == CW_BUNDLE_OPEN, "%u: not at first sight", b->state);
        CHECK(cw_bundle_tick(b, m.seen) == (CW_TICK_IN_USE | CW_TICK_OPEN));
        CHECK(b->state == CW_BUNDLE_AGED, "%u", b->state);
        if (round == 0) {
            issue(0, CW_COLLECT_ALWAYS, NULL);
            CHECK(m.nwire == 2 && b->state == CW_BUNDLE_FREE, "its PE sends it");
        }
    }
    CHECK(cw_bundle_tick(b, m.seen) == (CW_TICK_IN_USE | CW_TICK_TAKEN));
    CHECK(issue(0, CW_COLLECT_ALWAYS, NULL) && m.op[2].times == 1, "its PE waits for it");
    cw_collect_flush(&m.c, CW_BUNDLE_QUIET);
    CHECK(cw_bundle_tick(b, m.seen) == CW_TICK_USED && cw_bundle_tick(b, m.seen) == 0);
}

/** Opens a message, and sends it so much later. True: the flusher was wakened. */
static bool wakes_for(uint64_t lies_ns)
{
    int before = m.wakes;
    issue(0, CW_COLLECT_MESSAGE, NULL);
    m.now += lies_ns;
    quiet();
    return m.wakes > before;
}

static void wake_ups(void)
{
    begin(false);
    CHECK(!wakes_for(0), "it is awake");
    flusher = CW_FLUSHER_ASLEEP;
    CHECK(wakes_for(0));
    flusher = CW_FLUSHER_RESTS;
    for (int i = 2; i < CW_COLLECT_GROUP; i++)
        CHECK(wakes_for(0), "%d were sent soon", i);
    for (int i = 0; i < 100; i++)
        CHECK(!wakes_for(0), "all were");
    CHECK(!wakes_for(CW_COLLECT_AGE_NS) && !wakes_for(CW_COLLECT_AGE_NS), "but one");
    CHECK(wakes_for(0), "but two");
    flusher = CW_FLUSHER_ASLEEP;
    CHECK(wakes_for(0), "asleep, it looks at nothing by itself");
}

// ---------------------------------------------------------------- all sequences
enum { ONE, MANY, OTHER, MESSAGE, FENCE, QUIET, TICK, EXECUTE, EVENTS, LENGTH = 7 };
static const char *const names[] = {"one",   "many",  "other", "message",
                                    "fence", "quiet", "tick",  "execute"};

static bool one(int node, bool ordered)
{
    cw_bundle_order_t order = {.behind = m.nwire > 0};
    bool taken = issue(node, CW_COLLECT_FLOOD, ordered ? &order : NULL);
    for (int i = 0; order.proved && i < m.nops - taken; i++)
        m.is_wrong |= m.op[i].times != 1;  // it says that all were executed
    return taken;
}

static void happens(int event, bool ordered)
{
    if (event == ONE)
        one(0, ordered);
    for (int i = 0; (event == MANY || event == OTHER) && !one(event == OTHER, ordered); i++)
        REQUIRE(i < 2 * CW_COLLECT_GROUP, "no end of direct operations");
    if (event == MESSAGE)
        issue(0, ordered ? CW_COLLECT_FLOOD : CW_COLLECT_MESSAGE,
              ordered ? &(cw_bundle_order_t){0} : NULL);
    if (event == FENCE)
        fence(ordered);
    if (event == QUIET)
        quiet();
    if (event == TICK)
        m.now += CW_COLLECT_AGE_NS / 2;
    for (int i = 0; i < NODES; i++) {
        if (event == TICK)
            cw_bundle_tick(&m.bundle[i], &m.seen[i]);
        if (event == EXECUTE)
            run_flusher(&m.bundle[i]);
    }
}

static unsigned by_server, too_old;

static void sequence(long number, bool ordered)
{
    char text[80] = "";
    begin(true);
    for (long i = 0, rest = number; i < LENGTH; i++, rest /= EVENTS)
        happens((int)(rest % EVENTS), ordered);
    quiet();
    by_server += m.c.stats.sent[CW_BUNDLE_BY_SERVER] != 0;
    too_old += m.c.stats.sent[CW_BUNDLE_TOO_OLD] != 0;
    if (!m.is_wrong && !m.c.filled && due == OWNERS)
        return;
    for (long i = 0, rest = number; i < LENGTH; i++, rest /= EVENTS)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s", names[rest % EVENTS]);
    CHECK(false, "%s%s", ordered ? "in order:" : "", text);
}

static void sequences(bool ordered)
{
    long n = 1;
    by_server = too_old = 0;
    for (int i = 0; i < LENGTH; i++)
        n *= EVENTS;
    for (long number = 0; number < n; number++)
        sequence(number, ordered);
    CHECK(by_server > 1000 && too_old > 1000, "of %ld sequences %u reach the flusher, %u an age", n,
          by_server, too_old);
}

int main(void)
{
    floods();
    streams();
    messages();
    ticks();
    wake_ups();
    sequences(false);
    sequences(true);
    return check_result();
}
