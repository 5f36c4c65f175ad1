// SPDX-License-Identifier: BSD-3-Clause
//
// Large pages are made some at a time: a call of the kernel for all of a block takes no signal, not
// even SIGKILL, until it is over.
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pages.h"
#include "frame/check.h"

static uintptr_t next;  // where the call to come begins
static size_t largest;
static int calls, interrupted = 3, failing = -1;  // numbers of calls

long syscall(long number, ...)
{
    va_list list;
    va_start(list, number);
    uintptr_t at = va_arg(list, uintptr_t);
    size_t nbytes = va_arg(list, size_t);
    va_end(list);
    REQUIRE(number == SYS_madvise);
    CHECK(at == next, "call %d begins where the last one ended", calls);
    calls++;
    largest = nbytes > largest ? nbytes : largest;
    errno = calls == interrupted ? EINTR : ENOMEM;
    if (calls == interrupted || calls == failing)
        return -1;
    next += nbytes;
    return 0;
}

int main(void)
{
    const size_t nbytes = 64 * CWU_PAGES_LARGE + CWU_PAGES_LARGE;
    char *block = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(block != MAP_FAILED);
    next = (uintptr_t)block;
    CHECK(cwu_pages_make_large(block, nbytes) == 0);
    CHECK(next == (uintptr_t)block + nbytes, "all of the block");
    CHECK(calls > interrupted, "goes on after a signal");
    CHECK(largest <= 16 * CWU_PAGES_LARGE, "%zu bytes in one call", largest);
    next = (uintptr_t)block;
    calls = 0;
    failing = 2;
    CHECK(cwu_pages_make_large(block, nbytes) != 0);
    CHECK(calls == failing, "ends at the first failure");
    return check_result();
}
