// SPDX-License-Identifier: BSD-3-Clause
//
// The PEs of a node come by its object although a process of another user has taken the name at
// which they meet, which it can foresee: before they came, with names that look like the right one
// beside it, and one that goes away in the middle. As root, since it takes another user.
//
// A PE that has no descriptor left for the object, or for those who come, says so at once.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "bootstrap/bootstrap.h"
#include "core/mem/segment.h"
#include "core/world/world.h"
#include "frame/check.h"

enum { PES = 4, DECOYS = 50, OTHER_USER = 65534 };

static cwb_t boot = {.node_fd = -1};

static int take_name(const char *text, bool listens)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int sock = socket(AF_UNIX, SOCK_STREAM, 0);
    size_t n = strlen(text);
    memcpy(un.sun_path + 1, text, n);
    socklen_t nbytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
    REQUIRE(bind(sock, (struct sockaddr *)&un, nbytes) == 0, "%s", strerror(errno));
    if (listens)
        REQUIRE(listen(sock, 0) == 0);
    return sock;
}

/** Takes the name, and never answers; says on the pipe that it has. */
static pid_t take(const char *name, bool listens, int decoys)
{
    int ready[2];
    char byte = 0, text[108];
    REQUIRE(pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        REQUIRE(setuid(OTHER_USER) == 0);
        take_name(name, listens);
        for (int i = 0; i < decoys; i++) {
            snprintf(text, sizeof text, "%s.%016x", name, i);
            take_name(text, i % 2);
        }
        REQUIRE(write(ready[1], &byte, 1) == 1);
        for (;;)
            pause();
    }
    REQUIRE(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static int pe_main(int slot, int begin_us, int result)
{
    int fd = -1;
    cw_world.slot = slot;
    usleep((useconds_t)begin_us);
    int rc = cw_share_fd(&boot, &fd);
    if (rc == CW_OK)
        rc = cw_share_hand_out(&boot);
    struct stat st = {0};
    if (rc == CW_OK && fstat(fd, &st) != 0)
        rc = CW_ESYS;
    uint64_t object = rc == CW_OK ? (uint64_t)st.st_ino : 0;
    return write(result, &object, sizeof object) == sizeof object ? 0 : 1;
}

/** squatter: ends when the lowest PE had time to come; 0: there is none. */
static void share(const char *what, pid_t squatter, bool goes)
{
    int result[2];
    uint64_t objects[PES];
    pid_t pes[PES];
    REQUIRE(pipe(result) == 0);
    for (int slot = 0; slot < PES; slot++)
        if ((pes[slot] = fork()) == 0)
            _exit(pe_main(slot, slot == PES - 1 ? 50000 : 0, result[1]));
    if (goes) {
        usleep(25000);  // wherever this falls
        kill(squatter, SIGKILL);
    }
    for (int i = 0; i < PES; i++)
        REQUIRE(read(result[0], &objects[i], sizeof objects[i]) == sizeof objects[i]);
    for (int i = 0; i < PES; i++) {
        CHECK(objects[i] != 0 && objects[i] == objects[0], "%s: not one object", what);
        waitpid(pes[i], NULL, 0);
    }
    if (squatter) {
        kill(squatter, SIGKILL);
        waitpid(squatter, NULL, 0);
    }
    close(result[0]);
    close(result[1]);
}

/** The PE that listens, or another one, has so many descriptors left, and a pipe of its words. */
static int few_files(int slot, int left, int words)
{
    struct rlimit few;
    int next = dup(words), fd = -1;
    close(next);
    getrlimit(RLIMIT_NOFILE, &few);
    few.rlim_cur = (rlim_t)(next + left);
    setrlimit(RLIMIT_NOFILE, &few);
    dup2(words, STDERR_FILENO);
    cw_world.slot = slot;
    int rc = cw_share_fd(&boot, &fd);
    return rc == CW_OK ? cw_share_hand_out(&boot) : rc;
}

/** Two PEs, one of which lacks a descriptor. */
static void lack(const char *what, int lacking, int left)
{
    char text[4096] = "";
    int words[2], status;
    pid_t pes[2];
    uint64_t begin = cwu_now_ns();
    cw_world.nslots = 2;
    REQUIRE(pipe(words) == 0);
    for (int slot = 0; slot < 2; slot++)
        if ((pes[slot] = fork()) == 0)
            _exit(few_files(slot, slot == lacking ? left : 100, words[1]) == CW_EFILES);
    waitpid(pes[lacking], &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%s: status %x", what, status);
    CHECK(cwu_now_ns() - begin < 5000000000u, "%s: it waits", what);
    CHECK(read(words[0], text, sizeof text - 1) > 0 &&
              strstr(text, "out of file descriptors: none"),
          "%s: \"%s\"", what, text);
    kill(pes[!lacking], SIGKILL);
    waitpid(pes[!lacking], NULL, 0);
    close(words[0]);
    close(words[1]);
    cw_world.nslots = PES;
}

int main(void)
{
    char name[108];
    if (geteuid() != 0) {
        puts("SKIP: needs root, for a process of another user");
        return 77;
    }
    alarm(50);
    setenv("CAUSEWAY_TIMEOUT", "20", 1);
    cwu_env_load();
    cw_world.npes = cw_world.nslots = PES;
    static int pes[PES];
    cw_world.pes_of_node = pes;
    snprintf(boot.job_id, sizeof boot.job_id, "pmix-%060d", getpid());
    snprintf(name, sizeof name, "causeway.0.%s.0.%u", boot.job_id + strlen(boot.job_id) - 46,
             cw_world.epoch);
    share("a name that is free", 0, false);
    share("a name that another user has taken", take(name, true, 0), false);
    share("a name where no process listens", take(name, false, 0), false);
    share("names that look like the right one", take(name, true, DECOYS), false);
    share("a name that is free again", take(name, true, 0), true);
    lack("a PE that comes for the object", 1, 1);
    lack("the PE that hands it out", 0, 3);
    return check_result();
}
