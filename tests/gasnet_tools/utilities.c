// SPDX-License-Identifier: BSD-3-Clause
//
// Timers, barriers, environment, backtraces, signals, system, bytes, checked memory, text,
// annotations and hooks. C and C++.
#include <gasnet_tools.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frame/check.h"

GASNETT_IDENT(test_ident, "$TestIdent: tools $");

// ---------------------------------------------------------------- timers
static void test_timers(void)
{
    gasnett_tick_t start = gasnett_ticks_now();
    uint64_t wall = gasnett_gettimeofday_us();
    CHECK(gasnett_nsleep(20 * 1000 * 1000) == 0);
    gasnett_tick_t ticks = gasnett_ticks_now() - start;
    CHECK(gasnett_ticks_to_ns(ticks) >= 20 * 1000 * 1000);
    CHECK(gasnett_ticks_to_us(ticks) == gasnett_ticks_to_ns(ticks) / 1000);
    CHECK(gasnett_gettimeofday_us() > wall && wall > UINT64_C(1500000000) * 1000000);
    CHECK(gasnett_tick_granularityus() > 0 && gasnett_tick_overheadus() > 0);
    CHECK(GASNETT_TICK_MIN < start && start < GASNETT_TICK_MAX);
    gasnett_local_mb();
    gasnett_local_rmb();
    gasnett_local_wmb();
    gasnett_weak_mb();
    gasnett_weak_rmb();
    gasnett_weak_wmb();
    gasnett_compiler_fence();
    gasnett_spinloop_hint();
    gasnett_sched_yield();
}

// ---------------------------------------------------------------- environment
static void expect_number(int64_t value, int is_mem_size, const char *text)
{
    char buf[40];
    CHECK(gasnett_format_number(value, buf, sizeof buf, is_mem_size) == buf);
    CHECK_STR(buf, text);
    CHECK(gasnett_parse_int(buf, is_mem_size ? 1024 : 0) == value);
}

static void test_environment(void)
{
    expect_number(-12, 0, "-12");
    expect_number(4096, 0, "4096");
    expect_number(0, 1, "0 B");
    expect_number(1000, 1, "1000 B");
    expect_number(1536, 1, "1536 B");
    expect_number(3 * 1024, 1, "3 KB");
    expect_number(INT64_C(5) << 40, 1, "5 TB");
    CHECK(gasnett_parse_int("0x1F", 0) == 31);
    CHECK(gasnett_parse_int("-7", 0) == -7);
    CHECK(gasnett_parse_int("1.5G", 1) == INT64_C(3) << 29);
    CHECK(gasnett_parse_int("2", 1024) == 2048);
    CHECK(gasnett_parse_int("64kb", 1) == 65536);

    gasnett_setenv("TEST_TOOLS", "");
    CHECK(gasnett_getenv_int_withdefault("TEST_TOOLS", 3, 0) == 3);
    gasnett_setenv("TEST_TOOLS", "12");
    CHECK(strcmp(gasnett_getenv("TEST_TOOLS"), "12") == 0);
    CHECK(strcmp(gasnett_getenv_withdefault("TEST_TOOLS", "x"), "12") == 0);
    CHECK(gasnett_getenv_int_withdefault("TEST_TOOLS", 3, 0) == 12);
    CHECK(gasnett_getenv_int_withdefault("TEST_TOOLS", 3, 1 << 20) == 12 << 20);
    CHECK(gasnett_getenv_dbl_withdefault("TEST_TOOLS", 1) == 12);
    gasnett_setenv("TEST_TOOLS", "3/8");
    CHECK(gasnett_getenv_dbl_withdefault("TEST_TOOLS", 1) == 0.375);
    gasnett_setenv("TEST_TOOLS", "yes");
    CHECK(gasnett_getenv_yesno_withdefault("TEST_TOOLS", 0) == 1);
    gasnett_setenv("TEST_TOOLS", "N");
    CHECK(gasnett_getenv_yesno_withdefault("TEST_TOOLS", 1) == 0);
    gasnett_unsetenv("TEST_TOOLS");
    CHECK(gasnett_getenv("TEST_TOOLS") == NULL);
    CHECK(strcmp(gasnett_getenv_withdefault("TEST_TOOLS", "x"), "x") == 0);
    CHECK(gasnett_getenv_withdefault("TEST_TOOLS", NULL) == NULL);
    CHECK(gasnett_getenv_yesno_withdefault("TEST_TOOLS", 1) == 1);
    CHECK(gasnett_getenv_dbl_withdefault("TEST_TOOLS", 2.5) == 2.5);
}

