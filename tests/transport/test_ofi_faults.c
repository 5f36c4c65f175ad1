// SPDX-License-Identifier: BSD-3-Clause
//
// Faults between nodes end in an error code and a message with a remedy, never in a hang:
// unauthenticated connections, absent servers, killed peers, missing libraries, no descriptors
// left. Each case runs in a process of its own.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "pair.h"

#include "frame/check.h"
#include "frame/child.h"
#include "transport/ofi/server/server.h"

#include <rdma/fi_cm.h>

static node_t n;

static bool late;
static bool peer_speaks;  // its messages are read with those of the case
static void (*peer_turn)(node_t *node);

/** Opens the server without the secret, which arrives half a second later. */
static int late_open(void)
{
    uint8_t secret[CWT_SECRET_BYTES];
    memcpy(secret, n.secret, sizeof secret);
    memset(n.secret, 0, sizeof n.secret);
    int rc = pair_server(&n, 1);
    atomic_store(&n.shared->words[1], 1);
    usleep(500000);
    pthread_mutex_lock(&n.lock);
    if (rc == 0)
        n.ops->server_secret(n.server, secret);
    pthread_mutex_unlock(&n.lock);
    atomic_store(&n.shared->words[3], 1);
    return rc;
}

/** The peer: a process that serves until it is killed, or closes in an orderly way when words[0] is
 *  set. */
static void start_peer(void)
{
    alarm(60);
    setenv("CAUSEWAY_TIMEOUT", "2", 1);
    cwu_env_load();
    cwu_error_identity(0, 2);
    pair_map(&n, &cwt_ofi, 1 << 20, NULL);
    n.turn = peer_turn;
    n.peer_pid = fork();
    if (n.peer_pid == 0) {
        alarm(60);
        if (!peer_speaks)
            close(STDERR_FILENO);
        if ((late ? late_open() : pair_server(&n, 1)) != 0)
            _exit(1);
        atomic_store(&n.shared->words[1], 1);
        while (!atomic_load(&n.shared->words[0]))
            usleep(1000);
        atomic_store(&n.shared->words[2], pair_server_stats(&n).refused);
        pair_close(&n);
        _exit(0);
    }
    while (!atomic_load(&n.shared->words[1]) && waitpid(n.peer_pid, NULL, WNOHANG) == 0)
        usleep(1000);
    n.me = 0;
}

/** Returns when every thread of the peer has stopped: a signal alone leaves them time to reply. */
static void stop_peer(void)
{
    int status;
    kill(n.peer_pid, SIGSTOP);
    waitpid(n.peer_pid, &status, WUNTRACED);
}

static void kill_peer(void)
{
    kill(n.peer_pid, SIGKILL);
    waitpid(n.peer_pid, NULL, 0);
}

