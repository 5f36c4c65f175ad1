// SPDX-License-Identifier: BSD-3-Clause
//
// A client that belongs to a node server (ops->server_attach): its messages leave without a wait
// or not at all (ops->try_message), arrive once and in order, name their PE (ops->server_pe), and
// what comes back for them wakes the server. Two processes; the server's thread sends, as it does
// in jobs. Usage: test_ofi_attached [rounds [ms that the peer does not read]]
#include "pair.h"

#include "frame/check.h"
#include "transport/ofi/lib/device.h"
#include "transport/ofi/client/client.h"

enum { OP_NUMBERED = 100 };
enum { WANTED, TAKEN, WRONG, HALT };  // words that both share; HALT: the child's server serves not

static node_t n;
static uint32_t rounds = 400;
static uint64_t stop_ns;  // so long at least; beyond a second, clients ask what has come
static struct {
    cwt_client_t *client;
    cwt_conn_t *conn;
    _Atomic uint64_t sent, refused;  // by the server's thread
    _Atomic uint64_t in_a_row;       // refused, since one was taken
    _Atomic bool attached;
} out;

static uint8_t pattern(uint64_t number, size_t i)
{
    return (uint8_t)(number * 31 + i);
}

static size_t payload_of(uint64_t number)
{
    const size_t most = CWT_MESSAGE_MAX - sizeof(cwt_header_t) - sizeof(uint64_t);
    return number % 7 == 0 ? most : number % 5 == 0 ? 0 : 8 + number * 13 % 600;
}

static bool try_one(uint64_t number)
{
    struct {
        cwt_header_t header;
        uint64_t number, pad;
    } msg = {.header = {.op = OP_NUMBERED}, .number = number};
    static uint8_t payload[CWT_MESSAGE_MAX];
    size_t nbytes = payload_of(number), head = sizeof msg.header + sizeof msg.number;
    for (size_t i = 0; i < nbytes; i++)
        payload[i] = pattern(number, i);
    const cwt_channel_t *channel = (const void *)out.conn;
    uint64_t start = cwu_now_ns(), token = channel->token;
    int rc = n.ops->try_message(out.conn, &msg.header, nbytes ? head : head + sizeof msg.pad,
                                payload, nbytes);
    REQUIRE(rc == 0 || rc == CW_EAGAIN, "try_message: %d", rc);
    CHECK(channel->token - token == (rc == 0), "a token was used up");
    CHECK(cwu_now_ns() - start < 5000000000u, "it waited");
    return rc == 0;
}

/** The server's thread, after each round: sends what the test wants sent until the transport
 *  refuses. */
static void turn(node_t *node)
{
    if (!out.attached && out.client) {
        node->ops->server_attach(node->server, out.client);
        out.attached = true;
    }
    while (out.conn && out.sent < atomic_load(&node->shared->words[WANTED]) && node->me == 0) {
        if (!try_one(out.sent)) {
            out.refused++;
            out.in_a_row++;
            return;
        }
        out.sent++;
        out.in_a_row = 0;
    }
}

/** Sent by the other node's server. */
static void take(node_t *node, cwt_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const uint64_t *number = (const void *)(msg + 1);
    const uint8_t *payload = (const void *)(number + 1);
    size_t want = payload_of(*number), head = sizeof *msg + sizeof *number;
    bool right = msg->op == OP_NUMBERED && *number == node->shared->words[TAKEN] &&
                 nbytes == (want ? head + want : head + 8) && msg->nbytes == nbytes &&
                 node->ops->server_pe(from) == (uint32_t)!node->me;
    for (size_t i = 0; i < want && right; i++)
        right = payload[i] == pattern(*number, i);
    if (!right)
        node->shared->words[WRONG]++;
    node->shared->words[TAKEN]++;
}

static void want(uint64_t number)
{
    atomic_store(&n.shared->words[WANTED], number);
    n.ops->server_wake(n.server);
}

/** Waits; false: CAUSEWAY_TIMEOUT, as it were. */
static bool await(_Atomic uint64_t *word, uint64_t least)
{
    uint64_t start = cwu_now_ns();
    while (atomic_load(word) < least)
        if (usleep(500), cwu_now_ns() - start > 20000000000u)
            return false;
    return true;
}

/** Most of them are refused at first: a connection has few credits. The server sleeps, for seconds
 *  if nothing wakes it, and must be woken by what comes for its client. */
