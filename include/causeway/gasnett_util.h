// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet tools, the rest: environment, errors, backtraces, debugger, system, checked memory, text
// of addresses and strides, and the hooks of GASNet's tracing, which is not there. Included by
// <gasnet_tools.h> only. See gasnet_tools(7).
#ifndef CAUSEWAY_GASNETT_UTIL_H
#define CAUSEWAY_GASNETT_UTIL_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "gasnett_base.h"

GASNETT_BEGIN_EXTERNC

// ---------------------------------------------------------------- environment
/** Writes a number for people to read; sizes of memory with a unit where that is exact. Returns
 *  buf. */
char *gasnett_format_number(int64_t val, char *buf, size_t bufsz, int is_mem_size);
/** A whole number, decimal or 0x hexadecimal; with a multiplier other than 0, a size of memory:
 *  fractions and B, KB, MB, GB, TB, PB, EB (or the letter alone) allowed, the multiplier being the
 *  unit of a number without one. Else the process ends. */
int64_t gasnett_parse_int(const char *str, uint64_t mem_size_multiplier);
void gasnett_setenv(const char *key, const char *value);
void gasnett_unsetenv(const char *key);
char *gasnett_getenv(const char *keyname);
char *gasnett_getenv_withdefault(const char *keyname, const char *defaultval);
int gasnett_getenv_yesno_withdefault(const char *keyname, int defaultval);
int64_t gasnett_getenv_int_withdefault(const char *keyname, int64_t defaultval,
                                       uint64_t mem_size_multiplier);
double gasnett_getenv_dbl_withdefault(const char *keyname, double defaultval);
/** Is GASNET_VERBOSEENV set? Then each variable that is read is reported, once, on standard error.
 *  */
int gasnett_verboseenv(void);
void gasnett_envint_display(const char *key, int64_t val, int is_dflt, int is_mem_size);
void gasnett_envstr_display(const char *key, const char *val, int is_dflt);
void gasnett_envdbl_display(const char *key, double val, int is_dflt);

// ---------------------------------------------------------------- errors, backtraces, debugger
__attribute__((__format__(__printf__, 2, 3))) GASNETT_NORETURN void
gasnett_fatalerror_at_(const char *where, const char *msg, ...);
#define gasnett_fatalerror(...) \
    gasnett_fatalerror_at_(__FILE__ ":" GASNETT_STRING_OF(__LINE__), __VA_ARGS__)
#define gasnett_fatalerror_nopos(...) gasnett_fatalerror_at_((const char *)0, __VA_ARGS__)
GASNETT_NORETURN void gasnett_killmyprocess(int exitcode);
/** "function(file:line)" in memory from malloc. */
GASNETT_MALLOC char *gasnett_build_loc_(const char *func, const char *file, int line);
#define gasnett_current_loc gasnett_build_loc_(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__)

void gasnett_backtrace_init(const char *exename);
/** 0, or not when no mechanism of GASNET_BACKTRACE_TYPE worked. */
int gasnett_print_backtrace(int fd);
extern int (*gasnett_print_backtrace_ifenabled)(int fd);
typedef struct {
    const char *name;  // in upper case, for GASNET_BACKTRACE_TYPE
    int (*fnp)(int);   // writes a backtrace to the file descriptor; 0: done
    int threadsupport; // of the calling thread, when there are several?
} gasnett_backtrace_type_t;
/** A client may define it. */
extern gasnett_backtrace_type_t gasnett_backtrace_user __attribute__((__weak__));
void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname);
void gasnett_freezeForDebuggerErr(void);
// "SIGTERM" and its like; NULL: no such signal.
const char *gasnett_signame_fromval(int sigval);
typedef void (*gasnett_sighandlerfn_t)(int);
gasnett_sighandlerfn_t gasnett_reghandler(int sigtocatch, gasnett_sighandlerfn_t fp);

