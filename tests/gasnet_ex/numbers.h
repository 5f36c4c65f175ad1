// SPDX-License-Identifier: BSD-3-Clause
//
// For tests of messages with each number of arguments: parameters, their names, and values. The
// values of k arguments are b + 1 to b + k, where b is an int that the program has in scope.
#ifndef TEST_EX_NUMBERS_H
#define TEST_EX_NUMBERS_H

#define P0
#define P1 , gex_AM_Arg_t a1
#define P2 P1, gex_AM_Arg_t a2
#define P3 P2, gex_AM_Arg_t a3
#define P4 P3, gex_AM_Arg_t a4
#define P5 P4, gex_AM_Arg_t a5
#define P6 P5, gex_AM_Arg_t a6
#define P7 P6, gex_AM_Arg_t a7
#define P8 P7, gex_AM_Arg_t a8
#define P9 P8, gex_AM_Arg_t a9
#define P10 P9, gex_AM_Arg_t a10
#define P11 P10, gex_AM_Arg_t a11
#define P12 P11, gex_AM_Arg_t a12
#define P13 P12, gex_AM_Arg_t a13
#define P14 P13, gex_AM_Arg_t a14
#define P15 P14, gex_AM_Arg_t a15
#define P16 P15, gex_AM_Arg_t a16
#define A0
#define A1 , a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A10 A9, a10
#define A11 A10, a11
#define A12 A11, a12
#define A13 A12, a13
#define A14 A13, a14
#define A15 A14, a15
#define A16 A15, a16

/** X(k, , value, ...): k values, behind a comma that joins them to a call's other arguments. */
#define EACH_NUMBER(X)                                                                             \
    X(0)                                                                                           \
    X(1, , b + 1)                                                                                  \
    X(2, , b + 1, b + 2)                                                                           \
    X(3, , b + 1, b + 2, b + 3)                                                                    \
    X(4, , b + 1, b + 2, b + 3, b + 4)                                                             \
    X(5, , b + 1, b + 2, b + 3, b + 4, b + 5)                                                      \
    X(6, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6)                                               \
    X(7, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7)                                        \
    X(8, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8)                                 \
    X(9, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9)                          \
    X(10, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10)                 \
    X(11, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10, b + 11)         \
    X(12, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10, b + 11, b + 12) \
    X(13, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10, b + 11, b + 12, \
      b + 13)                                                                                      \
    X(14, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10, b + 11, b + 12, \
      b + 13, b + 14)                                                                              \
    X(15, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10, b + 11, b + 12, \
      b + 13, b + 14, b + 15)                                                                      \
    X(16, , b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10, b + 11, b + 12, \
      b + 13, b + 14, b + 15, b + 16)

/** args[0] is not checked. */
__attribute__((unused)) static int numbers_good(int nargs, const gex_AM_Arg_t *args, int b)
{
    for (int i = 1; i <= nargs; i++)
        if (args[i] != b + i)
            return 0;
    return 1;
}

#endif
