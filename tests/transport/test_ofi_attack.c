// SPDX-License-Identifier: BSD-3-Clause
//
//     test_ofi_attack CONNECTIONS FRAMES [own]
//
// Attacks on the ports of a job of one machine, server's and client's, by processes of another user
// (needs root), or of this one with "own": connections that end, stay, send half of a message, or
// send frames that are almost the provider's. The job's results stay right meanwhile, it takes new
// clients and ends normally, and memory and descriptors return. Another user's bytes never reach
// the provider, so this holds over endpoints whose provider does not withstand them too.
// CAUSEWAY_ENDPOINT and CAUSEWAY_PROVIDER choose the provider.
#include "outsiders.h"

#include <pwd.h>

#include "transport/ofi/lib/sockets.h"

enum { OTHER_USER = 65534, STAY = 200, ATTACKERS = 2, FRAME_MAX = 300 };

static uint16_t ports[4];  // network byte order
static int nports;
static _Atomic uint64_t *made;  // connections, by all attackers

// ---------------------------------------------------------------- attackers

/** Ports that this process listens on: an RDM client does. */
static bool note_port(int fd, void *arg)
{
    struct sockaddr_in name;
    socklen_t n = sizeof name, int_nbytes = sizeof(int);
    int listens = 0;
    (void)arg;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_nbytes) == 0 && listens &&
        getsockname(fd, (void *)&name, &n) == 0 && name.sin_family == AF_INET &&
        nports < (int)(sizeof ports / sizeof ports[0]))
        ports[nports++] = name.sin_port;
    return true;
}

/** A frame behind the connection's first message: mostly a head as the providers' own has it, with
 *  sizes at the limits. Returns its length. */
static size_t draw_frame(uint8_t frame[FRAME_MAX])
{
    static const uint64_t sizes[] = {0, 1, 8, 15, 16, 24, 64, 4096, 4161, 1u << 31, 1ull << 62};
    for (int i = 0; i < FRAME_MAX; i++)
        frame[i] = (uint8_t)random_word();
    if (random_word() % 8 != 0) {
        uint64_t size = sizes[random_word() % (sizeof sizes / sizeof sizes[0])];
        frame[0] = 3;                             // version
        frame[1] = (uint8_t)(random_word() % 8);  // operation
        frame[2] = (uint8_t)(random_word() % 8);  // flags
        frame[3] = 0;
        frame[6] = (uint8_t)(random_word() % 2 ? 16 : 24);  // length of the head
        for (int i = 0; i < 8; i++)
            frame[8 + i] = (uint8_t)(size >> 8 * (random_word() % 2 ? i : 7 - i));
    }
    return random_word() % 4 == 0 ? 16 : random_word() % (FRAME_MAX + 1);
}

/** A first message that the provider may take: its head, and the address that it claims. */
static void introduce(int fd)
{
    uint8_t first[64] = {0};
    unsigned nbytes = (unsigned[]){8, 0, 16, 24}[random_word() % 4];
    provider_head(first, nbytes);
    for (unsigned i = 0; i < nbytes; i++)
        first[32 + i] = (uint8_t)random_word();
    if (random_word() % 2) {
        first[32] = first[33] = 0;
        memcpy(first + 34, &ports[random_word() % (unsigned)nports], 2);
    }
    say(fd, first, 32 + nbytes);
}

static void attack_once(int i, int frames)
{
    struct linger at_once = {.l_onoff = 1};
    uint8_t frame[FRAME_MAX];
    port.sin_port = ports[i % nports];
    int fd = knock();
    if (fd < 0)
        return;
    atomic_fetch_add(made, 1);
    if (i % 4 == 1)
        random_bytes(fd);
    if (i % 4 >= 2)
        introduce(fd);
    for (int k = 0; i % 4 >= 2 && k < frames; k++)
        say(fd, frame, draw_frame(frame));
    if (i % 8 < 6)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
}

static void attacker(int connections, int frames, int me, bool own)
{
    int held[STAY];
    random_state += (uint64_t)me;
    alarm(550);
    if (!own && setresuid(OTHER_USER, OTHER_USER, OTHER_USER) != 0)
        _exit(1);
    for (int i = 0; i < STAY; i++) {  // these stay to the end of the attack
        port.sin_port = ports[i % nports];
        held[i] = knock();
        if (i % 3)
            introduce(held[i]);
        if (i % 3 == 2)
            say(held[i], "half of a message", 17);
    }
    // every other connection sends frames
    for (int i = 0; i < connections; i++)
        attack_once(i, (2 * frames + connections - 1) / connections);
    for (int i = 0; i < STAY; i++)
        if (held[i] >= 0)
            close(held[i]);
    _exit(0);
}

static void attack(int connections, int frames, bool own)
{
    pid_t pids[ATTACKERS];
    int left = ATTACKERS;
    for (int i = 0; i < ATTACKERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            attacker(connections / ATTACKERS, frames / ATTACKERS, i, own);
    }
    while (left > 0) {
        work(n.conn);
        for (int i = 0, status; i < ATTACKERS; i++)
            if (pids[i] && waitpid(pids[i], &status, WNOHANG) == pids[i]) {
                REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
                pids[i] = 0;
                left--;
            }
    }
}

/** Waits until the server has as few descriptors as before. */
static int files_at_last(int most)
{
    uint64_t start = cwu_now_ns();
    while (server_files() > most && cwu_now_ns() - start < 60000000000u) {
        work(n.conn);
        usleep(20000);
    }
    return server_files();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int connections = atoi(argv[1]), frames = atoi(argv[2]);
    bool own = argc > 3;
    alarm(600);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!own && geteuid() != 0) {
        printf("SKIP: a process of another user is needed, so this runs as root only\n");
        return 77;
    }
    open_job();
    made = &n.shared->words[3];
    ofi_sockets_each(note_port, NULL);
    ports[nports++] = port.sin_port;
    long kib = server_kib();
    int files = server_files();
    uint64_t start = cwu_now_ns();
    attack(connections, frames, own);
    uint64_t came = atomic_load(made);
    printf("%d ports, %lu of %d connections, %d frames: %.1f s\n", nports, (unsigned long)came,
           connections, frames, (double)(cwu_now_ns() - start) / 1e9);
    second_client();
    int after = files_at_last(files);
    printf("the server: %d descriptors, before %d; %+ld KiB\n", after, files, server_kib() - kib);
    CHECK(after <= files);
    CHECK(server_kib() - kib < 16 * 1024);
    CHECK(came >= (uint64_t)connections / 2);
    uint64_t refused = close_job();
    printf("refused by the server: %lu\n", (unsigned long)refused);
    CHECK(own || refused >= came / (uint64_t)nports / 2);
    return check_result();
}