/** Returns what a function writes to standard error. */
static const char *errors_of(void (*function)(void))
{
    static char text[8192];
    char name[] = "errorsXXXXXX";
    int file = mkstemp(name), saved = dup(2);
    unlink(name);
    fflush(stderr);
    dup2(file, 2);
    function();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    ssize_t n = pread(file, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(file);
    return text;
}

static void ask_twice(void)
{
    (void)gasnett_getenv_withdefault("TEST_A", "default");
    (void)gasnett_getenv_withdefault("TEST_A", "default");
    (void)gasnett_getenv_int_withdefault("TEST_B", 2048, 1);
    (void)gasnett_getenv_dbl_withdefault("TEST_C", 0.5);
    gasnett_envint_display("TEST_D", 4, 0, 0);
    gasnett_envstr_display("TEST_E", NULL, 1);
    gasnett_envdbl_display("TEST_F", 1.5, 0);
}

static void test_verbose_environment(void)
{
    gasnett_unsetenv("GASNET_VERBOSEENV");
    CHECK(!gasnett_verboseenv());
    CHECK(*errors_of(ask_twice) == '\0');
    gasnett_setenv("GASNET_VERBOSEENV", "1");
    CHECK(gasnett_verboseenv());
    gasnett_setenv("TEST_C", "2");
    const char *text = errors_of(ask_twice);
    const char *first = strstr(text, "TEST_A = default (default)");
    CHECK(first && !strstr(first + 1, "TEST_A"));
    CHECK(strstr(text, "TEST_B = 2 KB (default)"));
    CHECK(strstr(text, "TEST_C = 2\n"));
    CHECK(strstr(text, "TEST_D = 4\n") && strstr(text, "TEST_E = *not set* (default)") &&
          strstr(text, "TEST_F = 1.5\n"));
    gasnett_unsetenv("GASNET_VERBOSEENV");
}

// ---------------------------------------------------------------- backtraces, signals
static int user_traces, user_result;
static int trace_of_user(int fd)
{
    user_traces++;
    return write(fd, "user trace\n", 11) == 11 ? user_result : 1;
}
GASNETT_BEGIN_EXTERNC
gasnett_backtrace_type_t gasnett_backtrace_user = {"MYAPP", trace_of_user, 1};
GASNETT_END_EXTERNC

static int trace_result;
static void print_trace(void)
{
    trace_result = gasnett_print_backtrace(2);
}
static void print_trace_if(void)
{
    trace_result = gasnett_print_backtrace_ifenabled(2);
}
static void raise_usr1(void)
{
    raise(SIGUSR1);
}

static volatile sig_atomic_t caught;
static void on_signal(int number)
{
    caught = number;
}

static void test_backtraces(void)
{
    gasnett_setenv("GASNET_BACKTRACE_SIGNAL", "SIGUSR1");
    gasnett_backtrace_init("test");
    CHECK(strstr(errors_of(print_trace), "user trace") && trace_result == 0);
    user_result = 1;  // it fails: the next mechanism is tried
    CHECK(strstr(errors_of(print_trace), "0x") && trace_result == 0 && user_traces == 2);
    user_result = 0;
    gasnett_setenv("GASNET_BACKTRACE_TYPE", "NOTHING, execinfo");
    CHECK(strstr(errors_of(print_trace), "0x") && trace_result == 0 && user_traces == 2);
    gasnett_setenv("GASNET_BACKTRACE_TYPE", "NOTHING");
    CHECK(strstr(errors_of(print_trace), "no backtrace") && trace_result != 0);
    gasnett_setenv("GASNET_BACKTRACE_TYPE", "MYAPP");
    CHECK(*errors_of(print_trace_if) == '\0' && trace_result != 0);
    gasnett_setenv("GASNET_BACKTRACE", "1");
    CHECK(strstr(errors_of(print_trace_if), "user trace") && trace_result == 0);
    CHECK(strstr(errors_of(raise_usr1), "user trace"));
    gasnett_unsetenv("GASNET_BACKTRACE");

    CHECK(gasnett_reghandler(SIGUSR2, on_signal) == SIG_DFL);
    raise(SIGUSR2);
    CHECK(caught == SIGUSR2);
    gasnett_sighandlerfn_t before = gasnett_reghandler(SIGUSR2, SIG_IGN);
    CHECK(before == on_signal);
}

static void test_location(void)
{
    char *text = gasnett_current_loc;
    CHECK(strstr(text, "test_location(") && strstr(text, "utilities.c:"));
    free(text);
    CHECK(strcmp(GASNETT_CURRENT_FUNCTION, "test_location") == 0);
}

/** The parent sets the flag in shared memory, as a debugger would. */
static void test_freeze(void)
{
    volatile int *flag =
        (volatile int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    flag[0] = 1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(2);
        flag[1] = 1;
        gasnett_freezeForDebuggerNow(&flag[0], "flag");
        gasnett_killmyprocess(7);
    }
    while (!flag[1])
        gasnett_nsleep(1000000);
    gasnett_nsleep(50 * 1000 * 1000);
    int status = 0;
    CHECK(waitpid(child, &status, WNOHANG) == 0);
    flag[0] = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    gasnett_freezeForDebuggerErr();  // not requested: returns
    munmap((void *)flag, 4096);
}

// ---------------------------------------------------------------- system
static void test_system(void)
{
    char name[256];
    CHECK(gethostname(name, sizeof name) == 0 && strcmp(name, gasnett_gethostname()) == 0);
    CHECK(access(gasnett_exe_name(), X_OK) == 0);
    CHECK(gasnett_cpu_count() == sysconf(_SC_NPROCESSORS_ONLN));
    CHECK(gasnett_getPhysMemSz(1) ==
          (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    CHECK(GASNETT_PAGESIZE == 1 << GASNETT_PAGESHIFT &&
          GASNETT_PAGESIZE % sysconf(_SC_PAGESIZE) == 0);
    const uint16_t probe = 1;
    CHECK(gasnett_isLittleEndian() == *(const unsigned char *)&probe);
    CHECK(GASNETT_CACHE_LINE_BYTES >= 32 && *GASNETT_SYSTEM_TUPLE && *GASNETT_CONFIG_STRING);
    CHECK(gasnett_linkconfig_idiotcheck() > 0);

    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_CORE, &limit) == 0);
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &limit);
    gasnett_setenv("GASNET_MAXIMIZE_RLIMIT_CORE", "0");
    CHECK(gasnett_maximize_rlimit(RLIMIT_CORE, "RLIMIT_CORE") != 0);
    CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0);
    gasnett_unsetenv("GASNET_MAXIMIZE_RLIMIT_CORE");
    CHECK(gasnett_maximize_rlimit(RLIMIT_CORE, "RLIMIT_CORE") != 0);
    CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == limit.rlim_max);
    CHECK(gasnett_maximize_rlimits() != 0);

    unsigned char *pages = (unsigned char *)gasnett_mmap(3 * GASNETT_PAGESIZE);
    CHECK(pages != MAP_FAILED && pages[0] == 0 && (pages[3 * GASNETT_PAGESIZE - 1] = 1) == 1);
    munmap(pages, 3 * GASNETT_PAGESIZE);

    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", GASNETT_RELEASE_VERSION_MAJOR,
             GASNETT_RELEASE_VERSION_MINOR, GASNETT_RELEASE_VERSION_PATCH);
    CHECK(strcmp(gasnett_release_version_str(), version) == 0);
    CHECK(gasnett_release_version() == GASNETT_RELEASE_VERSION_MAJOR * UINT64_C(1000000) +
                                           GASNETT_RELEASE_VERSION_MINOR * 10000 +
                                           GASNETT_RELEASE_VERSION_PATCH);
    CHECK(gasnett_performance_warning_str() != NULL);
    CHECK_STR(gasnett_signame_fromval(SIGSEGV), "SIGSEGV");
    CHECK(!gasnett_signame_fromval(-1) && !gasnett_signame_fromval(0) &&
          !gasnett_signame_fromval(1000));
    CHECK(GASNETT_SPEC_VERSION_MAJOR == 1 && GASNETT_MAX_THREADS > 0);
}

