// SPDX-License-Identifier: BSD-3-Clause
//
// Unauthenticated connections to a server's port, while a job works: they get nothing and harm
// nothing. Bytes of all kinds, connections that send nothing or too little and stay, connections by
// the hundred, clients of another job. Afterwards and meanwhile the job's results are right, and
// descriptors and memory of the server stay within bounds.
// CAUSEWAY_ENDPOINT and CAUSEWAY_PROVIDER choose the provider. Usage: test_ofi_unauth [times as
// many]
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <rdma/fi_cm.h>

#include "pair.h"

#include "frame/check.h"
#include "frame/random.h"
#include "transport/ofi/client/client.h"

enum { HALF_OPEN = 300, SERVER_FILES = 200, WORDS = 512 };

static node_t n;
static struct sockaddr_in port;
static int scale = 1;

static void kill_server(void)
{
    kill(n.peer_pid, SIGKILL);
}

// ---------------------------------------------------------------- the server, a process of its own

static void serve(void)
{
    struct rlimit lim = {SERVER_FILES, SERVER_FILES};
    alarm(280);
    setrlimit(RLIMIT_NOFILE, &lim);
    if (!getenv("SERVER_TALKS"))
        close(STDERR_FILENO);
    if (pair_server(&n, 1) != 0)
        _exit(1);
    atomic_store(&n.shared->words[1], 1);
    while (!atomic_load(&n.shared->words[0]))
        usleep(1000);
    atomic_store(&n.shared->words[2], pair_server_stats(&n).refused);
    pair_close(&n);
    _exit(0);
}

static bool find_port(void)
{
    // The address is within the blob.
    for (size_t at = 0; at + sizeof port <= CWT_ADDRESS_MAX; at++) {
        memcpy(&port, n.shared->blob[1] + at, sizeof port);
        if (port.sin_family == AF_INET && port.sin_addr.s_addr == htonl(INADDR_LOOPBACK) &&
            port.sin_port)
            return true;
    }
    return false;
}

static int server_files(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)n.peer_pid);
    DIR *dir = opendir(path);
    int count = 0;
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static long server_kib(void)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)n.peer_pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// ---------------------------------------------------------------- the job

static uint64_t written;

/** Some operations of every kind, and a check of their results. */
static void work(cwt_conn_t *conn)
{
    static uint8_t block[3000];
    for (int i = 0; i < 20; i++) {
        uint64_t at = n.heap + 8 * (written % WORDS), back = 0;
        written++;
        REQUIRE(n.ops->put(conn, at, &written, 8, false) == 0);
        memset(block, (int)written, sizeof block);
        REQUIRE(n.ops->put(conn, n.heap + 65536, block, sizeof block, false) == 0);
        request_t r = {.header.op = OP_FETCH_ADD, .offset = n.heap + 32768, .value = 1};
        cwt_reply_t reply = {.buf = &back, .capacity = 8};
        REQUIRE(n.ops->request(conn, &r.header, REQUEST_SMALL, &reply) == 0);
        REQUIRE(n.ops->wait(n.client, &reply) == 0);
        REQUIRE(back == written - 1);
        REQUIRE(n.ops->quiet(n.client) == 0);
        REQUIRE(*(volatile uint64_t *)(void *)(n.memory[1] + at) == written);
        REQUIRE(n.memory[1][n.heap + 65536 + sizeof block - 1] == (uint8_t)written);
    }
}

// ---------------------------------------------------------------- unauthenticated connections

static int knock(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_usec = 200000};  // the listener's queue may be full
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&port, sizeof port) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void say(int fd, const void *bytes, size_t nbytes)
{
    if (fd >= 0)
        (void)!send(fd, bytes, nbytes, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/** The beginning of the providers' own first message, in libfabric 1.17: version 3, "connect", the
 *  number of bytes that follow. */
static void provider_head(uint8_t head[32], unsigned nbytes)
{
    memset(head, 0, 32);
    head[0] = 3;
    head[2] = (uint8_t)(nbytes >> 8);
    head[3] = (uint8_t)nbytes;
    head[24] = 1;
}

static void random_bytes(int fd)
{
    uint8_t bytes[1024];
    size_t nbytes = random_word() % sizeof bytes;
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = (uint8_t)random_word();
    if (random_word() % 2)
        provider_head(bytes, (unsigned)(random_word() % 400));  // a valid beginning
    if (random_word() % 4 == 0)
        bytes[random_word() % 32] ^= 1;
    say(fd, bytes, nbytes);
}

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
    cwt_client_t *first = n.client;
    cwt_conn_t *conn = n.conn;
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    REQUIRE(pair_connect(&n) == 0);
    work(n.conn);
    n.ops->close(n.client);
    n.client = first;
    n.conn = conn;
    work(n.conn);
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

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*fn)(void);
    } cases[] = {{"flood_of_bytes", flood_of_bytes},
                 {"flood_of_connections", flood_of_connections},
                 {"wrong_secrets", wrong_secrets},
                 {"strange_messages", strange_messages},
                 {"stay_half_open", stay_half_open}};
    if (argc > 1)
        scale = atoi(argv[1]);
    alarm(280);
    setvbuf(stdout, NULL, _IOLBF, 0);
    cwu_env_load();
    cwu_error_identity(0, 2);
    pair_map(&n, &cwt_ofi, 1 << 20);
    n.peer_pid = fork();
    if (n.peer_pid == 0)
        serve();
    check_before_exit = kill_server;
    while (!atomic_load(&n.shared->words[1]) && waitpid(n.peer_pid, NULL, WNOHANG) == 0)
        usleep(1000);
    n.me = 0;
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    REQUIRE(pair_connect(&n) == 0);
    REQUIRE(find_port());
    work(n.conn);
    long before = server_kib();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t start = cwu_now_ns();
        cases[i].fn();
        work(n.conn);
        printf("%-22s %6.2f s, the server: %d descriptors, %+ld KiB\n", cases[i].name,
               (double)(cwu_now_ns() - start) / 1e9, server_files(), server_kib() - before);
        REQUIRE(server_kib() - before < 64 * 1024);
    }
    n.ops->close(n.client);
    int status = 0;
    atomic_store(&n.shared->words[0], 1);
    waitpid(n.peer_pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(atomic_load(&n.shared->words[2]) >= 25);
    printf("refused: %lu\n", (unsigned long)atomic_load(&n.shared->words[2]));
    return check_result();
}