static int end_peer(void)
{
    int status;
    atomic_store(&n.shared->words[0], 1);
    waitpid(n.peer_pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static double seconds_since(uint64_t start)
{
    return (double)(cwu_now_ns() - start) / 1e9;
}

static void works(void)
{
    uint64_t value = 42;
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    REQUIRE(pair_connect(&n) == 0);
    REQUIRE(n.ops->put(n.conn, n.heap, &value, 8, false) == 0);
    REQUIRE(n.ops->quiet(n.client) == 0);
    REQUIRE(*(uint64_t *)(void *)(n.memory[1] + n.heap) == 42);
}

static void wrong_secret(void)
{
    start_peer();
    uint8_t wrong[CWT_SECRET_BYTES] = {1, 2, 3};
    uint64_t start = cwu_now_ns();
    REQUIRE(pair_client(&n, wrong, false) == 0);
    REQUIRE(pair_connect(&n) == CW_EREFUSED);
    REQUIRE(seconds_since(start) < 5);
    n.ops->close(n.client);
    works();  // the server still works
    REQUIRE(end_peer() == 0);
    REQUIRE(atomic_load(&n.shared->words[2]) >= 1);
}

static void absent_server(void)
{
    start_peer();
    kill_peer();
    uint64_t start = cwu_now_ns();
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    int rc = pair_connect(&n);
    REQUIRE(rc == CW_ETIMEOUT || rc == CW_ELOST);
    REQUIRE(seconds_since(start) < 10);
}

static void killed_while_waiting(void)
{
    start_peer();
    works();
    request_t r = {.header.op = OP_SLOW_STORE, .offset = n.heap, .value = 1};
    cwt_reply_t reply = {.capacity = 0};  // SLOW_STORE never replies
    stop_peer();
    REQUIRE(n.ops->request(n.conn, &r.header, REQUEST_SMALL, &reply) == 0);
    uint64_t start = cwu_now_ns();
    kill_peer();
    REQUIRE(n.ops->wait(n.client, &reply) == CW_ELOST);
    REQUIRE(seconds_since(start) < 10);
    REQUIRE(n.ops->quiet(n.client) == CW_ELOST);
    n.ops->close(n.client);
}

static void killed_while_getting(void)
{
    start_peer();
    works();
    static char bytes[1 << 20];
    cwt_reply_t landed;
    stop_peer();
    REQUIRE(n.ops->get_begin(n.conn, n.heap, bytes, sizeof bytes, &landed) == 0);
    REQUIRE(landed.done == 0);
    uint64_t start = cwu_now_ns();
    kill_peer();
    REQUIRE(n.ops->wait(n.client, &landed) == CW_ELOST);
    REQUIRE(seconds_since(start) < 10);
    n.ops->close(n.client);
}

static void killed_before_quiet(void)
{
    start_peer();
    works();
    uint64_t value = 1, start = cwu_now_ns();
    stop_peer();
    REQUIRE(n.ops->put(n.conn, n.heap, &value, 8, false) == 0);
    kill_peer();
    REQUIRE(n.ops->quiet(n.client) == CW_ELOST);
    int rc = n.ops->get(n.conn, n.heap, &value, 8, false);
    REQUIRE(rc == CW_ELOST);
    REQUIRE(seconds_since(start) < 10);
    n.ops->close(n.client);
}

static void clean_end(void)
{
    start_peer();
    works();
    REQUIRE(end_peer() == 0);
    for (int i = 0; i < 20; i++) {
        REQUIRE(n.ops->progress(n.client) == 0);
        usleep(2000);
    }
    REQUIRE(n.ops->quiet(n.client) == 0);
    n.ops->close(n.client);
}

static long resident_kib(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_maxrss;
}

/** A target that takes nothing for a while must not make the source queue without bound. */
static void stopped_peer(void)
{
    start_peer();
    works();
    long before = resident_kib();
    stop_peer();
    if (fork() == 0) {
        usleep(500000);
        kill(n.peer_pid, SIGCONT);
        _exit(0);
    }
    for (uint64_t i = 0; i < 400000; i++)
        REQUIRE(n.ops->put(n.conn, n.heap + 8 * (i % 4096), &i, 8, false) == 0);
    REQUIRE(n.ops->quiet(n.client) == 0);
    REQUIRE(*(uint64_t *)(void *)(n.memory[1] + n.heap + 8 * (399999 % 4096)) == 399999);
#if defined(__SANITIZE_THREAD__)  // has shadows of what was touched
    before += 32768;
#endif
    REQUIRE(resident_kib() - before < 32768);
    n.ops->close(n.client);
    REQUIRE(end_peer() == 0);
}

/** A server that never replies: its kernel accepts the connection, no program does. */
static void silent_server(void)
{
    start_peer();
    stop_peer();
    uint64_t start = cwu_now_ns();
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    REQUIRE(pair_connect(&n) == CW_ETIMEOUT);
    REQUIRE(seconds_since(start) >= 1.9);
    kill_peer();
    n.ops->close(n.client);
}

/** A server that does not know the job's secret yet when the first client connects. */
static void late_server(void)
{
    late = true;
    start_peer();
    works();
    REQUIRE(atomic_load(&n.shared->words[3]) == 1);
    n.ops->close(n.client);
    REQUIRE(end_peer() == 0);
}

static void put_and_look(cwt_conn_t *conn, uint64_t value)
{
    REQUIRE(n.ops->put(conn, n.heap, &value, 8, false) == 0);
    REQUIRE(n.ops->quiet(n.client) == 0);
    REQUIRE(*(uint64_t *)(void *)(n.memory[1] + n.heap) == value);
}

/** Two connections where one may be open: each use closes the other. */
static void one_at_a_time(void)
{
    setenv("CAUSEWAY_MAX_CONNECTIONS", "1", 1);
    start_peer();
    works();
    cwt_conn_t *first = n.conn;
    REQUIRE(pair_connect(&n) == 0);
    for (uint64_t i = 1; i <= 20; i++)
        put_and_look(i % 2 ? first : n.conn, i);
    cwt_stats_t s;
    n.ops->stats(n.client, &s);
    REQUIRE(s.connections == 2 && s.reconnects == 20);
    REQUIRE(end_peer() == 0);
    uint64_t value = 1, start = cwu_now_ns();
    REQUIRE(n.ops->put(first, n.heap, &value, 8, false) < 0);  // the client has left for good
    REQUIRE(seconds_since(start) < 10);
    n.ops->close(n.client);
}

/** No descriptor for a second connection: the first one's is used. */
static void few_descriptors(void)
{
    start_peer();
    works();
    cwt_conn_t *first = n.conn;
    int fd = dup(0);
    struct rlimit lim = {(rlim_t)fd, (rlim_t)fd};
    close(fd);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &lim) == 0);
    REQUIRE(pair_connect(&n) == 0);
    for (uint64_t i = 1; i <= 20; i++)
        put_and_look(i % 2 ? first : n.conn, i);
    n.ops->close(n.client);
    REQUIRE(end_peer() == 0);
}

