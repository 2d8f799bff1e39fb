#!/bin/sh
# What a person sees: Neovim in a terminal, with nothing but our plugin, as its README installs it.
#   NVIM=… TMUX_PROGRAM=… MANGLE_LS=… screen.sh REPOSITORY OUT
# OUT/examples is a copy of the examples that may be changed; what the terminal showed is left in OUT/*.txt.
# Prints `ok - …` or `not ok - …` for each check.
repository=$1 out=$2
HOME=$out/home XDG_CONFIG_HOME=$out/home XDG_DATA_HOME=$out/home XDG_STATE_HOME=$out/home XDG_CACHE_HOME=$out/home
export HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME
export TERM=xterm-256color LANG=C.UTF-8
failed=0
socket=none

terminal() { "$TMUX_PROGRAM" -f /dev/null -S "$socket" "$@"; }
screen() { terminal capture-pane -p 2>/dev/null; }
keep() { screen > "$out/$1.txt"; terminal capture-pane -p -e > "$out/$1.ansi"; }
# A server of its own for each start: the last one may still be ending. The path of a socket has to be short.
start() {
    [ "$socket" = none ] || terminal kill-server
    socket=$(mktemp -u)
    terminal new-session -d -x 150 -y 40 "$NVIM $1"
}
enter() { terminal send-keys -l "$1"; sleep 0.3; terminal send-keys Enter; sleep 0.3; }

# sees NAME TEXT: a check that waits until the text is on the screen, 20 seconds at most.
sees() {
    for _ in $(seq 80); do
        if screen | grep -qF -- "$2"; then echo "ok - $1"; return; fi
        sleep 0.25
    done
    echo "not ok - $1: waited in vain for: $2"
    screen | sed 's/^/# /'
    failed=1
}

mkdir -p "$out/home/nvim"
# The Lua of the README, as it stands there.
sed -n '/```lua/,/```/{s/^   //;/```/d;p;}' "$repository/editors/neovim/README.md" | sed -e "s|/path/to/mangle-ls|$repository|" \
    -e "s|setup()|setup({ cmd = { '$MANGLE_LS', 'lsp' } })|" > "$out/home/nvim/init.lua"
echo "vim.diagnostic.config({ virtual_text = true }) vim.opt.swapfile = false" >> "$out/home/nvim/init.lua"
"$NVIM" --headless '+Mangle parser' +quitall 2> "$out/parser.txt"
cd "$out/examples" || exit 1

start incident/constitution.mg
sees 'a file, as the README says' 'Default deny'
enter ':44'
sees 'findings beside their lines' 'makes the engine ignore'
keep findings
enter '/danger_found'
terminal send-keys K
sees 'hover' 'a blocked pattern in the target or the payload'
keep hover
terminal send-keys Escape
enter ':checkhealth mangle'
sees 'health' 'version 0'
keep health

start prompts/fix-auth.kernel.mg
sees 'a kernel' 'Tokens expire after 15 minutes'
enter ':Mangle preview fix-auth'
sees 'its prompt beside it' 'mangle-preview:/fix-auth'
enter '/15 minutes'
terminal send-keys -l 'cw20'
sees 'the prompt, while one is still typing' '20 minutes here.'
sleep 1
keep preview
[ "$(screen | grep -c 'after 20 minutes here')" = 2 ] || { echo 'not ok - the prompt shows what is typed'; screen | sed 's/^/# /'; failed=1; }
terminal kill-server
exit $failed
