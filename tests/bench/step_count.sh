# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs step_count.c with each compiler at hand, with and without optimisation.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
insn=$here/../../bench/insn
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for cc in gcc clang; do
    command -v "$cc" >/dev/null || continue
    for opt in -O0 -O2; do
        "$cc" $opt -std=gnu11 -Wall -Wextra -Werror -I"$insn" "$here/step_count.c" "$insn/step.c" \
            -o "$dir/t"
        "$dir/t"
    done
done
