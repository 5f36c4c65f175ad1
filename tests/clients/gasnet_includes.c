// SPDX-License-Identifier: BSD-3-Clause
//
// A client of GASNet that includes gasnet.h alone: it always brought headers of the C library, with
// names of their configuration, and the tools and the collectives of GASNet-1. C and C++ alike.
#include <gasnet.h>

#if !STDC_HEADERS || !HAVE_UNISTD_H || !HAVE_SCHED_YIELD || SIZEOF_DOUBLE != 8
#error "the configuration of GASNet"
#endif
#if !GASNET_NULL_ARGV_OK || !defined(CHAR_BIT)
#error "the configuration of the conduit"
#endif
#if PLATFORM_COMPILER_VERSION < PLATFORM_COMPILER_VERSION_INT(4, 0, 0) || \
    !GASNETT_USE_GCC_ATTRIBUTE_USED || GASNETT_RELEASE_VERSION_MAJOR != 2025
#error "the configuration of the tools"
#endif

// Names that clients take the address of, to keep compilers silent about them.
static const void *ignored[] GASNETT_USED = {(const void *)_gasneti_threadkey_init,
                                             (const void *)_gasnett_trace_printf_noop,
                                             PLATFORM_COMPILER_IDSTR};

static int tools(void)
{
    char number[40];
    unsigned long long version = GASNET_RELEASE_VERSION_MAJOR * 1000000ULL +
                                 GASNET_RELEASE_VERSION_MINOR * 10000ULL +
                                 GASNET_RELEASE_VERSION_PATCH;
    gasnett_mutex_t lock = GASNETT_MUTEX_INITIALIZER;
    volatile int made = 0;
    pthread_key_t key;
    _gasneti_threadkey_init(&key, &lock, &made);
    _gasneti_threadkey_init(&key, &lock, &made);
    return gasnett_cpu_count() > 0 && *gasnett_gethostname() && made && ignored[0] &&
           strcmp(gasnett_format_number(5, number, sizeof number, 0), "5") == 0 &&
           gasnett_release_version() == version &&
           strstr(PLATFORM_COMPILER_IDSTR, "COMPILER_FAMILY:") != NULL;
}

static int collectives(void)
{
    int all[64] = {0}, mine = (int)gasnet_mynode() + 3;
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    gasnet_coll_gather_all(GASNET_TEAM_ALL, all, &mine, sizeof mine, GASNET_COLL_LOCAL);
    return all[gasnet_nodes() - 1] == (int)gasnet_nodes() + 2;
}

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
                order("", 7) == 7 && self == getpid() && SIGINT == 2 && errno == 0 && tools() &&
                collectives() && gasnet_try_syncnb_nopoll(GASNET_INVALID_HANDLE) == GASNET_OK;
    printf("includes: node %u, %s\n", (unsigned)gasnet_mynode(), right ? "right" : "wrong");
    fflush(stdout);
    gasnet_exit(!right);
    return 0;
}
