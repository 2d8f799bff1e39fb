#!/bin/sh
# Editors of Debian 13 into DIR, without installing them and without root: its packages, unpacked.
#   debian-13.sh DIR   makes DIR/nvim (0.10), DIR/emacs (30), DIR/hx (Helix 25) and DIR/tmux
# They need a newer libc than older Debians have, so that one comes along, with its own loader. What they start uses the machine's.
set -e
dir=$1
root=$dir/root
lib=$root/usr/lib/$(uname -m)-linux-gnu
mkdir -p "$root" "$dir/lists/partial" "$dir/cache/archives/partial"
: > "$dir/status" # nothing counts as installed, so every package is fetched
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > "$dir/sources.list"
apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$dir/lists" \
        -o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User= "$@"
}
apt update
apt install -y -d --no-install-recommends neovim emacs-nox hx tmux
for package in "$dir"/cache/archives/*.deb; do dpkg -x "$package" "$root"; done
rm -r "$dir/cache" "$dir/lists"

# program NAME FILE ARGUMENT…: reads lines of the environment, writes a script that starts FILE with these arguments before its own.
program() {
    name=$1 file=$2
    shift 2
    {
        echo '#!/bin/sh'
        sed 's/^/export /'
        printf 'exec %s --argv0 %s --library-path %s %s' "$(echo "$lib"/ld-linux*.so.*)" "$file" "$lib" "$file"
        printf " '%s'" "$@"
        echo ' "$@"'
    } > "$dir/$name"
    chmod +x "$dir/$name"
}
program nvim "$root/usr/bin/nvim" --cmd "set rtp^=$root/usr/lib/nvim" <<END
VIMRUNTIME='$root/usr/share/nvim/runtime'
LUA_PATH='$root/usr/share/lua/5.1/?.lua;$root/usr/share/lua/5.1/?/init.lua;;'
LUA_CPATH='$lib/lua/5.1/?.so;;'
END
share=$(echo "$root"/usr/share/emacs/*.*) libexec=$(echo "$root"/usr/libexec/emacs/*/*)
program emacs "$root/usr/bin/emacs-nox" --dump-file="$(echo "$libexec"/emacs-*.pdmp)" <<END
EMACSLOADPATH='$(find "$share/lisp" -type d | tr '\n' ':')'
EMACSDATA='$share/etc'
EMACSDOC='$share/etc'
EMACSPATH='$libexec'
END
program hx "$root/usr/lib/hx/hx" -v <<END
HELIX_RUNTIME='$root/usr/lib/hx/runtime'
END
program tmux "$root/usr/bin/tmux" -u <<END
LANG=C.UTF-8
END