/** Pinned in a child, so that the rest of the test is not pinned. */
static void test_affinity(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        gasnett_set_affinity(0);
        cpu_set_t set;
        int pinned = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1;
        gasnett_set_affinity(gasnett_cpu_count() + 1);
        gasnett_set_affinity(-1);
        pinned &= sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1;
        gasnett_close_streams();
        gasnett_killmyprocess(pinned ? 3 : 4);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
    gasnett_flush_streams();
}

// ---------------------------------------------------------------- bytes
static uintptr_t value_of(const void *src, size_t nbytes)
{
    GASNETT_VALUE_RETURN(src, nbytes);
}

static void test_bytes(void)
{
    unsigned char bytes[100], copy[100];
    size_t zeros = 0;
    for (int i = 0; i < 100; i++)
        zeros += (bytes[i] = (unsigned char)(i % 7 == 3 ? 0 : i * 37 | 1)) == 0;
    CHECK(gasnett_count0s(bytes, 100) == zeros);
    for (size_t from = 0; from < 9; from++)
        for (size_t n = 0; from + n <= 100; n++) {
            size_t some = 0;
            for (size_t i = from; i < from + n; i++)
                some += bytes[i] == 0;
            memset(copy, 0xEE, sizeof copy);
            if (gasnett_count0s(bytes + from, n) != some ||
                gasnett_count0s_copy(copy, bytes + from, n) != some ||
                memcmp(copy, bytes + from, n) != 0 || (n < 100 && copy[n] != 0xEE))
                CHECK(!"gasnett_count0s, gasnett_count0s_copy");
        }
    CHECK(gasnett_count0s_uint32_t(0) == 4 && gasnett_count0s_uint32_t(0x00FF8001u) == 1);
    CHECK(gasnett_count0s_uint64_t(0) == 8 &&
          gasnett_count0s_uint64_t(UINT64_C(0x0100000000000080)) == 6);
    CHECK(gasnett_count0s_uint64_t(UINT64_MAX) == 0 &&
          gasnett_count0s_uintptr_t(1) == (int)sizeof(uintptr_t) - 1);
    uint64_t sum = gasnett_checksum(bytes, 100);
    CHECK(sum == gasnett_checksum(bytes, 100));
    bytes[42] ^= 1;
    CHECK(sum != gasnett_checksum(bytes, 100));

    uint64_t value = 0;
    GASNETT_VALUE_ASSIGN(&value, UINT64_C(0x1122334455667788), 8);
    CHECK(value == UINT64_C(0x1122334455667788) && value_of(&value, 8) == value);
    uint16_t half = 0;
    GASNETT_VALUE_ASSIGN(&half, 0x12345678, 2);
    CHECK(half == 0x5678 && value_of(&half, 2) == 0x5678);
    GASNETT_FAST_ALIGNED_MEMCPY(copy, bytes, 100);
    CHECK(memcmp(copy, bytes, 100) == 0);
    GASNETT_FAST_UNALIGNED_MEMCPY(copy + 1, bytes, 99);
    CHECK(memcmp(copy + 1, bytes, 99) == 0);
}

