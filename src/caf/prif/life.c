// SPDX-License-Identifier: BSD-3-Clause
//
// Begin and end. The module runs the program's callbacks and writes stop codes before it calls.
#include <stdio.h>
#include <string.h>

#include "caf/prif/prf.h"
#include "core/world/front_end.h"

PRF_API int causeway_prif_init(void);
PRF_API void causeway_prif_say(bool is_error, const char *text, size_t nbytes);
PRF_API noreturn void causeway_prif_stop(int code);
PRF_API noreturn void causeway_prif_error_stop(int code);
PRF_API noreturn void causeway_prif_fail_image(void);
PRF_API void causeway_prif_message(char *text, size_t nbytes);

char prf_text[PRF_TEXT];

// Of gfortran's own library, if the program has it. NULL: all units.
CW_WEAK extern void _gfortran_flush_i4(const int32_t *unit);

static void flush(void)
{
    if (_gfortran_flush_i4)
        _gfortran_flush_i4(NULL);
}

/** What the module calls, wherever it is. */
/** What the module calls, or in messages the procedure itself. */
static bool is_routine(const char *symbol)
{
    static const char prefix[] = "causeway_prif_";
    const char *name = prefix + strlen("causeway_");
    return strncmp(symbol, prefix, strlen(prefix)) == 0 || strncmp(symbol, name, strlen(name)) == 0;
}

static bool names_gone(const char *symbol)
{
    static const char *const names[] = {"fail_image", "image_status", "failed_images",
                                        "stopped_images"};
    // as gfortran, and flang, call a procedure of a module
    static const char *const of_modules[] = {"__prif_MOD_prif_", "_QMprifPprif_"};
    for (size_t m = 0; m < sizeof of_modules / sizeof *of_modules; m++) {
        const size_t n = strlen(of_modules[m]);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(symbol, of_modules[m], n) == 0 && strcmp(symbol + n, names[i]) == 0)
                return true;
    }
    return false;
}

/** With the module in the program itself, the linker has taken no more of it than is called. */
static bool calls_gone(const char *symbol)
{
    return strcmp(symbol, "causeway_prif_fail_image") == 0 ||
           strcmp(symbol, "causeway_prif_image_status") == 0;
}

static bool survives(void)
{
    return cw_program_uses(names_gone) || cw_program_calls(calls_gone);
}

caf_door_t prf_door = {.stat = {[CAF_OK] = 0,
                                [CAF_LOCKED] = PRF_STAT_LOCKED,
                                [CAF_UNLOCKED] = PRF_STAT_UNLOCKED,
                                [CAF_LOCKED_OTHER] = PRF_STAT_LOCKED_OTHER_IMAGE,
                                [CAF_STOPPED] = PRF_STAT_STOPPED_IMAGE,
                                [CAF_FAILED] = PRF_STAT_FAILED_IMAGE,
                                [CAF_TWICE] = PRF_STAT_ERROR,
                                [CAF_NO_MEMORY] = PRF_STAT_OUT_OF_MEMORY,
                                [CAF_ERROR] = PRF_STAT_ERROR},
                       .flush = flush,
                       .init = "prif_init",
                       .finalize = "prif_stop",
                       .is_routine = is_routine,
                       .survives = survives,
                       .released = prf_released,
                       .keeps_siblings = true};

static CW_CONSTRUCTOR(101) void announce(void)
{
    caf_announce(&prf_door);
}

noreturn void prf_not_joined(const char *call)
{
    caf_fatal(call, "prif_init has not been called, or prif_stop has");
}

int causeway_prif_init(void)
{
    if (caf.group)
        return PRF_STAT_ALREADY_INIT;
    caf_start(&prf_door, "prif_init");
    return 0;
}

/** A line, behind what the program has written before. */
void causeway_prif_say(bool is_error, const char *text, size_t nbytes)
{
    FILE *to = is_error ? stderr : stdout;
    caf_flush();
    fprintf(to, "%.*s\n", (int)nbytes, text);
    fflush(to);
}

void causeway_prif_stop(int code)
{
    caf_stop(code);
}

void causeway_prif_error_stop(int code)
{
    caf_error_stop(code);
}

void causeway_prif_fail_image(void)
{
    PRF_ENTER("prif_fail_image");
    caf_fail_image();
}

/** Padded with blanks, as it is kept. */
void causeway_prif_message(char *text, size_t nbytes)
{
    memset(text, ' ', nbytes);
    memcpy(text, prf_text, nbytes < sizeof prf_text ? nbytes : sizeof prf_text);
}
