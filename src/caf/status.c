// SPDX-License-Identifier: BSD-3-Clause
//
// How statements fail: stat= and errmsg=, or the end of the job.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/symbol.h"
#include "caf/gone.h"
#include "core/world/front_end.h"
#include "core/world/world.h"

enum { TEXT = 400 };

/** As Fortran assigns: cut, or padded with blanks. */
static void assign(char *to, size_t nbytes, const char *text)
{
    size_t n = strlen(text);
    n = n < nbytes ? n : nbytes;
    memcpy(to, text, n);
    memset(to + n, ' ', nbytes - n);
}

/** Does a message begin with this image's number already (cwu_error_word)? */
static bool is_said(void)
{
    return cw_pe_number(cw_world.pe) == caf_this_image() && caf_num_images() == cw_world.npes;
}

static noreturn CW_COLD void end(const char *statement, const char *what)
{
    char where[160], text[TEXT + sizeof where + 16];
    cwu_routine_t routine;
    const bool found = cwu_symbol_caller(cw_is_routine, &routine, where, sizeof where);
    snprintf(text, sizeof text, "%s%s%s", what, found ? "; called from " : "", found ? where : "");
    const bool flushed = caf_flush();
    if (caf.group && !is_said())
        cwu_error("image %d of %d: %s: %s", caf_this_image(), caf_num_images(), statement, text);
    else
        cwu_error("%s: %s", statement, text);
    if (!flushed)
        exit(EXIT_FAILURE);
    cwu_fatal_reported(statement, CW_EINVAL);
}

void caf_fail(const caf_status_t *status, caf_code_t code, const char *statement, const char *fmt,
              ...)
{
    char text[TEXT];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const bool gone = code == CAF_STOPPED || code == CAF_FAILED;
    if (!status->stat && status->cannot_ask && gone)
        return;
    if (!status->stat)
        end(statement, text);
    if (code == CAF_FAILED)
        caf_tell_deaths();
    *status->stat = caf.door->stat[code];
    if (status->errmsg)
        assign(status->errmsg, status->errmsg_nbytes, text);
}

void caf_succeed_at(const caf_status_t *status, int pe)
{
    caf_succeed(status);
    if (!status->stat || !caf_survives || caf_image_state(pe) != CAF_FAILED)
        return;
    caf_tell_end(pe, CAF_FAILED);
    *status->stat = caf.door->stat[CAF_FAILED];
    if (status->errmsg) {
        caf_name_t name;
        char text[TEXT];
        snprintf(text, sizeof text, "%s has failed", caf_image_name(pe, name));
        assign(status->errmsg, status->errmsg_nbytes, text);
    }
}

bool caf_report_failed(const caf_status_t *status, const char *statement, int pe)
{
    caf_name_t name;
    if (caf_image_state(pe) != CAF_FAILED)
        return false;
    caf_tell_end(pe, CAF_FAILED);
    caf_fail(status, CAF_FAILED, statement, "%s has failed", caf_image_name(pe, name));
    return true;
}

void caf_fatal(const char *statement, const char *fmt, ...)
{
    char text[TEXT];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    end(statement, text);
}

const char *caf_image_name(int pe, caf_name_t name)
{
    int rank = caf.group ? cw_group_rank_of(caf.group, pe) : -1;
    if (rank >= 0)
        snprintf(name, sizeof(caf_name_t), "image %d", rank + 1);
    else
        snprintf(name, sizeof(caf_name_t), "image %d of the initial team", pe + 1);
    return name;
}

bool caf_want_pe(const caf_status_t *status, const char *statement, const cw_group_t *group,
                 int image, int *pe_p)
{
    if (CW_LIKELY(caf_find_pe(group, image, pe_p)))
        return true;
    caf_fail(status, CAF_ERROR, statement, "image %d does not exist; the %steam has 1 to %d", image,
             group == caf.group ? "current " : "", group->size);
    return false;
}