static void flood(void)
{
    bool blind = n.server && out.client->device.cq_fd < 0 && !out.client->device.bell;
    uint64_t slept_out = n.slept_out;
    want(rounds);
    CHECK(await(&n.shared->words[TAKEN], rounds), "taken: %d of %u", (int)n.shared->words[TAKEN],
          rounds);
    CHECK(out.refused > 0);
    CHECK(blind || n.slept_out - slept_out <= 1, "%d sleeps ran out",
          (int)(n.slept_out - slept_out));
}

/** A server that does not read takes as many as there are credits; all others are refused, and the
 *  sender goes on. */
static void stopped_peer(void)
{
    const uint64_t before = rounds;  // all of them have been taken
    atomic_store(&n.shared->words[HALT], 1);
    CHECK(await(&n.shared->words[HALT], 2));
    want(before + 100);
    uint64_t start = cwu_now_ns(), since = 0;
    for (; since < stop_ns || (out.in_a_row < 100 && since < 20000000000u); usleep(200)) {
        n.ops->server_wake(n.server);
        since = cwu_now_ns() - start;
    }
    CHECK(out.in_a_row >= 100, "refused %d times", (int)out.in_a_row);
    CHECK(out.sent - before <= OFI_CREDITS, "%d without a credit", (int)(out.sent - before));
    atomic_store(&n.shared->words[HALT], 3);
    CHECK(await(&n.shared->words[TAKEN], before + 100));
}

static void parent(void)
{
    flood();
    stopped_peer();
    uint8_t long_one[sizeof(cwt_header_t)] = {0};
    static uint8_t payload[CWT_MESSAGE_MAX];
    CHECK(n.ops->try_message(out.conn, (cwt_header_t *)(void *)long_one, sizeof long_one, payload,
                             sizeof payload) == CW_EINVAL);
    CHECK(n.shared->words[WRONG] == 0, "%d messages of %d are wrong", (int)n.shared->words[WRONG],
          (int)n.shared->words[TAKEN]);
    CHECK(n.shared->words[TAKEN] == n.shared->words[WANTED]);
    printf("%d messages, refused %d times\n", (int)out.sent, (int)out.refused);
}

/** Serves; but for a while not. */
static void child(void)
{
    CHECK(await(&n.shared->words[HALT], 1));
    pthread_mutex_lock(&n.lock);
    atomic_store(&n.shared->words[HALT], 2);
    CHECK(await(&n.shared->words[HALT], 3));
    pthread_mutex_unlock(&n.lock);
}

static int open_attached(void)
{
    cwt_client_config_t config = {.pe = n.me,
                                  .npes = 2,
                                  .node = n.me,
                                  .layout = n.layout,
                                  .one_machine = true,
                                  .thread_multiple = true,
                                  .of_server = true,
                                  .node_name = pair_name};
    memcpy(config.secret, n.secret, CWT_SECRET_BYTES);
    cwt_client_t *client;
    int rc = n.ops->open(&config, &client);
    if (rc != 0)
        return rc;
    pthread_mutex_lock(&n.lock);
    out.client = client;
    pthread_mutex_unlock(&n.lock);
    for (n.ops->server_wake(n.server); !out.attached; usleep(100))
        ;
    cwt_conn_t *conn;
    rc = n.ops->connect(client, !n.me, n.shared->blob[!n.me], n.shared->blob_nbytes[!n.me], &conn);
    pthread_mutex_lock(&n.lock);
    out.conn = rc ? NULL : conn;
    pthread_mutex_unlock(&n.lock);
    return rc;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = (uint32_t)atoi(argv[1]);
    if (argc > 2)
        stop_ns = (uint64_t)atoi(argv[2]) * 1000000u;
    cwu_env_load();
    cwu_env.max_connections = 1;  // which is not for this client
    pair_map(&n, &cwt_ofi, 1u << 20, NULL);
    n.turn = turn;
    n.handler = take;
    n.block_ns = 3000000000u;
    pair_spin = 4;
    pid_t pid = fork();
    int me = pid == 0;
    cwu_error_identity(me, 2);
    alarm(200);
    int rc = pair_server(&n, me);
    pair_barrier(&n);
    if (rc == 0)
        rc = open_attached();
    CHECK(rc == 0, "no connection: %d", rc);
    pair_barrier(&n);
    if (rc == 0)
        (me ? child : parent)();
    pair_barrier(&n);
    atomic_store(&n.stop, 1);
    n.ops->server_wake(n.server);
    pthread_join(n.thread, NULL);
    n.ops->server_attach(n.server, NULL);
    n.ops->close(out.client);
    n.ops->server_close(n.server);
    if (me)
        return checks_failed > 0;
    int status = 0;
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return check_result();
}
