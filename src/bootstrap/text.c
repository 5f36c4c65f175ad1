// SPDX-License-Identifier: BSD-3-Clause
//
// Values as hexadecimal text (text.h).
#include "bootstrap/text.h"

#include <stdio.h>

#include "base/error.h"

void cwb_text_encode(const void *bytes, size_t nbytes, char text[CWB_TEXT_MAX + 1])
{
    const unsigned char *from = bytes;
    sprintf(text, "%04zx", nbytes);
    for (size_t i = 0; i < nbytes; i++)
        sprintf(text + 4 + 2 * i, "%02x", from[i]);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int cwb_text_digits(const char *text, void *bytes, size_t nbytes)
{
    unsigned char *to = bytes;
    for (size_t i = 0; i < nbytes; i++) {
        int high = digit(text[2 * i]), low = high < 0 ? -1 : digit(text[2 * i + 1]);
        if (low < 0)
            return CW_EPROTO;
        to[i] = (unsigned char)(high << 4 | low);
    }
    return 0;
}
