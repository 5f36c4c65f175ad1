// SPDX-License-Identifier: BSD-3-Clause
//
// For causeway-info: what each transport finds on this machine. Loads its library; may take a good
// part of a second.
#ifndef CW_TRANSPORT_DESCRIBE_H
#define CW_TRANSPORT_DESCRIBE_H

/** Hands over one line after another, without line ends. 0 or CW_E…, reported. */
int cwt_describe(void (*line)(const char *text));

#endif
