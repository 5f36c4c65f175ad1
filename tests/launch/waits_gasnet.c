// SPDX-License-Identifier: BSD-3-Clause
//
// As waits.c, for GASNet: waits_gasnet KIND FILE, with the same files.
//   reply      the first process waits for a reply of the last one, which computes and so runs no
//              handler
//   replied    the last one polls again when FILE.cut exists, and computes when it has replied
//   barrier    all but the last wait in a barrier
#include <fcntl.h>
#include <gasnet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ASK = 200, REPLY, LOOK_US = 5000 };

static volatile int replies, asked;
static const char *file;

static void ask(gasnet_token_t token)
{
    asked++;
    gasnet_AMReplyShort0(token, REPLY);
}

static void reply(gasnet_token_t token)
{
    (void)token;
    replies++;
}

static void write_pid(void)
{
    char path[512];
    snprintf(path, sizeof path, "%s.%d", file, (int)gasnet_mynode());
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%d", (int)getpid()) < 0 || fclose(f) != 0)
        puts("FAILED: no file for the process number");
}

static void until(const char *ending, int polls)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", file, ending);
    for (int before = asked; access(path, F_OK) != 0; usleep(LOOK_US))
        if (polls && asked == before)
            gasnet_AMPoll();
}

static void barrier(void)
{
    gasnet_barrier_notify(1, 0);
    GASNET_Safe(gasnet_barrier_wait(1, 0));
}

static void ask_all(gasnet_node_t from, gasnet_node_t to)
{
    for (gasnet_node_t node = from; node < to; node++) {
        int before = replies;
        gasnet_AMRequestShort0(node, ASK);
        GASNET_BLOCKUNTIL(replies > before);
    }
}

int main(int argc, char **argv)
{
    static gasnet_handlerentry_t handlers[] = {{ASK, (void (*)())ask}, {REPLY, (void (*)())reply}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(handlers, 2, 4 * GASNET_PAGESIZE, 0));
    if (argc != 3)
        gasnet_exit(2);
    const char *kind = argv[1];
    file = argv[2];
    gasnet_node_t me = gasnet_mynode(), last = gasnet_nodes() - 1;
    write_pid();
    ask_all(0, last + 1);
    barrier();
    if (me == last) {
        close(open(file, O_CREAT | O_WRONLY, 0600));
        if (strcmp(kind, "replied") == 0)
            until(".cut", 0);
        until(".go", strcmp(kind, "replied") == 0);
    } else if (me == 0 && strcmp(kind, "barrier") != 0) {
        ask_all(last, last + 1);
    }
    barrier();
    puts("came through");
    gasnet_exit(0);
}
