#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Has EasyBuild install a release made of what is committed by packaging/easybuild, and run its
# checks. EasyBuild must know every dependency of the file; instead of building them, and the
# toolchain, it uses the compiler and the libraries of this machine. Needs a modules tool (Debian:
# environment-modules). All is put into DIRECTORY.
#
# usage: packaging/try-easybuild.sh DIRECTORY EB
#        DIRECTORY   made anew; must not exist
#        EB          EasyBuild's command
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=${1:?usage: try-easybuild.sh DIRECTORY EB}
eb=${2:?usage: try-easybuild.sh DIRECTORY EB}
mkdir "$place"
place=$(cd "$place" && pwd)
"$root/dev" dist --output "$place"
cd "$place"
file=$(echo Causeway-*.eb)

if ! type module >/dev/null 2>&1; then
    # shellcheck disable=SC1091
    . /etc/profile.d/modules.sh
fi
options=(--prefix="$place/easybuild" --sourcepath="$place" --modules-tool=EnvironmentModules
    --module-syntax=Tcl)
[ "$(id -u)" != 0 ] || options+=(--allow-use-as-root-and-accept-consequences)
"$eb" "${options[@]}" --dry-run --robot="$place" "$file" >plan.txt || { cat plan.txt; exit 1; }
for name in GCC/ Meson/ Ninja/ Python/ libfabric/ PMIx/ hwloc/ Causeway/; do
    grep -q "module: $name" plan.txt || { echo "try-easybuild: no $name in the plan"; exit 1; }
done
# As Meson's module would say.
EBROOTMESON=$(dirname "$(dirname "$(command -v meson)")") EBVERSIONMESON=$(meson --version)
export EBROOTMESON EBVERSIONMESON
"$eb" "${options[@]}" --try-toolchain=system,system \
    --filter-deps=Meson,Ninja,pkgconf,Python,libfabric,PMIx,hwloc "$file"
module use "$place/easybuild/modules/all"
module load Causeway
[ -n "$EBROOTCAUSEWAY" ]
oshcc -O2 -o hello "$root/tests/tools/hello.c"
oshrun -np 2 --emulate-nodes 2 ./hello
echo "try-easybuild: the module works: $EBROOTCAUSEWAY"
