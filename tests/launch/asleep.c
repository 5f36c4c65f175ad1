// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that sleep once and then end well. A question what they do ends the sleep; the signal for
// which they were asked must come before they go on.
//   asleep          the signal kills
//   asleep handled  a handler of the program takes SIGTERM, and more stack than that of a question
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_term(int signo)
{
    volatile char much[256 * 1024];
    for (size_t i = 0; i < sizeof much; i += 4096)
        much[i] = (char)signo;
    handled = much[0];
}

int main(int argc, char **argv)
{
    shmem_init();
    if (argc > 1 && strcmp(argv[1], "handled") == 0)
        signal(SIGTERM, on_term);
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        puts("ready");
    fflush(stdout);
    sleep(60);
    puts(handled ? "goes on after the signal" : "goes on without the signal");
    shmem_finalize();
    return 0;
}
