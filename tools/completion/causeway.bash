# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for bash of oshrun, cafrun, the wrappers, causeway-info and ./dev. The options are
# those that --help names, so none is missing here. Of an option's value the words are completed
# where they are few. What it prints of a command _causeway (zsh) uses, too.

# The help of a command: what follows are its words up to the present one.
_causeway_help() {
    case ${1##*/} in
    osh[cC]* | caf | prifc) "$1" --showme:help ;;  # --help is the compiler's
    dev)
        case ${2-} in
        build | test)  # from its line to the next command's, and what both have
            "$1" --help | sed -n -e "/^  $2/,/^  [a-z]/{/^  $2/p;/^    /p;}" -e '/^Options of/,$p'
            ;;
        study) "$1" study ${3:+"$3"} --help ;;
        *) "$1" ${2:+"$2"} --help ;;
        esac
        ;;
    *) "$1" --help ;;
    esac 2>/dev/null </dev/null
}

_causeway_options() {
    _causeway_help "$@" | grep -oE '(^|[[:space:],[(|])--?[A-Za-z][-A-Za-z_]*(:[a-z]+)?' |
        grep -oE -- '--?[A-Za-z].*' | sort -u
    [[ ${1##*/} != osh[cC]* && ${1##*/} != caf && ${1##*/} != prifc ]] ||
        printf -- '--showme:%s\n' libdirs libs
}

# The words that may stand behind an option, or as the word of ./dev; nothing: files, or options.
_causeway_values() { # PREVIOUS COMMAND [WORD...]
    local previous=$1
    shift
    case ${1##*/}:$previous in
    dev:--compiler) echo gcc clang ;;
    dev:--sanitize) ;;
    dev:--scene) "$1" sim --list 2>/dev/null ;;
    dev:study) [ $# != 2 ] || echo memory hotspot forwarded transfers ;;
    dev:test)
        [ $# != 2 ] || ls -d "$(dirname "$(readlink -f "$1")")"/tests/*/tests.toml 2>/dev/null |
            sed 's,.*/tests/\(.*\)/tests.toml,\1/,'
        ;;
    dev:*)
        [ $# != 1 ] || "$1" --help 2>/dev/null | sed -n 's/^  \([a-z]\{3,\}\) .*/\1/p' | sort -u
        ;;
    causeway-info:-e | causeway-info:--env) causeway-info --env-table 2>/dev/null | cut -f1 ;;
    causeway-info:--explain)
        causeway-info --explain 2>/dev/null | sed -n 's/^  \([A-Za-z][^ ]*\)$/\1/p'
        ;;
    *run:--launcher) echo hydra slurm prrte orte oshrun ;;
    *run:--bind-to) echo none hwthread core socket numa share ;;
    *run:--map-by) echo hwthread core socket numa ;;
    *run:-x) causeway-info --env-table 2>/dev/null | cut -f1 | sed 's/$/=/' ;;
    esac
}

# Of oshrun: is the program among these words already? What follows is the program's.
_causeway_has_program() { # COMMAND [WORD...]
    local word previous='' valued
    [[ ${1##*/} == *run ]] || return 1
    # "-n, -np, --np PES" takes a value, "--valgrind[=OPTIONS]" and "-l, --label" take none.
    valued=$(_causeway_help "$1" | grep -oE '^ +(-[^ ]+, )*-[^ ]+ [A-Z]+( |$)' |
        grep -oE -- '--?[A-Za-z][-A-Za-z]*')
    shift
    for word in "$@"; do
        case $previous in
        -*) [[ $'\n'$valued$'\n' != *$'\n'$previous$'\n'* ]] || word= ;;
        esac
        case $word in
        --) return 0 ;;
        '' | -*) ;;
        *) return 0 ;;
        esac
        previous=$word
    done
    return 1
}

# Prints what the last word may be.
_causeway_words() { # COMMAND WORD... CURRENT
    local current=${*: -1} previous=${*: -2:1} given=("${@:1:$#-1}") words
    ! _causeway_has_program "${given[@]}" || return 0
    if [[ $current != -* || $previous == -* ]]; then
        words=$(_causeway_values "$previous" "${given[@]}")
    fi
    if [ -z "$words" ] && [[ $current == -* ]]; then
        words=$(_causeway_options "${given[@]}")
    fi
    printf '%s\n' $words
}

_causeway() {
    local line=${COMP_LINE:0:COMP_POINT} cur rest words
    # As typed: bash breaks words at = and :, too.
    read -r -a words <<<"$line"
    cur=${line##*[[:space:]]}
    [ "$cur" ] || words+=("")
    words=$(_causeway_words "${words[@]}")
    COMPREPLY=()
    if [ "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
        [[ ${COMPREPLY[0]-} != *[=/] ]] || compopt -o nospace 2>/dev/null
    else
        compopt -o default 2>/dev/null
        return
    fi
    rest=${cur##*[=:]}
    COMPREPLY=("${COMPREPLY[@]#"${cur%"$rest"}"}")
}

complete -F _causeway oshrun cafrun oshcc oshc++ oshcxx oshCC caf prifc causeway-info ./dev
