// SPDX-License-Identifier: BSD-3-Clause
//
// A server in a process of its own, a client of its job in this one, and connections from outside
// of the job to their ports. For tests of what the job must not notice.
#ifndef CW_TESTS_OUTSIDERS_H
#define CW_TESTS_OUTSIDERS_H

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "pair.h"

#include "frame/check.h"
#include "frame/random.h"

enum { SERVER_FILES = 200, WORDS = 512 };

static node_t n;
static struct sockaddr_in port;
static inline void kill_server(void)
{
    kill(n.peer_pid, SIGKILL);
}

// ---------------------------------------------------------------- the server, a process of its own

static inline void serve(void)
{
    struct rlimit lim = {SERVER_FILES, SERVER_FILES};
    alarm(280);
    setrlimit(RLIMIT_NOFILE, &lim);
    if (!getenv("SERVER_TALKS"))
        close(STDERR_FILENO);
    if (pair_server(&n, 1) != 0)
        _exit(1);
    atomic_store(&n.shared->words[1], 1);
    while (!atomic_load(&n.shared->words[0])) {
        atomic_store(&n.shared->words[4], pair_server_stats(&n).refused);
        usleep(1000);
    }
    atomic_store(&n.shared->words[2], pair_server_stats(&n).refused);
    pair_close(&n);
    _exit(0);
}

/** How many connections and messages the server has refused. */
static inline uint64_t pair_refused(void)
{
    return atomic_load(&n.shared->words[4]);
}

static inline bool find_port(void)
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

static inline int server_files(void)
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

static inline long server_kib(void)
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
static inline void work(cwt_conn_t *conn)
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

/** Another client of the job connects, works and goes. */
static inline void second_client(void)
{
    cwt_client_t *first = n.client;
    cwt_conn_t *conn = n.conn;
    REQUIRE(pair_client(&n, n.secret, false) == 0);
    REQUIRE(pair_connect(&n) == 0);
    work(n.conn);
    n.ops->close(n.client);
    n.client = first;
    n.conn = conn;
    work(n.conn);
}

// ---------------------------------------------------------------- unauthenticated connections

static inline int knock(void)
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

static inline void say(int fd, const void *bytes, size_t nbytes)
{
    if (fd >= 0)
        (void)!send(fd, bytes, nbytes, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/** The beginning of the providers' own first message, in libfabric 1.17: version 3, "connect", the
 *  number of bytes that follow. */
static inline void provider_head(uint8_t head[32], unsigned nbytes)
{
    memset(head, 0, 32);
    head[0] = 3;
    head[2] = (uint8_t)(nbytes >> 8);
    head[3] = (uint8_t)nbytes;
    head[24] = 1;
}

static inline void random_bytes(int fd)
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

/** Opens the job: its server as a child, its client here. */
static inline void open_job(void)
{
    cwu_env_load();
    cwu_error_identity(0, 2);
    pair_map(&n, &cwt_ofi, 1 << 20, NULL);
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
}

/** Ends the job, which must end well; how many connections and messages its server refused. */
static inline uint64_t close_job(void)
{
    int status = 0;
    n.ops->close(n.client);
    atomic_store(&n.shared->words[0], 1);
    waitpid(n.peer_pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return atomic_load(&n.shared->words[2]);
}

#endif
