// SPDX-License-Identifier: BSD-3-Clause
//
// Unauthenticated connections to a server's port, while a job works: they get nothing and harm
// nothing. Bytes of all kinds, connections that send nothing or too little and stay, connections by
// the hundred, clients of another job, the job's own traffic once more. Afterwards and meanwhile
// the job's results are right, and descriptors and memory of the server stay within bounds.
// CAUSEWAY_ENDPOINT and CAUSEWAY_PROVIDER choose the provider. Not for tcp;ofi_rxm: tcp below it,
// in libfabric 1.17, ends the connection of a message that is longer than the receive that it
// meets. In strange_messages that is the connection of the other job's client, and too few of its
// messages arrive. Usage: test_ofi_unauth [times as many]
#include <poll.h>
#include <rdma/fi_cm.h>

#include "outsiders.h"

#include "transport/ofi/client/calls.h"

enum { HALF_OPEN = 300 };

static int scale = 1;

static void flood_of_bytes(void)
{
    for (int i = 0; i < 400 * scale; i++) {
        int fd = knock();
        random_bytes(fd);
        if (fd >= 0 && random_word() % 2)
            shutdown(fd, SHUT_WR);
        if (fd >= 0)
            close(fd);
        if (i % 20 == 0)
            work(n.conn);
    }
}

static void flood_of_connections(void)
{
    struct linger abort_at_once = {.l_onoff = 1};
    for (int i = 0; i < 1500 * scale; i++) {
        int fd = knock();
        if (fd >= 0 && i % 2)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort_at_once, sizeof abort_at_once);
        if (fd >= 0)
            close(fd);
        if (i % 50 == 0)
            work(n.conn);
    }
}

/** Nothing sent, one byte, or the head of a first message; all stay. A new client of the job is
 *  still accepted. */
