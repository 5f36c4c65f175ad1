# SPDX-License-Identifier: BSD-3-Clause
#
# The ways in which programs and packages look for an OpenSHMEM: each is a pattern from the build
# files of real ones.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
cp "$here/hello.c" .
runs='PE 0 of 1 received 0'

# autoconf: libraries by name with a function in them, headers in both places, old and new start,
# one function of each later version.
mkdir conf
cp hello.c conf
cat >conf/configure.ac <<'END'
AC_INIT([finder], [1.0])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CHECK_HEADERS([shmem.h mpp/shmem.h shmemx.h pshmem.h], [], [AC_MSG_ERROR([header])])
AC_CHECK_LIB([sma], [shmem_init], [SHMEM_LIBS="-lsma"],
  [AC_CHECK_LIB([oshmem], [shmem_init], [SHMEM_LIBS="-loshmem"], [AC_MSG_ERROR([no library])])])
LIBS="$SHMEM_LIBS $LIBS"
AC_CHECK_FUNCS([start_pes shmem_init _my_pe shmem_my_pe shmem_ctx_create \
  shmem_putmem_signal_nbi shmem_signal_wait_until shmem_team_sync shmem_ibput64 \
  pshmem_barrier_all], [], [AC_MSG_ERROR([function])])
AC_SEARCH_LIBS([shmem_finalize], [shmem sma], [], [AC_MSG_ERROR([search])])
AC_CHECK_DECLS([SHMEM_TEAM_WORLD, SHMEM_CTX_DEFAULT, SHMEM_THREAD_MULTIPLE], [],
  [AC_MSG_ERROR([declaration])],
  [[#include <shmem.h>]])
AC_CHECK_TYPES([shmem_team_t, shmem_ctx_t], [], [AC_MSG_ERROR([type])], [[#include <shmem.h>]])
AC_COMPUTE_INT([version], [SHMEM_MAJOR_VERSION * 100 + SHMEM_MINOR_VERSION], [[#include <shmem.h>]])
AS_IF([test "$version" -lt 106], [AC_MSG_ERROR([version $version])])
AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <shmem.h>]],
  [[shmem_init(); shmem_finalize(); return 0;]])], [],
  [AC_MSG_ERROR([does not run])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >conf/Makefile.am <<'END'
bin_PROGRAMS = hello
hello_SOURCES = hello.c
END
check "autoreconf" sh -c 'cd conf && autoreconf -i'
check "configure with flags" sh -c \
    "cd conf && ./configure CPPFLAGS=-I$stage/include 'LDFLAGS=-L$stage/lib -Wl,-rpath,$stage/lib'"
check "make" make -C conf
output_has "$runs" ./conf/hello
check "make clean" make -C conf distclean
check "configure with oshcc" sh -c 'cd conf && ./configure CC=oshcc'
check "make with oshcc" make -C conf
output_has "$runs" ./conf/hello

# CMake: find_library and find_path; the wrapper's -show split into words; pkg-config by the names
# of other implementations.
mkdir cm
cp hello.c cm
cat >cm/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(finder C CXX)
find_library(SHMEM_LIBRARY NAMES oshmem sma PATHS ${SHMEM_ROOT} PATH_SUFFIXES lib lib64
  NO_DEFAULT_PATH REQUIRED)
find_path(SHMEM_INCLUDE shmem.h PATHS ${SHMEM_ROOT}/include NO_DEFAULT_PATH REQUIRED)
add_executable(by_name hello.c)
target_include_directories(by_name PRIVATE ${SHMEM_INCLUDE})
target_link_libraries(by_name ${SHMEM_LIBRARY})

find_program(OSHCC oshcc REQUIRED)
find_program(OSHRUN oshrun REQUIRED)
execute_process(COMMAND ${OSHCC} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(words UNIX_COMMAND "${shown}")
foreach(word IN LISTS words)
  if(word MATCHES "^-I(.*)")
    list(APPEND dirs ${CMAKE_MATCH_1})
  elseif(word MATCHES "^-(L|l|Wl)")
    list(APPEND libs ${word})
  endif()
endforeach()
add_executable(by_show hello.c)
target_include_directories(by_show PRIVATE ${dirs})
target_link_libraries(by_show ${libs})

find_package(PkgConfig REQUIRED)
foreach(name causeway sma oshmem oshmem-c oshmem-cxx)
  pkg_check_modules(P_${name} REQUIRED IMPORTED_TARGET ${name})
  add_executable(by_pkg_${name} hello.c)
  target_link_libraries(by_pkg_${name} PkgConfig::P_${name})
endforeach()

include(CheckSymbolExists)
set(CMAKE_REQUIRED_INCLUDES ${SHMEM_INCLUDE})
set(CMAKE_REQUIRED_LIBRARIES ${SHMEM_LIBRARY})
foreach(symbol shmem_init shmem_team_sync SHMEM_MAJOR_VERSION _SHMEM_SYNC_VALUE SHMEM_VENDOR_STRING)
  check_symbol_exists(${symbol} shmem.h HAVE_${symbol})
  if(NOT HAVE_${symbol})
    message(FATAL_ERROR "no ${symbol}")
  endif()
endforeach()
END
export CMAKE_BUILD_PARALLEL_LEVEL=1
check "cmake" env "PKG_CONFIG_PATH=$stage/lib/pkgconfig" cmake -S cm -B cm/build \
    "-DSHMEM_ROOT=$stage"
check "cmake --build" cmake --build cm/build
for way in by_name by_show by_pkg_causeway by_pkg_sma by_pkg_oshmem by_pkg_oshmem-c \
    by_pkg_oshmem-cxx; do
    output_has "$runs" "./cm/build/$way"
done

# A makefile that knows only the wrapper, and one that takes its flags.
printf 'CC = oshcc\nhello: hello.o\n' >Makefile
check "make with CC = oshcc" make hello
output_has "$runs" ./hello
rm -f hello hello.o
check "make with flags of the wrapper" make CC=cc "CFLAGS=$(oshcc --showme:compile)" \
    "LDLIBS=$(oshcc --showme:link)" hello
output_has "$runs" ./hello

# Open MPI's own examples test its version macro.
cat >asks.c <<'END'
#include <shmem.h>
#if OSHMEM_SPEC_VERSION < 10200
#error old
#endif
int main(void) { return 0; }
END
check "OSHMEM_SPEC_VERSION" oshcc -DOSHMEM_SPEC_VERSION=10600 asks.c -o asks
finish
