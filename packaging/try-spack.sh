#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Has Spack install a release made of what is committed by packaging/spack/package.py, with the
# checksum, and run its check. What this machine has of meson, ninja, pkgconf, Python, libfabric,
# hwloc and PMIx is used; an MPI only with "+mpi" as further argument. All is put into DIRECTORY,
# and the user's settings of Spack are left alone.
#
# usage: packaging/try-spack.sh DIRECTORY SPACK [VARIANT...]
#        DIRECTORY   made anew; must not exist
#        SPACK       Spack's command (.../bin/spack)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=${1:?usage: try-spack.sh DIRECTORY SPACK [VARIANT...]}
spack=${2:?usage: try-spack.sh DIRECTORY SPACK [VARIANT...]}
shift 2
mkdir "$place"
place=$(cd "$place" && pwd)
export SPACK_USER_CONFIG_PATH=$place/config SPACK_USER_CACHE_PATH=$place/cache

"$root/dev" dist --output "$place"
cd "$place"
tarball=$(echo causeway-*.tar.gz)
version=${tarball#causeway-}
version=${version%.tar.gz}

# Spack 1 wants a name space for a repository's Python modules.
mkdir -p recipes/packages/causeway config
printf 'repo:\n  namespace: causeway_try\n' >recipes/repo.yaml
cp package.py recipes/packages/causeway/
printf 'repos:\n- %s/recipes\n' "$place" >config/repos.yaml
printf 'config:\n  install_tree:\n    root: %s/tree\n  build_stage: [%s/stage]\n' \
    "$place" "$place" >config/config.yaml

found() { pkg-config --modversion "$1" | sed 's/[^0-9.].*//'; }
external() { # PACKAGE VERSION PREFIX
    printf '  %s:\n    buildable: false\n    externals:\n' "$1"
    printf '    - {spec: "%s@%s", prefix: %s}\n' "$1" "$2" "$3"
}
{
    echo "packages:"
    for name in meson ninja pkgconf; do
        external $name "$($name --version | sed 's/[^0-9.].*//')" \
            "$(dirname "$(dirname "$(command -v $name)")")"
    done
    external python "$(/usr/bin/python3 -c 'import platform as p; print(p.python_version())')" /usr
    external libfabric "$(found libfabric)" /usr
    external hwloc "$(found hwloc)" /usr
    external pmix "$(found pmix)" /usr
    if mpirun.openmpi --version >mpi.txt 2>/dev/null; then
        external openmpi "$(sed -n '1s/.* //p' mpi.txt)" /usr
        printf '  all:\n    providers:\n      mpi: [openmpi]\n'
    fi
} >config/packages.yaml
"$spack" compiler find --scope user
log=$place/install.log
"$spack" install --verbose --fail-fast --test=root --no-cache "causeway@$version" "$@" \
    >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; exit 1; }
prefix=$("$spack" location -i causeway)
"$prefix/bin/oshcc" -O2 -o hello "$root/tests/tools/hello.c"
"$prefix/bin/oshrun" -np 2 --emulate-nodes 2 ./hello
"$prefix/bin/causeway-info" | head -n 1
[ -f "$prefix/share/man/man3/shmem_int_put.3" ]
echo "try-spack: the package works: $prefix"
