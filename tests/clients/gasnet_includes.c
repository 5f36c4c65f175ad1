// SPDX-License-Identifier: BSD-3-Clause
//
// A client of GASNet that includes no header of the C library: GASNet's always brought them, with
// names of their configuration. C and C++ alike.
#include <gasnet.h>

#if !STDC_HEADERS || !HAVE_UNISTD_H || !HAVE_SCHED_YIELD || SIZEOF_DOUBLE != 8
#error "the configuration of GASNet"
#endif
#if !GASNET_NULL_ARGV_OK || !defined(CHAR_BIT)
#error "the configuration of the conduit"
#endif
#include <gasnet_tools.h>
#if PLATFORM_COMPILER_VERSION < PLATFORM_COMPILER_VERSION_INT(4, 0, 0) || \
    !GASNETT_USE_GCC_ATTRIBUTE_USED || GASNETT_RELEASE_VERSION_MAJOR != 2025
#error "the configuration of the tools"
#endif

static int order(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int first = va_arg(list, int);
    va_end(list);
    return first;
}

int main(void)
{
    char text[80];
    pid_t self = getpid();
#if defined(GASNET_PAR) || defined(GASNET_PARSYNC)
    pthread_t thread = pthread_self();
    self += pthread_equal(thread, thread) ? 0 : 1;
#endif
    if (gasnet_init(NULL, NULL) != GASNET_OK || gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0))
        return EXIT_FAILURE;
    errno = 0;
    snprintf(text, sizeof text, "%" PRIu64 " %" PRIdPD, (uint64_t)MAX(1, 2), text + 3 - text);
    sched_yield();
    int right = strcmp(text, "2 3") == 0 && strcasecmp("a", "A") == 0 && isdigit('1') &&
                order("", 7) == 7 && self == getpid() && SIGINT == 2 && errno == 0 &&
                gasnet_try_syncnb_nopoll(GASNET_INVALID_HANDLE) == GASNET_OK;
    printf("includes: node %u, %s\n", (unsigned)gasnet_mynode(), right ? "right" : "wrong");
    fflush(stdout);
    gasnet_exit(!right);
    return 0;
}