static void foreign_blob(void)
{
    start_peer();
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    n.shared->blob[1][0] ^= 1;
    REQUIRE(pair_connect(&n) == CW_EMISMATCH);
    REQUIRE(end_peer() == 0);
}

/** Where the peer listens; false: at no socket. */
static bool find_port(struct sockaddr_in *name_p)
{
    // The address is within the blob.
    for (size_t at = 0; at + sizeof *name_p <= CWT_ADDRESS_MAX; at++) {
        memcpy(name_p, n.shared->blob[1] + at, sizeof *name_p);
        if (name_p->sin_family == AF_INET && name_p->sin_addr.s_addr == htonl(INADDR_LOOPBACK) &&
            name_p->sin_port)
            return true;
    }
    return false;
}

/** Bytes of a program that does not speak the provider's protocol. */
static void junk_on_the_port(void)
{
    struct sockaddr_in sin;
    start_peer();
    bool found = find_port(&sin);
    for (int i = 0; found && i < 8; i++) {
        uint8_t junk[400];
        memset(junk, i * 37, sizeof junk);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&sin, sizeof sin) == 0 && i % 2)
            (void)!send(fd, junk, sizeof junk, MSG_NOSIGNAL);
        usleep(1000);
        close(fd);
    }
    works();
    n.ops->close(n.client);
    REQUIRE(end_peer() == 0);
}

/** Clients that are killed between their connection and its first byte: nothing is said of them,
 *  since nothing was refused to a process that lives. */
static void clients_that_end(void)
{
    const struct linger at_once = {.l_onoff = 1};
    struct sockaddr_in sin;
    peer_speaks = true;
    start_peer();
    stop_peer();
    REQUIRE(find_port(&sin));
    for (int i = 0; i < 4; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        REQUIRE(connect(fd, (struct sockaddr *)&sin, sizeof sin) == 0);
        if (i % 2)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(fd);
    }
    kill(n.peer_pid, SIGCONT);
    works();
    for (uint64_t start = cwu_now_ns(); seconds_since(start) < 7;) {  // proofs are awaited so long
        REQUIRE(n.ops->progress(n.client) == 0);
        usleep(20000);
    }
    n.ops->close(n.client);
    REQUIRE(end_peer() == 0);
}

static int (*accept_of_provider)(struct fid_ep *ep, const void *param, size_t nbytes);

static int accept_second_time(struct fid_ep *ep, const void *param, size_t nbytes)
{
    return atomic_fetch_add(&n.shared->words[4], 1) == 0 ? -FI_ECONNRESET
                                                         : accept_of_provider(ep, param, nbytes);
}

/** In the peer, when its first connection is there: the provider's next accept fails. */
static void fail_accept(node_t *node)
{
    const ofi_peer_t *peer = node->server->peers;
    if (accept_of_provider || !peer || !peer->connected)
        return;
    accept_of_provider = peer->ep->cm->accept;
    peer->ep->cm->accept = accept_second_time;
    atomic_store(&n.shared->words[5], 1);
}

/** MSG: a connection that ends while it is accepted; its client's next attempt is accepted. The
 *  receives that were posted for it end behind it. */
static void accept_fails(void)
{
    peer_turn = fail_accept;
    peer_speaks = true;
    start_peer();
    works();
    while (!atomic_load(&n.shared->words[5]))  // the peer may lag behind its first connection
        usleep(1000);
    cwt_conn_t *first = n.conn;
    for (int i = 0; i < 3; i++)
        REQUIRE(pair_connect(&n) == 0);
    put_and_look(first, 1);
    put_and_look(n.conn, 2);
    n.ops->close(n.client);
    REQUIRE(end_peer() == 0);
    REQUIRE(atomic_load(&n.shared->words[4]) == 4);  // three connections
}