// ---------------------------------------------------------------- system
const char *gasnett_gethostname(void);
const char *gasnett_exe_name(void);
int gasnett_cpu_count(void);
uint64_t gasnett_getPhysMemSz(int failureIsFatal);
#define GASNETT_SET_AFFINITY_SUPPORT 1
/** 0, or not if the machine has it not. */
int gasnett_set_affinity(int rank);
int gasnett_sched_yield(void);
void gasnett_flush_streams(void);
void gasnett_close_streams(void);
int gasnett_maximize_rlimits(void);
int gasnett_maximize_rlimit(int res, const char *lim_desc);
/** New pages of zeros; MAP_FAILED if there are none. */
void *gasnett_mmap(uintptr_t segsize);
const char *gasnett_release_version_str(void);
uint64_t gasnett_release_version(void);
/** Names of settings that slow the library down; empty in a release build. */
const char *gasnett_performance_warning_str(void);
#if defined(PLATFORM_ARCH_BIG_ENDIAN)
#define gasnett_isLittleEndian() 0
#else
#define gasnett_isLittleEndian() 1
#endif
#if defined(__x86_64__) || defined(__i386__)
#define gasnett_spinloop_hint() __asm__ __volatile__("pause" ::: "memory")
#elif defined(__aarch64__)
#define gasnett_spinloop_hint() __asm__ __volatile__("yield" ::: "memory")
#else
#define gasnett_spinloop_hint() gasnett_compiler_fence()
#endif
#define GASNETT_MAX_THREADS 256

// ---------------------------------------------------------------- bytes
uint64_t gasnett_checksum(const void *p, int numbytes);
int gasnett_count0s_uint32_t(uint32_t x);
int gasnett_count0s_uint64_t(uint64_t x);
#if defined(PLATFORM_ARCH_64)
#define gasnett_count0s_uintptr_t(x) gasnett_count0s_uint64_t(x)
#else
#define gasnett_count0s_uintptr_t(x) gasnett_count0s_uint32_t(x)
#endif
size_t gasnett_count0s(const void *p, size_t numbytes);
size_t gasnett_count0s_copy(void *GASNETT_RESTRICT dst, const void *GASNETT_RESTRICT src,
                            size_t numbytes);
#define GASNETT_FAST_ALIGNED_MEMCPY(dest, src, nbytes) ((void)__builtin_memcpy(dest, src, nbytes))
#define GASNETT_FAST_UNALIGNED_MEMCPY(dest, src, nbytes) ((void)__builtin_memcpy(dest, src, nbytes))
/** Stores the low bytes of a register value. */
void gasnett_value_assign_(void *dest, uint64_t value, size_t nbytes);
uint64_t gasnett_value_return_(const void *src, size_t nbytes);
#define GASNETT_VALUE_ASSIGN(dest, value, nbytes) \
    gasnett_value_assign_(dest, (uint64_t)(value), nbytes)
#define GASNETT_VALUE_RETURN(src, nbytes) return (uintptr_t)gasnett_value_return_(src, nbytes)

