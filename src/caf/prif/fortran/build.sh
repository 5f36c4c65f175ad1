#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds Fortran's module prif: its archive and prif.mod, then libprif_causeway.so of that archive.
# The files of a module are its compiler's own, so an installation that has those of one compiler
# gets another one's by these two commands (prif(7)).
#
# usage: build.sh compile COMPILER DESTINATION [option of the compiler]...
#        build.sh link COMPILER DESTINATION DIRECTORY-OF-LIBCAUSEWAY
set -eu
[ $# -ge 3 ] || {
    sed -n 's/^# \(usage:\|      \) /\1 /p' "$0" >&2
    exit 2
}
step=$1 compiler=$2 dest=$3
sources=$(cd "$(dirname "$0")" && pwd -P)
shift 3
case $step in
compile)
    mkdir -p "$dest"
    cd "$dest"
    objects=
    for part in prif prif_private prif_life prif_images prif_coarrays prif_access prif_words \
        prif_atomics prif_collectives; do
        source=$sources/$part.f90
        [ -f "$source" ] || source=$sources/$part.F90
        # shellcheck disable=SC2086  # it may carry arguments
        $compiler -O2 -g -fPIC "$@" -c "$source" -o $part.o
        objects="$objects $part.o"
    done
    rm -f libprif_causeway_module.a
    # shellcheck disable=SC2086
    ar rcs libprif_causeway_module.a $objects
    ;;
link)
    # shellcheck disable=SC2086
    $compiler -shared -o "$dest/libprif_causeway.so" -Wl,-soname,libprif_causeway.so \
        -Wl,--whole-archive "$dest/libprif_causeway_module.a" -Wl,--no-whole-archive \
        -Wl,-z,now -Wl,-z,relro "-L$1" -lcauseway "-Wl,-rpath,\$ORIGIN"
    ;;
*)
    echo "build.sh: there is no step $step" >&2
    exit 2
    ;;
esac
