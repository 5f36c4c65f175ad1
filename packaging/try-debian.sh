#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes Debian's packages of what is committed, has lintian look at them, unpacks them and runs a
# program with them. As root it goes on: autopkgtest installs them into a clean Debian, made by
# debootstrap, and runs debian/tests there. `./dev package` installs what this needs and calls it.
#
# usage: packaging/try-debian.sh DIRECTORY [ROOT]
#        DIRECTORY   made anew; must not exist
#        ROOT        a folder that debootstrap has filled, which is copied instead of made
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=${1:?usage: try-debian.sh DIRECTORY [ROOT]}
clean=${2:-}
mkdir "$place"
place=$(cd "$place" && pwd)
[ -z "$clean" ] || clean=$(cd "$clean" && pwd)

# What a step prints goes to a log, whose end shows when it fails.
logged() { # LOG COMMAND...
    local log=$place/$1
    shift
    echo "try-debian: ${1%.log} (log: $log)"
    "$@" >"$log" 2>&1 </dev/null || {
        tail -n 40 "$log" >&2
        exit 1
    }
}

"$root/dev" dist --output "$place"
cd "$place"
tarball=$(echo causeway-*.tar.gz)
version=${tarball#causeway-}
version=${version%.tar.gz}
mv "$tarball" "causeway_$version.orig.tar.gz"
tar xf "causeway_$version.orig.tar.gz"
cd "causeway-$version"
cp -r packaging/debian .
logged build.log dpkg-buildpackage -us -uc -b
cd ..
# (a first upload closes a bug of Debian, which there is not)
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
    -- *.changes
for package in *.deb; do
    dpkg-deb -x "$package" unpacked
done
bin=$place/unpacked/usr/lib/causeway/bin
"$bin/oshcc" -O2 -o hello "causeway-$version/tests/tools/hello.c"
"$bin/oshrun" -np 2 ./hello
"$bin/oshrun" -np 2 --emulate-nodes 2 ./hello
[ -f unpacked/usr/lib/causeway/share/man/man3/shmem_int_put.3 ]
"$bin/causeway-info" | head -n 1

if [ "$(id -u)" != 0 ]; then
    echo "try-debian: autopkgtest is left out: only root may fill a clean Debian"
else
    if [ "$clean" ]; then
        cp -a "$clean" root
    else
        # shellcheck disable=SC1091
        suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
        logged debootstrap.log debootstrap --variant=minbase "$suite" root
    fi
    # In a mount name space of its own, so that nothing stays mounted.
    # shellcheck disable=SC2016
    logged autopkgtest.log unshare --mount sh -c '
        set -e
        mount -t proc proc "$1/proc"
        mount -t devpts devpts "$1/dev/pts"
        mount -t tmpfs tmpfs "$1/dev/shm"
        exec autopkgtest --output-dir=autopkgtest ./*.deb "$2/" -- chroot "$1"' \
        sh "$place/root" "causeway-$version"
    cat autopkgtest/summary
fi
echo "try-debian: the packages work: $(echo *.deb)"