static void no_descriptors(void)
{
    start_peer();
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    int fd = dup(0);
    struct rlimit lim = {(rlim_t)fd, (rlim_t)fd};
    close(fd);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &lim) == 0);
    int rc = pair_connect(&n);
    kill_peer();
    REQUIRE(rc < 0);
    _exit(0);
}

static void no_library(void)
{
    setenv("CAUSEWAY_LIBFABRIC", "/nonexistent/libfabric.so.1", 1);
    cwu_env_load();
    REQUIRE(cwt_ofi.load(true) == CW_ENOENT);
    REQUIRE(cwt_ofi.load(true) == CW_ENOENT);
}

static void no_provider(void)
{
    setenv("CAUSEWAY_PROVIDER", "nonesuch", 1);
    cwu_env_load();
    REQUIRE(cwt_ofi.load(true) == CW_ENOENT);
}

static void no_interface(void)
{
    setenv("CAUSEWAY_INTERFACE", "nonesuch0", 1);
    cwu_env_load();
    REQUIRE(cwt_ofi.load(false) == CW_EINVAL);
}

static void bad_endpoint(void)
{
    cwu_env_load();
    cwu_env.endpoint = "xrc";  // not checked by the table's own check here
    REQUIRE(cwt_ofi.load(true) == CW_EINVAL);
}

/** Reports the same before it knows the provider and after. */
static void one_client(void)
{
    bool rxm = strstr(getenv("CAUSEWAY_PROVIDER"), "ofi_rxm") != NULL;
    cwu_env_load();
    REQUIRE(cwt_ofi.one_client() == rxm);
    REQUIRE(cwt_ofi.load(true) == 0);
    REQUIRE(cwt_ofi.one_client() == rxm);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*fn)(void);
        const char *says;  // must appear in the messages
        const char *remedy;
    } cases[] = {
        {"wrong_secret", wrong_secret, "node 1 (the test's child)", "refused"},
        {"absent_server", absent_server, "cannot connect to node 1", "CAUSEWAY_TIMEOUT"},
        {"killed_while_waiting", killed_while_waiting, "lost the connection to node 1",
         "look for its own message"},
        {"killed_while_getting", killed_while_getting, "lost the connection to node 1",
         "look for its own message"},
        {"killed_before_quiet", killed_before_quiet, "lost the connection to node 1", ""},
        {"silent_server", silent_server, "cannot connect to node 1", "CAUSEWAY_TIMEOUT"},
        {"late_server", late_server, NULL, NULL},
        {"one_at_a_time", one_at_a_time, "cannot connect to node 1", ""},
        {"few_descriptors", few_descriptors, NULL, NULL},
        {"clean_end", clean_end, NULL, NULL},
        {"stopped_peer", stopped_peer, NULL, NULL},
        {"foreign_blob", foreign_blob, "must run the same Causeway", ""},
        {"junk_on_the_port", junk_on_the_port, NULL, NULL},
        {"clients_that_end", clients_that_end, NULL, NULL},
        {"accept_fails", accept_fails, NULL, NULL},
        {"no_descriptors", no_descriptors, "out of file descriptors", "ulimit -n"},
        {"no_library", no_library, "libfabric1", "CAUSEWAY_LIBFABRIC"},
        {"no_provider", no_provider, "nonesuch", "tcp"},
        {"no_interface", no_interface, "nonesuch0", "lo=127.0.0.1"},
        {"bad_endpoint", bad_endpoint, "xrc", "rdm, msg or auto"},
        {"one_client", one_client, NULL, NULL},
    };
    bool rdm = getenv("CAUSEWAY_ENDPOINT") && strcmp(getenv("CAUSEWAY_ENDPOINT"), "rdm") == 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
            continue;
        // Connections of RDM endpoints belong to the provider.
        if (rdm && (cases[i].fn == no_descriptors || cases[i].fn == accept_fails))
            continue;
        child_t c = child_run(cases[i].fn);
        bool ok = c.status == 0;
        if (cases[i].says)
            ok = ok && strstr(c.err, cases[i].says) && strstr(c.err, cases[i].remedy);
        else
            ok = ok && !strstr(c.err, "error:") && !strstr(c.err, "warning:");
        CHECK(ok);
        printf("%-22s %s\n", cases[i].name, ok ? "ok" : "wrong");
        if (!ok || argc > 1)
            printf("  status %d, messages:\n%s\n", c.status, c.err);
    }
    return check_result();
}
