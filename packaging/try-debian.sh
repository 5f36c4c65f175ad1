#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes Debian's package of what is committed, has lintian look at it, unpacks it and runs a program
# with it. Needs build-essential, debhelper, lintian and what packaging/debian/control names.
#
# usage: packaging/try-debian.sh DIRECTORY   (made anew; must not exist)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=${1:?usage: try-debian.sh DIRECTORY}
mkdir "$place"
place=$(cd "$place" && pwd)
"$root/dev" dist --output "$place"
cd "$place"
tarball=$(echo causeway-*.tar.gz)
version=${tarball#causeway-}
version=${version%.tar.gz}
mv "$tarball" "causeway_$version.orig.tar.gz"
tar xf "causeway_$version.orig.tar.gz"
cd "causeway-$version"
cp -r packaging/debian .
dpkg-buildpackage -us -uc -b >../build.log 2>&1 || {
    tail -n 40 ../build.log >&2
    exit 1
}
cd ..
lintian --fail-on error -- *.changes
dpkg-deb -x causeway_*.deb unpacked
bin=$place/unpacked/usr/lib/causeway/bin
"$bin/oshcc" -O2 -o hello "causeway-$version/tests/tools/hello.c"
"$bin/oshrun" -np 2 ./hello
"$bin/oshrun" -np 2 --emulate-nodes 2 ./hello
[ -f unpacked/usr/lib/causeway/share/man/man3/shmem_int_put.3 ]
"$bin/causeway-info" | head -n 1
echo "try-debian: the package works: $(ls causeway_*.deb)"
