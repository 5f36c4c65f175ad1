// SPDX-License-Identifier: BSD-3-Clause
//
// How PEs of a node come by one descriptor if the launcher gave none (docs/design/node-object.md):
// the lowest PE gives its memfd over an abstract Unix socket. Both ends compare users.
//
// Any process may have taken the name, since the job's secret comes too late to be part of it. Then
// the others search the kernel's list for the name with random bytes behind it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/wait.h"
#include "core/mem/pass.h"
#include "core/mem/segment.h"
#include "core/world/world.h"

#define NAMES "/proc/net/unix"  // abstract names begin with @ there
#define ID_MOST 46              // last characters of a job's identity
#define RANDOM_NBYTES 8u
// attempts (some 20 ms) without a listener before the first look at the list
#define LOOK_AFTER 8u

typedef struct address {
    struct sockaddr_un un;
    socklen_t nbytes;
} address_t;

/** An abstract name stands behind a NUL, without one at its end. */
static address_t address_of(const char *text)
{
    address_t a = {.un = {.sun_family = AF_UNIX}};
    size_t n = strlen(text);
    memcpy(a.un.sun_path + 1, text, n);
    a.nbytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
    return a;
}

enum { PLAIN = 9 + 10 + 1 + ID_MOST + 1 + 11 + 1 + 10 };
_Static_assert(PLAIN + 1 + 2 * RANDOM_NBYTES < sizeof(((struct sockaddr_un *)0)->sun_path),
               "a name with random bytes behind it");

static void plain_name(char text[PLAIN + 1], const cwb_t *boot)
{
    size_t n = strlen(boot->job_id);
    snprintf(text, PLAIN + 1, "causeway.%u.%s.%d.%u", (unsigned)getuid(),
             boot->job_id + (n > ID_MOST ? n - ID_MOST : 0), cw_world.node, cw_world.turn);
}

static int make_object(int *fd_p)
{
    int fd = memfd_create("causeway-node", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        cwu_error("cannot create the node's shared memory object: memfd_create: %s",
                  strerror(errno));
        return CW_ESYS;
    }
    *fd_p = fd;
    return CW_OK;
}

static int bind_to(int sock, const char *text)
{
    address_t a = address_of(text);
    return bind(sock, (const struct sockaddr *)&a.un, a.nbytes);
}

/** At the plain name, or at an unpredictable one. */
static int bind_somewhere(int sock, const cwb_t *boot)
{
    char plain[PLAIN + 1], text[PLAIN + 2 + 2 * RANDOM_NBYTES];
    uint64_t random;
    _Static_assert(sizeof random == RANDOM_NBYTES, "as %016llx prints");
    plain_name(plain, boot);
    if (bind_to(sock, plain) == 0)
        return 0;
    if (errno != EADDRINUSE || getrandom(&random, sizeof random, 0) != sizeof random)
        return -1;
    cwu_debug("another process has taken the name %s", plain);
    snprintf(text, sizeof text, "%s.%016llx", plain, (unsigned long long)random);
    return bind_to(sock, text);
}

static int no_files(const char *what)
{
    cwu_error("out of file descriptors: none is left for %s; raise the limit (ulimit -n)", what);
    return CW_EFILES;
}

static int hand_out(const cwb_t *boot, int fd)
{
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sock < 0 || bind_somewhere(sock, boot) || listen(sock, cw_world.nslots)) {
        cwu_error("cannot listen for the PEs of this node: %s", strerror(errno));
        if (sock >= 0)
            close(sock);
        return CW_ESYS;
    }
    int rc = CW_OK;
    uint64_t deadline = cwu_now_ns() + (uint64_t)cwu_env.timeout * 1000000000u;
    for (int served = 1; served < cw_world.nslots && rc == CW_OK;) {
        struct pollfd p = {sock, POLLIN, 0};
        uint64_t now = cwu_now_ns();
        if (now >= deadline || poll(&p, 1, (int)((deadline - now) / 1000000u) + 1) == 0) {
            cwu_error("%d of the %d PEs of this node did not come for its shared memory within %ld "
                      "s; do they run "
                      "on another host or as another user? (CAUSEWAY_NODE names the node of a PE, "
                      "CAUSEWAY_TIMEOUT "
                      "the patience)",
                      cw_world.nslots - served, cw_world.nslots, cwu_env.timeout);
            rc = CW_ETIMEOUT;
            break;
        }
        int peer = accept4(sock, NULL, NULL, SOCK_CLOEXEC);
        if (peer < 0 && (errno == EMFILE || errno == ENFILE)) {
            rc = no_files("a PE that comes for this node's memory");
            break;
        }
        if (peer < 0)
            continue;
        if (cw_same_user(peer) && cw_send_fd(peer, fd, 0) == CW_OK)
            served++;
        close(peer);
    }
    close(sock);
    return rc;
}

