// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes as text, for launchers whose values are strings: their number in four hexadecimal digits,
// then two digits a byte.
#ifndef CW_BOOTSTRAP_TEXT_H
#define CW_BOOTSTRAP_TEXT_H

#include <stddef.h>

#include "bootstrap/bootstrap.h"

enum { CWB_TEXT_MAX = 4 + 2 * CWB_VALUE_MAX };

void cwb_text_encode(const void *bytes, size_t nbytes, char text[CWB_TEXT_MAX + 1]);

/** nbytes from twice as many digits. 0, or CW_EPROTO (not reported). */
int cwb_text_digits(const char *text, void *bytes, size_t nbytes);

#endif
