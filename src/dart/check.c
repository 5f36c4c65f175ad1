// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use: codes, and a line for each place of the program that a call was refused from; a few in
// checking mode.
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/symbol.h"
#include "dart/segment.h"

static dart_config_t config = {.log_enabled = 1};

DRT_API void dart_config(dart_config_t **config_out)
{
    if (config_out)
        *config_out = &config;
}

bool drt_is_routine(const char *symbol)
{
    return strncmp(symbol, "dart_", 5) == 0;
}

// ---------------------------------------------------------------- few lines for each place
// Programs that ignore codes may be refused in loops, and millions of lines would hide the first.
enum {
    PLACES = 64,       // as many as one reads
    LINES = 1,         // of a place
    CHECKED_LINES = 3  // the same in checking mode: what differs from turn to turn is a hint
};
static struct {
    _Atomic uint64_t site;  // cwu_symbol_site; 0: free
    _Atomic int lines;      // that were wanted, up to a few more than are printed
} reported[PLACES];
static _Atomic unsigned long unreported;

/** Has that place its lines, or is there no room to remember it? Else it has one more. */
static bool is_silent(uint64_t site, int most)
{
    for (int i = 0; i < PLACES; i++) {
        uint64_t known = 0;
        if (atomic_compare_exchange_strong_explicit(&reported[i].site, &known, site,
                                                    memory_order_relaxed, memory_order_relaxed) ||
            known == site)
            return atomic_load_explicit(&reported[i].lines, memory_order_relaxed) >= most ||
                   atomic_fetch_add_explicit(&reported[i].lines, 1, memory_order_relaxed) >= most;
    }
    return true;
}

static bool is_news(void)
{
    if (!is_silent(cwu_symbol_site(), CW_CHECKING() ? CHECKED_LINES : LINES))
        return true;
    atomic_fetch_add_explicit(&unreported, 1, memory_order_relaxed);
    return false;
}

/** A domain that is not found is an answer, which programs ask for. */
static bool must_tell(dart_ret_t code)
{
    return (CW_CHECKING() || (config.log_enabled && code != DART_ERR_NOTFOUND)) && is_news();
}

void drt_refusals_close(void)
{
    const unsigned long n = atomic_exchange_explicit(&unreported, 0, memory_order_relaxed);
    if (n > 0)
        cwu_warn("dart_exit: %lu more calls were refused, from places that have had their lines",
                 n);
}

dart_ret_t drt_refuse(const char *call, dart_ret_t code, const char *fmt, ...)
{
    char text[400], where[160] = "";
    cwu_routine_t routine;
    va_list ap;
    if (!must_tell(code))
        return code;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    bool found = cwu_symbol_caller(drt_is_routine, &routine, where, sizeof where);
    cwu_error("%s: %s%s%s", call, text, found ? "; called from " : "", where);
    return code;
}

dart_ret_t drt_refuse_team(const char *call, int team)
{
    if (!dart_initialized())
        return drt_refuse(call, DART_ERR_NOTINIT, "called before dart_init or after dart_exit");
    return drt_refuse(call, DART_ERR_INVAL, "this unit is in no team with number %d", team);
}

// ---------------------------------------------------------------- where segments come from
static int64_t space_of(dart_gptr_t gptr)
{
    return CW_KNOWN_SEGMENTS + drt_key_of(gptr);
}

void drt_known_add(const char *call, const void *place, dart_gptr_t gptr, size_t nbytes,
                   const void *own, bool private)
{
    cw_known_t block = {.space = space_of(gptr), .nbytes = nbytes, .call = call, .place = place};
    cw_known_add(&block);
    block.space = cw_world.pe;
    block.base = (uintptr_t)own;
    if (!private)
        cw_known_add(&block);
}

void drt_known_free(dart_gptr_t gptr)
{
    cw_known_free(space_of(gptr), 0);
}

void drt_known_origin(dart_gptr_t gptr, char *text, size_t text_nbytes)
{
    char place[160], over[170];
    cw_known_t block;
    text[0] = '\0';
    if (!CW_CHECKING() || !cw_known_find(space_of(gptr), 0, &block))
        return;
    cwu_symbol_describe(block.place, place, sizeof place);
    cw_known_freed_at(&block, over, sizeof over);
    if (block.freed)
        snprintf(text, text_nbytes, "; it was freed%s; %s gave its %zu bytes at %s", over,
                 block.call, block.nbytes, place);
    else
        snprintf(text, text_nbytes, "; %s gave its %zu bytes at %s", block.call, block.nbytes,
                 place);
}

// ---------------------------------------------------------------- refusals
dart_ret_t drt_refuse_null(const char *call, const char *argument)
{
    return drt_refuse(call, DART_ERR_INVAL, "%s is NULL", argument);
}

dart_ret_t drt_refuse_unit(const char *call, int unit, const drt_team_t *team)
{
    return drt_refuse(call, DART_ERR_INVAL, "unit %d does not exist; team %d has %d", unit,
                      team->id, team->group->size);
}