// ---------------------------------------------------------------- checked memory
// Blocks carry guards and stand in a list; a check of a damaged block or a wrong pointer ends the
// process and says where the block came from.
typedef struct {
    uint64_t allocated_bytes, freed_bytes, live_bytes, live_bytes_max;
    uint64_t allocated_objects, freed_objects, live_objects, live_objects_max;
    uint64_t overhead_bytes;
} gasnett_heapstats_t;
#define GASNETT_HERE_ __FILE__ ":" GASNETT_STRING_OF(__LINE__)
void *gasnett_debug_malloc_(size_t nbytes, const char *where);
void *gasnett_debug_realloc_(void *ptr, size_t nbytes, const char *where);
void *gasnett_debug_calloc_(size_t n, size_t nbytes, const char *where);
void gasnett_debug_free_(void *ptr, const char *where);
char *gasnett_debug_strdup_(const char *text, const char *where);
char *gasnett_debug_strndup_(const char *text, size_t n, const char *where);
void gasnett_debug_memcheck_(const void *ptr, const char *where);
void gasnett_debug_memcheck_some_(int all, const char *where);
#define gasnett_debug_malloc(nbytes) gasnett_debug_malloc_(nbytes, GASNETT_HERE_)
#define gasnett_debug_realloc(ptr, nbytes) gasnett_debug_realloc_(ptr, nbytes, GASNETT_HERE_)
#define gasnett_debug_calloc(n, nbytes) gasnett_debug_calloc_(n, nbytes, GASNETT_HERE_)
#define gasnett_debug_free(ptr) gasnett_debug_free_(ptr, GASNETT_HERE_)
#define gasnett_debug_strdup(text) gasnett_debug_strdup_(text, GASNETT_HERE_)
#define gasnett_debug_strndup(text, n) gasnett_debug_strndup_(text, n, GASNETT_HERE_)
#define gasnett_debug_memcheck(ptr) gasnett_debug_memcheck_(ptr, GASNETT_HERE_)
#define gasnett_debug_memcheck_one() gasnett_debug_memcheck_some_(0, GASNETT_HERE_)
#define gasnett_debug_memcheck_all() gasnett_debug_memcheck_some_(1, GASNETT_HERE_)
int gasnett_getheapstats(gasnett_heapstats_t *stats);
/** Figures, and with show_live each live block, into a file; "-" is standard output. */
void gasnett_heapinfo_dump(const char *filename, int show_live);

// ---------------------------------------------------------------- text of transfers
// Each writes into buf, of the size its _bufsz macro gives, and returns the length with the end
// mark. Lists of memory vectors are arrays of {void *addr; size_t len;}.
#define gasnett_format_memveclist_bufsz(count) (200 + 60 * (size_t)(count))
#define gasnett_format_addrlist_bufsz(count) (200 + 30 * (size_t)(count))
#define gasnett_format_strides_bufsz(count) (20 + 25 * (size_t)(count))
#define gasnett_format_putvgetv_bufsz(dstcount, srccount) \
    (200 + gasnett_format_memveclist_bufsz(dstcount) + gasnett_format_memveclist_bufsz(srccount))
#define gasnett_format_putigeti_bufsz(dstcount, srccount) \
    (200 + gasnett_format_addrlist_bufsz(dstcount) + gasnett_format_addrlist_bufsz(srccount))
#define gasnett_format_putsgets_bufsz(stridelevels) \
    (300 + 3 * gasnett_format_strides_bufsz((stridelevels) + 1))
size_t gasnett_format_memveclist(char *buf, size_t count, const void *list);
size_t gasnett_format_addrlist(char *buf, size_t count, void *const list[], size_t len);
size_t gasnett_format_strides(char *buf, size_t count, const ptrdiff_t *list);
// With the arguments of GASNet-1 (a node) or of GASNet-EX (a team and a rank), which differ in
// number.
#define gasnett_format_putvgetv(...) \
    GASNETT_ARG8_(__VA_ARGS__, gasnett_format_putvgetv_ex_, gasnett_format_putvgetv_1_, 0) \
    (__VA_ARGS__)
#define gasnett_format_putigeti(...) \
    GASNETT_ARG10_(__VA_ARGS__, gasnett_format_putigeti_ex_, gasnett_format_putigeti_1_, 0) \
    (__VA_ARGS__)
#define gasnett_format_putsgets(...) \
    GASNETT_ARG12_(__VA_ARGS__, gasnett_format_putsgets_ex_, 0, gasnett_format_putsgets_1_, 0) \
    (__VA_ARGS__)
#define GASNETT_ARG8_(a, b, c, d, e, f, g, which, ...) which
#define GASNETT_ARG10_(a, b, c, d, e, f, g, h, i, which, ...) which
#define GASNETT_ARG12_(a, b, c, d, e, f, g, h, i, j, k, which, ...) which
size_t gasnett_format_putvgetv_1_(char *buf, uint32_t node, size_t dstcount, const void *dstlist,
                                  size_t srccount, const void *srclist);
size_t gasnett_format_putvgetv_ex_(char *buf, const void *tm, uint32_t rank, size_t dstcount,
                                   const void *dstlist, size_t srccount, const void *srclist);