static int receive_by(int sock, uint64_t deadline, int *fd_p)
{
    struct pollfd p = {sock, POLLIN, 0};
    uint64_t now = cwu_now_ns();
    if (now >= deadline || poll(&p, 1, (int)((deadline - now) / 1000000u) + 1) <= 0)
        return CW_EAGAIN;
    return cw_receive_fd(sock, fd_p, &(uint32_t){0});
}

/** CW_EAGAIN: no process; CW_EREFUSED: another user's. Neither blocks this PE. */
static int ask(const char *text, uint64_t deadline, int *fd_p)
{
    address_t a = address_of(text);
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = CW_EAGAIN;
    if (sock < 0) {
        cwu_error("cannot open a socket: %s", strerror(errno));
        return CW_ESYS;
    }
    if (connect(sock, (const struct sockaddr *)&a.un, a.nbytes) == 0)
        rc = cw_same_user(sock) ? receive_by(sock, deadline, fd_p) : CW_EREFUSED;
    else if (errno == EAGAIN)  // its backlog is full
        rc = CW_EREFUSED;
    close(sock);
    return rc == CW_ELOST || rc == CW_EPROTO ? CW_EAGAIN : rc;
}

static int ask_listed(const char *plain, uint64_t deadline, int *fd_p)
{
    size_t n = strlen(plain);
    int rc = CW_EAGAIN;
    char *line = NULL;
    size_t capacity = 0;
    FILE *names = fopen(NAMES, "re");
    while (names && (rc == CW_EAGAIN || rc == CW_EREFUSED) &&
           getline(&line, &capacity, names) > 0) {
        char *text = strchr(line, '@');
        if (!text || strncmp(++text, plain, n) != 0 || text[n] != '.')
            continue;
        size_t digits = strspn(text + n + 1, "0123456789abcdef");
        if (digits != 2 * (size_t)RANDOM_NBYTES || text[n + 1 + digits] != '\n')
            continue;
        text[n + 1 + digits] = '\0';
        rc = ask(text, deadline, fd_p);
    }
    free(line);
    if (names)
        fclose(names);
    return rc;
}

static int fetch(const cwb_t *boot, int *fd_p)
{
    char plain[PLAIN + 1];
    plain_name(plain, boot);
    uint64_t deadline = cwu_now_ns() + (uint64_t)cwu_env.timeout * 1000000000u;
    const cwu_wait_plan_t plan = {.first_ns = CWU_WAIT_NS(NAP), .longest_ns = CWU_WAIT_NS(LATE)};
    uint64_t nap_ns = 0;
    for (uint32_t attempt = 1; cwu_now_ns() < deadline; attempt++) {
        int rc = ask(plain, deadline, fd_p);
        // a listed name is unlikely without a process at the plain one: look rarely, and ever less
        if (rc == CW_EREFUSED ||
            (rc == CW_EAGAIN && attempt >= LOOK_AFTER && (attempt & (attempt - 1)) == 0))
            rc = ask_listed(plain, deadline, fd_p);
        if (rc == CW_EFILES)
            return no_files("this node's memory");
        if (rc != CW_EAGAIN && rc != CW_EREFUSED)
            return rc;
        cwu_sleep_ns(nap_ns = cwu_wait_longer(&plan, nap_ns));
    }
    cwu_error("PE %d should share this node's memory but does not reply after %ld s; does it run "
              "on another host? "
              "(CAUSEWAY_NODE names the node of a PE)",
              cw_world.pes_of_node[0], cwu_env.timeout);
    return CW_ETIMEOUT;
}

static int kept_fd = -1;  // of the object that this PE has made

int cw_share_hand_out(const cwb_t *boot)
{
    if (kept_fd < 0)
        return CW_OK;
    int rc = hand_out(boot, kept_fd);
    close(kept_fd);
    kept_fd = -1;
    return rc;
}

int cw_share_fd(cwb_t *boot, int *fd_p)
{
    if (boot->node_fd >= 0) {
        *fd_p = boot->node_fd;
        return CW_OK;
    }
    if (cw_world.slot != 0)
        return fetch(boot, fd_p);
    int rc = make_object(fd_p);
    if (rc || cw_world.nslots == 1)
        return rc;
    kept_fd = fcntl(*fd_p, F_DUPFD_CLOEXEC, 0);
    if (kept_fd >= 0)
        return CW_OK;
    cwu_error("cannot keep the node's shared memory object: %s", strerror(errno));
    return CW_ESYS;
}
