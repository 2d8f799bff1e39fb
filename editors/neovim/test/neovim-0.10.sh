#!/bin/sh
# Neovim 0.10 into DIR, without installing it and without root: Debian 13's packages, unpacked.
#   neovim-0.10.sh DIR   makes DIR/nvim
# They need a newer libc than older Debians have, so that one comes along, with its own loader.
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
apt install -y -d --no-install-recommends neovim
for package in "$dir"/cache/archives/*.deb; do dpkg -x "$package" "$root"; done
rm -r "$dir/cache" "$dir/lists"
cat > "$dir/nvim" <<EOF
#!/bin/sh
export VIMRUNTIME='$root/usr/share/nvim/runtime'
export LUA_PATH='$root/usr/share/lua/5.1/?.lua;$root/usr/share/lua/5.1/?/init.lua;;' LUA_CPATH='$lib/lua/5.1/?.so;;'
exec $(echo "$lib"/ld-linux*.so.*) --argv0 nvim --library-path '$lib' '$root/usr/bin/nvim' --cmd 'set rtp^=$root/usr/lib/nvim' "\$@"
EOF
chmod +x "$dir/nvim"