size_t gasnett_format_putigeti_1_(char *buf, uint32_t node, size_t dstcount, void *const dstlist[],
                                  size_t dstlen, size_t srccount, void *const srclist[],
                                  size_t srclen);
size_t gasnett_format_putigeti_ex_(char *buf, const void *tm, uint32_t rank, size_t dstcount,
                                   void *const dstlist[], size_t dstlen, size_t srccount,
                                   void *const srclist[], size_t srclen);
/** pstats: not used. GASNet-1 counts bytes in count[0] and has one count more than strides. */
size_t gasnett_format_putsgets_1_(char *buf, void *pstats, uint32_t node, const void *dstaddr,
                                  const size_t dststrides[], const void *srcaddr,
                                  const size_t srcstrides[], const size_t count[],
                                  size_t stridelevels);
size_t gasnett_format_putsgets_ex_(char *buf, void *pstats, const void *tm, uint32_t rank,
                                   const void *dstaddr, const ptrdiff_t dststrides[],
                                   const void *srcaddr, const ptrdiff_t srcstrides[], size_t elemsz,
                                   const size_t count[], size_t stridelevels);

// ---------------------------------------------------------------- self-test
/** Exercises atomics, locks, thread keys, timers and checked memory of this library, `threadcnt`
 *  threads at a time. Returns the number of errors, and reports each on standard error. `sections`:
 *  letters to run of A (atomics), L (locks), M (memory), T (timers); NULL: all. Segments, teams and
 *  ranks, which callers pass behind it, are not needed. */
int gasnett_run_diagnostics_(int iters, int threadcnt, const char *sections);
#define gasnett_run_diagnostics(...) GASNETT_DIAGNOSTICS_(__VA_ARGS__, 0, 0)
#define GASNETT_DIAGNOSTICS_(iters, threadcnt, sections, ...) \
    gasnett_run_diagnostics_(iters, threadcnt, (const char *)(sections))
/** Handlers that the self-test wants registered: none, it does not communicate. */
#define gasnett_diagnostic_gethandlers(htable_p, count_p) \
    ((void)(*(htable_p) = NULL, *(count_p) = 0))

// ---------------------------------------------------------------- hooks of tracing and statistics
// GASNet's own tracing and statistics are not built in (Causeway's are CAUSEWAY_TRACE and
// CAUSEWAY_STATS); the hooks do what GASNet's do in such a build.
__attribute__((__format__(__printf__, 1, 2), __unused__)) static void
gasnett_no_printf_(const char *format, ...)
{
    (void)format;
}
#define _gasnett_trace_printf_noop gasnett_no_printf_
#define GASNETT_TRACE_ENABLED 0
#define GASNETT_TRACE_SETSOURCELINE(file, line) ((void)0)
#define GASNETT_TRACE_GETSOURCELINE(pfile, pline) ((void)0)
#define GASNETT_TRACE_FREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_PRINTF gasnett_no_printf_
#define GASNETT_TRACE_PRINTF_FORCE gasnett_no_printf_
#define GASNETT_TRACE_GETMASK() ""
#define GASNETT_TRACE_SETMASK(mask) ((void)0)
#define GASNETT_TRACE_GET_TRACELOCAL() 0
#define GASNETT_TRACE_SET_TRACELOCAL(newval) ((void)0)
#define GASNETT_STATS_INIT(callbackfn) (gasnett_stats_callback = (callbackfn), 0)
#define GASNETT_STATS_GETMASK() ""
#define GASNETT_STATS_SETMASK(mask) ((void)0)
#define GASNETT_STATS_PRINTF gasnett_no_printf_
#define GASNETT_STATS_PRINTF_FORCE gasnett_no_printf_
#define GASNETT_STATS_DUMP(reset) ((void)0)
// never called: there are no statistics
extern void (*gasnett_stats_callback)(void (*format)(const char *, ...));

GASNETT_END_EXTERNC

#endif
