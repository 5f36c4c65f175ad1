// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of all test programs, for C and C++.
//
//   CHECK(condition)               counts; a false condition is printed, and the program goes on
//   CHECK(condition, "text", ...)  the same with a text in the form of printf
//   REQUIRE(condition, ...)        the same, but a false condition ends the process with status 1
//   CHECK_STR(actual, expected)    compares strings and prints both
//   check_as("PE", me, npes)       from here on a failure names this process
//   check_result()                 prints the counts; returns the exit status: 1 if a check failed
//                                  or none ran
//
// A failure is one line on standard output: "FAIL file:line PE 1 of 4: condition: text", which
// tests/run.py takes for a failure of the case whatever the exit status is. Threads may check at
// any time. Nothing here polls or blocks.
#ifndef TESTS_FRAME_CHECK_H
#define TESTS_FRAME_CHECK_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Weak: one copy in a program of several sources. Threads raise the counts by relaxed __atomic
// builtins; the counts are read when the threads have been joined.
__attribute__((weak)) int checks_done, checks_failed;
__attribute__((weak)) char check_who[48];               // " PE 1 of 4"
__attribute__((weak)) void (*check_before_exit)(void);  // of a REQUIRE that fails: ends helpers

enum { CHECKS_SHOWN = 20 };  // failures that a process prints; the rest is counted

#define CHECK(condition, ...) \
    ((condition) ? check_done() : check_fail(__FILE__, __LINE__, #condition, " " __VA_ARGS__))
#define REQUIRE(condition, ...) \
    ((condition) ? check_done() \
                 : check_fail_and_exit(__FILE__, __LINE__, #condition, " " __VA_ARGS__))
#define CHECK_STR(actual, expected) check_str(__FILE__, __LINE__, #actual, actual, expected)

__attribute__((unused)) static void check_as(const char *what, long number, long of)
{
    snprintf(check_who, sizeof(check_who), " %s %ld of %ld", what, number, of);
}

__attribute__((unused)) static void check_done(void)
{
    __atomic_add_fetch(&checks_done, 1, __ATOMIC_RELAXED);
}

/** Prints one line, in one piece even if other threads print. */
__attribute__((unused)) static void check_print(const char *file, int line, const char *what,
                                                const char *fmt, va_list ap)
{
    char text[2000];  // the file and the process have room in the first half
    int used = snprintf(text, sizeof(text), "FAIL %.800s:%d%s:", file, line, check_who);
    if (strcmp(what, "false") != 0 && strcmp(what, "0") != 0)
        used += snprintf(text + used, sizeof(text) - (size_t)used, " %.800s%s", what,
                         fmt[1] ? ":" : "");
    if (fmt[1])
        vsnprintf(text + used, sizeof(text) - (size_t)used, fmt, ap);
    printf("%s\n", text);
    fflush(stdout);
}

__attribute__((unused, format(printf, 4, 5))) static void
check_fail(const char *file, int line, const char *what, const char *fmt, ...)
{
    va_list ap;
    check_done();
    if (__atomic_add_fetch(&checks_failed, 1, __ATOMIC_RELAXED) > CHECKS_SHOWN)
        return;
    va_start(ap, fmt);
    check_print(file, line, what, fmt, ap);
    va_end(ap);
}

/** Ends the process without its handlers for the end, which might wait for other processes. */
__attribute__((unused, __noreturn__, format(printf, 4, 5))) static void
check_fail_and_exit(const char *file, int line, const char *what, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    check_print(file, line, what, fmt, ap);
    va_end(ap);
    if (check_before_exit)
        check_before_exit();
    _Exit(1);
}

__attribute__((unused)) static void check_str(const char *file, int line, const char *what,
                                              const char *actual, const char *expected)
{
    if (strcmp(actual, expected) != 0)
        check_fail(file, line, what, " \"%s\", expected \"%s\"", actual, expected);
    else
        check_done();
}

__attribute__((unused)) static int check_result(void)
{
    printf("%d checks, %d failed\n", checks_done, checks_failed);
    fflush(stdout);
    return checks_failed > 0 || checks_done == 0;
}

#endif
