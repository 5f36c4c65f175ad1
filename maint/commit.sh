#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints the commit of this tree: git's, with "-dirty" when files differ from it; in a release,
# whose tarball has no repository, that of the file COMMIT (maint/dist.py).
cd "$(dirname "$0")/.." || exit
if [ -e .git ]; then
    git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null && exit
elif [ -r COMMIT ]; then
    exec cut -c1-12 COMMIT
fi
echo unknown
