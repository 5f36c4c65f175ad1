// SPDX-License-Identifier: BSD-3-Clause
//
// A program that has closed its standard streams, as services do, and prints all the same: no
// connection and no memory has their numbers.
#include <fcntl.h>
#include <shmem.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame/check.h"

enum { KEPT = 20, WORDS = 4096 };

static long words[WORDS], mine[WORDS];

static void print(void)
{
    static const char text[4096] = "text that no process reads";
    for (int fd = 1; fd <= 2; fd++) {
        struct stat st;
        CHECK(fstat(fd, &st) != 0 || S_ISCHR(st.st_mode), "descriptor %d is of mode %o", fd,
              (unsigned)st.st_mode);
        ssize_t n = write(fd, text, sizeof text);
        CHECK(n < 0 || n == (ssize_t)sizeof text);
    }
}

int main(void)
{
    const int out = fcntl(1, F_DUPFD, KEPT);
    for (int fd = 0; fd <= 2; fd++)
        close(fd);
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes,
              prev = (me + npes - 1) % npes;
    check_as("PE", me, npes);
    for (int turn = 0; turn < 10; turn++) {
        for (int i = 0; i < WORDS; i++)
            mine[i] = me * 1000 + turn + i;
        print();
        shmem_long_put_nbi(words, mine, WORDS, next);
        print();
        shmem_barrier_all();
        for (int i = 0; i < WORDS; i++)
            CHECK(words[i] == prev * 1000 + turn + i, "word %d is %ld", i, words[i]);
        shmem_barrier_all();
    }
    shmem_finalize();
    CHECK(dup2(out, 1) == 1);
    return check_result();
}
