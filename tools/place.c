// SPDX-License-Identifier: BSD-3-Clause
//
// oshcc links this into executables: its alignment is that of a segment of the program without a
// byte in the file, so Linux (5.10 or newer) places the program, and with it the symmetric heap, at
// one address modulo 2 MiB in all PEs where it cannot be at one address (ADR 79, 137).
#if __has_attribute(retain)
#define RETAIN , retain  // by linkers that collect what is not used
#else
#define RETAIN
#endif
static char place __attribute__((aligned(0x200000), used RETAIN));