// ---------------------------------------------------------------- checked memory
static void test_memory(void)
{
    gasnett_heapstats_t before, during, after;
    gasnett_getheapstats(&before);
    char *a = (char *)gasnett_debug_malloc(10), *b = (char *)gasnett_debug_calloc(4, 5);
    char *c = gasnett_debug_strdup("causeway"), *d = gasnett_debug_strndup("causeway", 5);
    CHECK(strcmp(c, "causeway") == 0 && strcmp(d, "cause") == 0);
    for (int i = 0; i < 20; i++)
        CHECK(b[i] == 0);
    memcpy(a, "0123456789", 10);
    a = (char *)gasnett_debug_realloc(a, 30);
    CHECK(memcmp(a, "0123456789", 10) == 0);
    a = (char *)gasnett_debug_realloc(a, 5);
    CHECK(memcmp(a, "01234", 5) == 0);
    gasnett_debug_memcheck(a);
    gasnett_debug_memcheck_one();
    gasnett_debug_memcheck_all();
    gasnett_getheapstats(&during);
    CHECK(during.live_objects - before.live_objects == 4);
    CHECK(during.live_bytes - before.live_bytes == 5 + 20 + 9 + 6);
    CHECK(during.live_bytes_max >= during.live_bytes &&
          during.overhead_bytes > before.overhead_bytes);
    gasnett_heapinfo_dump("heap.txt", 1);
    char text[1000] = "";
    FILE *file = fopen("heap.txt", "r");
    CHECK(file && fread(text, 1, sizeof text - 1, file) > 0 && strstr(text, "utilities.c:") &&
          strstr(text, "20 bytes"));
    fclose(file);
    gasnett_debug_free(a);
    gasnett_debug_free(b);
    gasnett_debug_free(c);
    gasnett_debug_free(d);
    gasnett_debug_free(NULL);
    gasnett_getheapstats(&after);
    CHECK(after.live_objects == before.live_objects && after.live_bytes == before.live_bytes);
    CHECK(after.allocated_objects - after.freed_objects == after.live_objects &&
          after.freed_bytes > before.freed_bytes);
    CHECK(after.live_objects_max >= 4 && after.allocated_bytes > before.allocated_bytes);
}