static void stay_half_open(void)
{
    int fds[HALF_OPEN], open_now = 0;
    uint8_t head[32];
    provider_head(head, 40);
    for (int i = 0; i < HALF_OPEN; i++) {
        fds[i] = knock();
        open_now += fds[i] >= 0;
        if (i % 3)
            say(fds[i], head, i % 3 == 1 ? 1 : sizeof head);
        if (i % 20 == 0)
            work(n.conn);
    }
    printf("  %d half-open connections, the server has %d descriptors of %d\n", open_now,
           server_files(), SERVER_FILES);
    second_client();
    uint64_t start = cwu_now_ns();
    int files = server_files();
    while (files > 60 && cwu_now_ns() - start < 60000000000u) {
        work(n.conn);
        usleep(20000);
        files = server_files();
    }
    printf("  %.1f s later it has %d\n", (double)(cwu_now_ns() - start) / 1e9, files);
    REQUIRE(files <= 60);
    for (int i = 0; i < HALF_OPEN; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/** Complete clients of another job, while the job works. RDM: after 64 the server no longer
 *  replies. */
static void wrong_secrets(void)
{
    pid_t intruder = fork();
    if (intruder == 0) {
        int refused = 0;
        alarm(100);
        close(STDERR_FILENO);
        for (int i = 0; i < 25; i++) {
            uint8_t wrong[CWT_SECRET_BYTES];
            for (size_t k = 0; k < sizeof wrong; k++)
                wrong[k] = (uint8_t)random_word();
            node_t other = n;
            other.client = NULL;
            other.conn = NULL;
            refused +=
                pair_client(&other, wrong, false) == 0 && pair_connect(&other) == CW_EREFUSED;
            if (other.client)
                other.ops->close(other.client);
        }
        _exit(refused == 25 ? 0 : 1);
    }
    int status = 0;
    while (waitpid(intruder, &status, WNOHANG) == 0) {
        work(n.conn);
        usleep(2000);
    }
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/** One message to that client, from an endpoint of another job. */
static void tell(node_t *other, fi_addr_t to, const void *bytes, size_t nbytes)
{
    ssize_t rc;
    uint64_t start = cwu_now_ns();
    do {
        rc = fi_send(other->client->device.ep, bytes, nbytes, NULL, to, NULL);
        other->ops->poll(other->client);
        n.ops->poll(n.client);
    } while (rc == -FI_EAGAIN && cwu_now_ns() - start < 5000000000u);
    REQUIRE(rc == 0);
}

/** RDM: messages from elsewhere to a client's endpoint, which is known to all who listen: noise,
 *  some that are too long, and refusals, which carry no proof. Before the client connects, when
 *  refusals mean most, and while it works. */
static void strange_messages(void)
{
    static uint8_t noise[8000], wrong[CWT_SECRET_BYTES] = {9};
    cwt_client_t *first = n.client;
    cwt_conn_t *conn = n.conn;
    node_t other = n;
    fi_addr_t to;
    char name[128];
    size_t name_nbytes = sizeof name;
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    REQUIRE(pair_client(&other, wrong, false) == 0);
    if (n.client->device.ep) {
        REQUIRE(fi_getname(&n.client->device.ep->fid, name, &name_nbytes) == 0);
        REQUIRE(fi_av_insert(other.client->device.av, name, 1, &to, 0, NULL) == 1);
        ofi_reply_header_t refusal = {
            .node = 1, .nbytes = sizeof refusal, .kind = OFI_REPLY_REFUSED};
        tell(&other, to, &refusal, sizeof refusal);
        REQUIRE(pair_connect(&n) == 0);
        for (int i = 0; i < 100 * scale; i++) {
            size_t nbytes = random_word() % (i % 2 ? sizeof noise : OFI_BUFFER_NBYTES);
            for (size_t k = 0; k < 64; k++)
                noise[k] = (uint8_t)random_word();
            tell(&other, to, noise, nbytes + 1);
            work(n.conn);
        }
        cwt_stats_t stats;
        n.ops->stats(n.client, &stats);
        REQUIRE(stats.refused > 50);
    }
    n.ops->close(other.client);
    n.ops->close(n.client);
    n.client = first;
    n.conn = conn;
}

// ---------------------------------------------------------------- requests that were read

enum { REQUESTS_KEPT = 4 };
static uint8_t request_kept[REQUESTS_KEPT][CWT_MESSAGE_MAX];
static size_t request_nbytes[REQUESTS_KEPT];
static int requests_kept;
static ssize_t (*inject)(void *ep, const void *buf, size_t nbytes, uint64_t to);

/** In place of the provider's: keeps what the connection sends. */
static ssize_t inject_and_keep(void *ep, const void *buf, size_t nbytes, uint64_t to)
{
    ssize_t rc = inject(ep, buf, nbytes, to);
    if (rc == 0 && requests_kept < REQUESTS_KEPT) {
        memcpy(request_kept[requests_kept], buf, nbytes);
        request_nbytes[requests_kept++] = nbytes;
    }
    return rc;
}

/** An addition without and with a reply; what the counter is afterwards. */
static uint64_t add_twice(void)
{
    request_t r = {.header.op = OP_ADD, .offset = n.heap + 40960, .value = 1};
    uint64_t back = 0;
    cwt_reply_t reply = {.buf = &back, .capacity = 8};
    REQUIRE(n.ops->request(n.conn, &r.header, REQUEST_SMALL, NULL) == 0);
    r.header.op = OP_FETCH_ADD;
    REQUIRE(n.ops->request(n.conn, &r.header, REQUEST_SMALL, &reply) == 0);
    REQUIRE(n.ops->wait(n.client, &reply) == 0);
    return back + 1;
}

/** Connections of the cases before, which the server may have accepted and not judged, count as
 *  refusals, too: returns when none has for a while in which the server worked. */
static void settle(void)
{
    uint64_t seen = pair_refused(), start = cwu_now_ns();
    for (int calm = 0; calm < 5 && cwu_now_ns() - start < 20000000000u; calm++) {
        work(n.conn);
        usleep(50000);
        if (pair_refused() != seen) {
            seen = pair_refused();
            calm = -1;
        }
    }
}

/** Each request that the connection has sent comes again, `times` times: from the client's own
 *  endpoint or, where those are not connected, from that of another job. */
static void again(node_t *sender, fi_addr_t to, struct fid_ep *ep, int times)
{
    uint64_t refused = pair_refused(), due = refused + (uint64_t)(times * requests_kept);
    for (int i = 0; i < times * requests_kept; i++) {
        int k = i % requests_kept;
        while (fi_inject(ep, request_kept[k], request_nbytes[k], to) == -FI_EAGAIN)
            sender->ops->poll(sender->client);
    }
    uint64_t start = cwu_now_ns();
    while (pair_refused() < due && cwu_now_ns() - start < 20000000000u) {
        sender->ops->poll(sender->client);
        usleep(100);
    }
    CHECK(pair_refused() == due, "%lu of %lu", pair_refused() - refused, due - refused);
}

/** A connection's requests come again while it lasts: each was executed once, and the connection
 *  works as before. */
static void requests_again(void)
{
    static uint8_t wrong[CWT_SECRET_BYTES] = {9};
    cwt_client_t *first = n.client;
    cwt_conn_t *conn = n.conn;
    node_t other = n;
    ofi_blob_t blob;
    memcpy(&blob, n.shared->blob[1], sizeof blob);
    settle();
    REQUIRE(pair_client(&n, n.secret, false) == 0 && pair_connect(&n) == 0);
    inject = n.conn->inject;
    n.conn->inject = inject_and_keep;
    uint64_t sum = add_twice();
    CHECK(requests_kept == 2);
    again(&n, n.conn->fi_addr, n.conn->ep, 25 * scale);
    CHECK(add_twice() == sum + 2 && requests_kept == 4);
    if (!ofi_choice.msg) {
        fi_addr_t to;
        REQUIRE(pair_client(&other, wrong, false) == 0);
        REQUIRE(fi_av_insert(other.client->device.av, blob.addr, 1, &to, 0, NULL) == 1);
        again(&other, to, other.client->device.ep, 25 * scale);
        n.ops->close(other.client);
    }
    CHECK(add_twice() == sum + 4);
    work(n.conn);
    n.ops->close(n.client);
    n.client = first;
    n.conn = conn;
}

// ---------------------------------------------------------------- what was read from the wire

enum { KEPT_MAX = 1 << 20 };
static uint8_t kept[KEPT_MAX];  // what a client sent
static size_t kept_nbytes;
static int relay_listener;

static bool move_some(int from, int to, bool keep)
{
    uint8_t bytes[4096];
    ssize_t got = recv(from, bytes, sizeof bytes, 0);
    if (got <= 0)
        return false;
    for (ssize_t i = 0; keep && i < got && kept_nbytes < KEPT_MAX; i++)
        kept[kept_nbytes++] = bytes[i];
    return send(to, bytes, (size_t)got, MSG_NOSIGNAL) == got;
}

/** Stands between one client and the server, and keeps what the client sends. */
static void *relay(void *arg)
{
    int client = accept(relay_listener, NULL, NULL), server = knock();
    struct pollfd both[] = {{.fd = client, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    bool open = client >= 0 && server >= 0;
    while (open && poll(both, 2, -1) > 0)
        for (int i = 0; i < 2 && open; i++)
            if (both[i].revents)
                open = move_some(both[i].fd, both[!i].fd, i == 0);
    close(client);
    close(server);
    return arg;
}

/** Where the server's port stands in its published address. */
static uint8_t *published_port(void)
{
    for (size_t at = 0; at + sizeof port <= CWT_ADDRESS_MAX; at++)
        if (memcmp(n.shared->blob[1] + at, &port, 8) == 0)
            return n.shared->blob[1] + at + offsetof(struct sockaddr_in, sin_port);
    REQUIRE(!"the address is in the blob");
    return NULL;
}

/** A client works behind the relay and goes. */
static void record(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t name_nbytes = sizeof name;
    cwt_client_t *first = n.client;
    cwt_conn_t *conn = n.conn;
    pthread_t thread;
    relay_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(bind(relay_listener, (void *)&name, sizeof name) == 0 &&
            listen(relay_listener, 1) == 0 &&
            getsockname(relay_listener, (void *)&name, &name_nbytes) == 0);
    pthread_create(&thread, NULL, relay, NULL);
    uint8_t *published = published_port();
    memcpy(published, &name.sin_port, sizeof name.sin_port);
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    REQUIRE(pair_connect(&n) == 0);
    work(n.conn);
    n.ops->close(n.client);
    pthread_join(thread, NULL);
    memcpy(published, &port.sin_port, sizeof port.sin_port);
    close(relay_listener);
    n.client = first;
    n.conn = conn;
}

/** All that a client sent comes once more: nothing of it is executed. (With RDM endpoints the
 *  provider executes the puts of all who have read the key from the wire.) */
static void replayed(void)
{
    static uint8_t before[128 << 10];
    if (!ofi_choice.msg)
        return;
    record();
    CHECK(kept_nbytes > 20 * 3000 && kept_nbytes < KEPT_MAX);
    memset(n.memory[1] + n.heap + 65536, 0, 3000);
    memcpy(before, n.memory[1] + n.heap, sizeof before);
    uint64_t refused = pair_refused();
    int fd = knock();
    struct pollfd end = {.fd = fd, .events = POLLIN};
    for (size_t at = 0; at < kept_nbytes;) {
        ssize_t sent = send(fd, kept + at, kept_nbytes - at, MSG_NOSIGNAL);
        if (sent <= 0)
            break;  // the server has closed it already
        at += (size_t)sent;
    }
    shutdown(fd, SHUT_WR);
    uint8_t bytes[4096];
    while (poll(&end, 1, 10000) == 1 && recv(fd, bytes, sizeof bytes, 0) > 0)
        ;
    close(fd);
    for (int i = 0; i < 1000 && pair_refused() == refused; i++)
        usleep(10000);
    CHECK(pair_refused() > refused);
    CHECK(memcmp(before, n.memory[1] + n.heap, sizeof before) == 0);
    work(n.conn);  // its counters are as before
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*fn)(void);
    } cases[] = {{"flood_of_bytes", flood_of_bytes}, {"flood_of_connections", flood_of_connections},
                 {"wrong_secrets", wrong_secrets},   {"strange_messages", strange_messages},
                 {"requests_again", requests_again}, {"replayed", replayed},
                 {"stay_half_open", stay_half_open}};
    if (argc > 1)
        scale = atoi(argv[1]);
    alarm(280);
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_job();
    long before = server_kib();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t start = cwu_now_ns();
        cases[i].fn();
        work(n.conn);
        printf("%-22s %6.2f s, the server: %d descriptors, %+ld KiB\n", cases[i].name,
               (double)(cwu_now_ns() - start) / 1e9, server_files(), server_kib() - before);
        REQUIRE(server_kib() - before < 64 * 1024);
    }
    uint64_t refused = close_job();
    CHECK(refused >= 25);
    printf("refused: %lu\n", (unsigned long)refused);
    return check_result();
}
