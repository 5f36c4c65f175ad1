# SPDX-License-Identifier: BSD-3-Clause
#
# ./dev build with a small project in the place of this one: it erases no folder that it did not
# make, and compiles nothing again because a package for manual pages has come.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
unset CI
mkdir -p project bin
cp "$CAUSEWAY_TEST_SOURCE/dev" project/
cat >project/meson.build <<'END'
project('small', 'c')
library('small', 'small.c', install: true)
summary('pandoc', find_program('pandoc', required: false).found())
END
echo "int small(void) { return 1; }" >project/small.c
# No package is installed from here, and the file of the set-up is not wanted.
printf '#!/bin/sh\nexit 1\n' >bin/apt-get
chmod +x bin/apt-get
cp bin/apt-get bin/sudo
PATH=$PWD/bin:$PATH
cd project || exit 1

mkdir build
echo mine >build/thesis.txt
refuses 1 'was not made by this command' ./dev build
output_has '^mine$' cat build/thesis.txt
output_has 'left as it is' ./dev clean
output_has '^mine$' cat build/thesis.txt
rm -r build

# Questions are answered before anything is built or installed.
output_has '^Usage: ./dev' ./dev build --help
output_has '^Usage: ./dev' ./dev test --help
refuses 1 'unknown command biuld; did you mean build\?' ./dev biuld
refuses 1 'unknown command 17 ' ./dev 17
output_has 'tools/dev' "$CAUSEWAY_TEST_SOURCE/dev" test --list tools/dev
output_has '^usage: .*--' "$CAUSEWAY_TEST_SOURCE/dev" bench --help
check "nothing is there yet" test ! -e build

# No command builds or installs anything before it has refused what it does not know.
mkdir ../whole
for part in bench examples maint packaging src study tests; do
    ln -s "$CAUSEWAY_TEST_SOURCE/$part" ../whole/
done
cp dev ../whole/
commands=$(./dev help | sed -n 's/^  \([a-z]\{3,\}\) .*/\1/p' | sort -u)
check "commands of the help" test "$(wc -w <<<"$commands")" -ge 16
for command in $commands "study memory" "study hotspot" "study forwarded" "study transfers"; do
    # shellcheck disable=SC2086
    refuses 1 "^dev: ${command%% *}: .*--frobnicate" ../whole/dev $command --frobnicate
done
refuses 1 'unknown option --werrr; did you mean --werror\?' ../whole/dev build --werrr
refuses 1 '--onyl putt; did you mean --only\?' ../whole/dev bench --onyl putt
refuses 1 "'latenci'; did you mean latency\?" ../whole/dev bench --only latenci
refuses 1 'unknown check lwa; did you mean law\?' ../whole/dev lint lwa
refuses 2 'no test matches launch/colect; did you mean launch/collect\?' ../whole/dev test \
    launch/colect
refuses 1 '--frobnicate' ../whole/dev sim --power --frobnicate
output_has '^hello' sh -c '../whole/dev verbs --list | sed -n "s,.*verbs/,,p"'
check "nothing was built" test ! -e ../whole/build
refuses 1 'icc1 is not in PATH: --compiler takes' ./dev build --compiler icc1
check "nothing was configured" test ! -e build-icc1

check "build" ./dev build
object=$(echo build/libsmall.so.p/*.o)
check "something is compiled" test -f "$object"
check "and staged" test -f build/stage/lib/libsmall.so
before=$(stat -c "%y %i" "$object" 2>&1)
# As after an installation of pandoc or of an MPI: another stamp.
echo "another stamp" >build/dev-stamp
output_has 'configuring build' ./dev build
output_has 'pandoc' cat build/dev-configure.log
after=$(stat -c "%y %i" "$object" 2>&1)
check "nothing is compiled again ($before, $after)" test "$before" = "$after"
check "and staged again" test -f build/stage/lib/libsmall.so
echo "int small(void) { return 2; }" >small.c
check "build after a change" ./dev build
check "what changed is compiled" test "$before" != "$(stat -c "%y %i" "$object" 2>&1)"
# A step that takes long says how far it has come each ten seconds.
cat >>meson.build <<'END'
custom_target('slow', output: 'slow', build_by_default: true,
              command: ['sh', '-c', 'sleep 15; touch slow'])
END
output_has '^compilation: \[[0-9]+/[0-9]+\] [1-9][0-9] s$' ./dev build
check "clean" ./dev clean
check "what it made is gone" test ! -e build
finish
