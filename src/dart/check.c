// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use: codes, and messages in checking mode.
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "dart/drt.h"

dart_ret_t drt_refuse(const char *call, dart_ret_t code, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    if (!CW_CHECKING())
        return code;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cwu_error("%s: %s", call, text);
    return code;
}

dart_ret_t drt_refuse_team(const char *call, int team)
{
    if (!dart_initialized())
        return drt_refuse(call, DART_ERR_NOTINIT, "called before dart_init or after dart_exit");
    return drt_refuse(call, DART_ERR_INVAL, "this unit is in no team with number %d", team);
}

dart_ret_t drt_refuse_null(const char *call, const char *argument)
{
    return drt_refuse(call, DART_ERR_INVAL, "%s is NULL", argument);
}

dart_ret_t drt_refuse_unit(const char *call, int unit, const drt_team_t *team)
{
    return drt_refuse(call, DART_ERR_INVAL, "unit %d does not exist; team %d has %d", unit,
                      team->id, team->group->size);
}
