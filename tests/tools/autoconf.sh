# SPDX-License-Identifier: BSD-3-Clause
#
# An autoconf and automake project with CC=oshcc, as most OpenSHMEM programs are built.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
cp "$here/hello.c" .
cat >configure.ac <<'END'
AC_INIT([hello], [1.0])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AC_CHECK_HEADERS([shmem.h], [], [AC_MSG_ERROR([no shmem.h])])
AC_CHECK_FUNC([shmem_init], [], [AC_MSG_ERROR([no shmem_init])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
bin_PROGRAMS = hello
hello_SOURCES = hello.c
END
check "autoreconf" autoreconf -i
check "configure" ./configure CC=oshcc
check "make" make
output_has 'PE 0 of 1 received 0' ./hello
check "dependency tracking worked" grep -q shmem.h .deps/hello.Po
finish