// ---------------------------------------------------------------- text
typedef struct {
    void *addr;
    size_t len;
} memvec_t;

static void test_text(void)
{
    char buf[4000];
    void *addrs[40];
    memvec_t vectors[40];
    for (int i = 0; i < 40; i++) {
        addrs[i] = (void *)(UINTPTR_MAX - (uintptr_t)i);
        vectors[i].addr = addrs[i];
        vectors[i].len = SIZE_MAX / 64;
    }
    size_t n = gasnett_format_memveclist(buf, 40, vectors);
    CHECK(n == strlen(buf) + 1 && n <= gasnett_format_memveclist_bufsz(40) &&
          strstr(buf, "40 entries"));
    n = gasnett_format_addrlist(buf, 40, addrs, 8);
    CHECK(n == strlen(buf) + 1 && n <= gasnett_format_addrlist_bufsz(40) &&
          strstr(buf, "320 bytes"));
    const ptrdiff_t strides[3] = {8, -64, PTRDIFF_MIN};
    const size_t unsigned_strides[3] = {8, 64, 512};
    const size_t counts[4] = {8, 3, 2, 2};
    n = gasnett_format_strides(buf, 3, strides);
    CHECK(n == strlen(buf) + 1 && strcmp(buf, "[8, -64, -9223372036854775808]") == 0);
    CHECK(n <= gasnett_format_strides_bufsz(3));
    n = gasnett_format_putvgetv(buf, 3, 2, vectors, 1, vectors);
    CHECK(n == strlen(buf) + 1 && strstr(buf, "peer 3, dst 2 entries") &&
          n <= gasnett_format_putvgetv_bufsz(2, 1));
    n = gasnett_format_putvgetv(buf, (void *)addrs, 4, 1, vectors, 2, vectors);
    CHECK(n == strlen(buf) + 1 && strstr(buf, "peer 4 of team") && strstr(buf, "src 2 entries"));
    n = gasnett_format_putigeti(buf, 3, 2, addrs, 16, 1, addrs, 32);
    CHECK(n == strlen(buf) + 1 && strstr(buf, "2 entries of 16 bytes") &&
          n <= gasnett_format_putigeti_bufsz(2, 1));
    n = gasnett_format_putigeti(buf, (void *)addrs, 5, 2, addrs, 16, 1, addrs, 32);
    CHECK(n == strlen(buf) + 1 && strstr(buf, "peer 5 of team"));
    n = gasnett_format_putsgets(buf, NULL, 1, addrs, unsigned_strides, addrs, unsigned_strides,
                                counts, 3);
    CHECK(n == strlen(buf) + 1 && strstr(buf, "96 bytes in elements of 8") &&
          n <= gasnett_format_putsgets_bufsz(3));
    n = gasnett_format_putsgets(buf, NULL, (void *)addrs, 1, addrs, strides, addrs, strides, 4,
                                counts + 1, 3);
    CHECK(n == strlen(buf) + 1 && strstr(buf, "48 bytes in elements of 4") &&
          strstr(buf, "count [3, 2, 2]"));
}

