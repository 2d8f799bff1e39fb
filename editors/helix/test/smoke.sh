#!/bin/sh
# Drives the real Helix in a terminal: installed as the README says, then looked at.
#   HX=… TMUX_PROGRAM=… MANGLE_LS=… smoke.sh REPOSITORY OUT
# OUT/examples is a copy of the examples that may be changed; what the terminal showed is left in OUT/*.txt.
# Prints `ok - …` or `not ok - …` for each check.
repository=$1 out=$2
HOME=$out/home XDG_CONFIG_HOME=$out/home/.config XDG_CACHE_HOME=$out/home/.cache
export HOME XDG_CONFIG_HOME XDG_CACHE_HOME
config=$XDG_CONFIG_HOME/helix log=$XDG_CACHE_HOME/helix/helix.log
export TERM=xterm-256color COLORTERM=truecolor LANG=C.UTF-8
unset CARGO_MANIFEST_DIR # Helix takes it for the folder of its own source
failed=0

# check NAME COMMAND…: the command's success is the check's.
check() {
    name=$1
    shift
    if "$@"; then echo "ok - $name"; else echo "not ok - $name"; failed=1; screen | sed 's/^/# /'; fi
}

socket=none
terminal() { "$TMUX_PROGRAM" -f /dev/null -S "$socket" "$@"; }
screen() { terminal capture-pane -p 2>/dev/null; }
colours() { terminal capture-pane -p -e; }
press() { terminal send-keys "$@"; sleep 0.3; }
enter() { terminal send-keys -l "$1"; sleep 0.5; press Enter; }

# sees TEXT: waits until it is on the screen, 20 seconds at most.
sees() {
    for _ in $(seq 80); do
        screen | grep -qF -- "$1" && return
        sleep 0.25
    done
    echo "# waited in vain for: $1"
    return 1
}

# holds FILE TEXT: waits until the file has it.
holds() {
    for _ in $(seq 40); do
        grep -qF -- "$2" "$1" && return
        sleep 0.25
    done
    echo "# not in $1: $2"
    return 1
}

keep() { screen > "$out/$1.txt"; colours > "$out/$1.ansi"; }

# A server of its own for each start: the last one may still be ending. The path of a socket has to be short.
start() {
    [ "$socket" = none ] || terminal kill-server
    socket=$(mktemp -u)
    terminal new-session -d -x 120 -y 36 "$HX $1"
}

# The colour of a word: what the terminal was told last before it.
colour_of() { colours | sed -n "s/.*\(\x1b\[[0-9;:]*m\)$1.*/\1/p" | head -n 1; }

# The commands of the README, as they stand there.
installs() {
    (cd "$repository" && sed -n '/```sh/,/```/{s/^   //;/```/d;p;}' editors/helix/README.md | sh -e) || return
    sed -i "s|^command = \"mangle-ls\"|command = \"$MANGLE_LS\"|" "$config/languages.toml"
}

# Helix's own way to build it.
builds() {
    rm "$config/runtime/grammars/mangle.so"
    cp "$config/languages.toml" "$out/kept.toml"
    { echo 'use-grammars = { only = ["mangle"] }'; cat "$out/kept.toml"; } > "$config/languages.toml"
    "$HX" --grammar build > "$out/build.txt" 2>&1
    cp "$out/kept.toml" "$config/languages.toml"
    [ -e "$config/runtime/grammars/mangle.so" ] || { sed 's/^/# /' "$out/build.txt"; return 1; }
}

# Comments, predicates, operators and the variable without a name differ, as in Helix's own theme.
is_coloured() {
    [ "$(for word in Dangerous pending_action :- _; do colour_of "$word"; done | sort -u | wc -l)" = 4 ]
}

# Nothing is wrong with our parser, our queries or our server. Debian's package has no other parsers.
is_quiet() { ! grep -E '\[ERROR\].*mangle|panic' "$log"; }

check 'installs as the README says' installs
check 'hx --grammar build finds the grammar' builds
cd "$out/examples" || exit 1
start incident/constitution.mg
check 'findings are counted' sees '● 7'
check 'colours by tree-sitter' is_coloured
press ']' d
check 'a finding, beside its line' sees 'wildcard makes the engine ignore'
keep findings
enter '/danger_found'
press Space k
check 'hover' sees 'danger_found(ActionID, Pattern)'
keep hover
press Escape

press ':' && enter '108'
press Space s
terminal send-keys -l 'permission_d'
check 'symbols' sees '> function  permission_denied'
press Escape

enter '/not is_known'
press Space a
check 'fixes are offered' sees 'write `!`'
keep fixes
press Enter
press Enter
check 'a fix changes the text' sees '    !is_known(Action).'
press ':' && enter 'format'
press g e && press o
terminal send-keys -l 'p(X) :- is_fro'
check 'completion' sees 'is_frozen'
keep completion
press Escape
press Escape
press u
press ':' && enter 'write'
check 'what was fixed is on disk' holds incident/constitution.mg '    !is_known(Action).'

start guardian/constitution.mg
check 'a whole policy starts' sees 'Default deny'
sleep 2
enter '/is_frozen'
press Space r
terminal send-keys C-u
enter 'is_icy'
check 'rename' sees 'is_icy('
press ':' && enter 'write-all'
check 'rename, in the file that declares it' holds guardian/schemas.gl 'Decl is_icy(Action)'

start jailbreak/session.piggyback.jsonl
check 'findings in a transcript' sees '● '
keep transcript

sed -i "s|^command = .*|command = \"/nowhere/mangle-ls\"|" "$config/languages.toml"
check 'no error in its log until here' is_quiet
start incident/constitution.mg
sleep 2
check 'without a server the text is there' sees 'Default deny'
"$HX" --health mangle > "$out/health.txt" 2>&1
check 'hx --health mangle tells of it, too' holds "$out/health.txt" "'/nowhere/mangle-ls' not found in"
terminal kill-server
exit $failed