// ---------------------------------------------------------------- annotations, hooks
GASNETT_INLINE(twice) int twice(int x)
{
    return 2 * x;
}
GASNETT_PLEASE_INLINE(thrice) int thrice(int x)
{
    return 3 * x;
}
GASNETT_NEVER_INLINE(apart, static int apart(int x))
{
    return x + 1;
}
GASNETT_FORMAT_PRINTF(format, 2, 3, static void format(char *buf, const char *fmt, ...));
static void format(char *buf, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, 20, fmt, ap);
    va_end(ap);
}
GASNETT_MALLOC GASNETT_WARN_UNUSED_RESULT static void *fresh(void)
{
    return malloc(1);
}
GASNETT_PURE static int length_of(const char *text)
{
    return (int)strlen(text);
}
GASNETT_CONST GASNETT_HOT static int square(int x)
{
    return x * x;
}
GASNETT_COLD GASNETT_USED static int fall(int x)
{
    GASNETT_UNUSED_ARGS1(x);
    GASNETT_UNUSED_ARGS3(x, x, x);
    GASNETT_UNUSED_ARGS8(x, x, x, x, x, x, x, x);
    switch (x) {
    case 1:
        x++;
        GASNETT_FALLTHROUGH
    case 2:
        return x + 10;
    default:
        gasnett_assume(x == 5);
        return x;
    }
}
GASNETT_NORETURN static void leave(void)
{
    gasnett_killmyprocess(9);
}
static void count_stats(void (*print)(const char *, ...))
{
    (void)print;
}

static void test_annotations(void)
{
    char buf[20];
    format(buf, "%d", twice(3) + thrice(1) + apart(0));
    CHECK(strcmp(buf, "10") == 0 && length_of(buf) == 2 && square(4) == 16);
    CHECK(fall(1) == 12 && fall(2) == 12 && fall(5) == 5);
    void *p = fresh();
    CHECK(p != NULL);
    free(p);
    if_pf(p == NULL) leave();
    int seen = 0;
    if_pt(buf[0] == '1') seen = 1;
    CHECK(seen && GASNETT_PREDICT_TRUE(seen) && !GASNETT_PREDICT_FALSE(!seen));
    CHECK(gasnett_constant_p(3) && strcmp(test_ident, "$TestIdent: tools $") == 0);
    if (!seen)
        gasnett_unreachable();
    GASNETT_TRACE_PRINTF("%d", 1);
    GASNETT_TRACE_PRINTF_FORCE("%d", 1);
    GASNETT_TRACE_SETSOURCELINE("f", 1);
    GASNETT_TRACE_FREEZESOURCELINE();
    GASNETT_TRACE_UNFREEZESOURCELINE();
    GASNETT_TRACE_SETMASK("");
    GASNETT_TRACE_SET_TRACELOCAL(1);
    GASNETT_STATS_SETMASK("");
    GASNETT_STATS_PRINTF("%d", 1);
    CHECK(!GASNETT_TRACE_ENABLED && !*GASNETT_TRACE_GETMASK() && !*GASNETT_STATS_GETMASK());
    CHECK(!GASNETT_TRACE_GET_TRACELOCAL() && !GASNETT_STATS_INIT(count_stats) &&
          gasnett_stats_callback == count_stats);
    void *table = &seen;
    int entries = 3;
    gasnett_diagnostic_gethandlers(&table, &entries);
    CHECK(table == NULL && entries == 0);
    CHECK(PLATFORM_OS_LINUX && PLATFORM_COMPILER_VERSION > 0 && *GASNETT_PLATFORM_COMPILER_IDSTR);
    CHECK(PLATFORM_COMPILER_VERSION_GE(4, 0, 0) && !PLATFORM_COMPILER_VERSION_LT(4, 0, 0));
}

int main(void)
{
    test_timers();
    test_environment();
    test_verbose_environment();
    test_backtraces();
    test_location();
    test_freeze();
    test_system();
    test_affinity();
    test_bytes();
    test_memory();
    test_text();
    test_annotations();
    printf("%s utilities: %d checks, %d failed\n", GASNETT_STRING_OF(GASNETT_THREAD_MODEL),
           checks_done, checks_failed);
    return checks_failed != 0;
}
