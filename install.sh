#!/bin/sh
# Installs the program mangle-ls of a release: sh install.sh [VERSION]
#
# Environment:
#   MANGLE_LS_INSTALL_DIR   folder of the program. Default: ~/.local/bin
#   MANGLE_LS_DOWNLOAD_URL  folder with the archives and SHA256SUMS, https:// or file://. Default: the release on GitHub
set -eu

# The address of the releases. The copy of this script in a release has it in place of the braces.
repository='{{repository}}'

main() {
  case "${1:-}" in
    -h | --help)
      echo "usage: install.sh [VERSION]"
      echo "Installs mangle-ls to \${MANGLE_LS_INSTALL_DIR:-~/.local/bin}. Default version: the newest release."
      return 0
      ;;
    -*) fail "unknown option $1; usage: install.sh [VERSION]" ;;
  esac
  version="${1:-}"
  version="${version#v}"
  platform="$(find_platform)"
  folder="${MANGLE_LS_INSTALL_DIR:-${HOME:?HOME is not set; set MANGLE_LS_INSTALL_DIR}/.local/bin}"

  temporary="$(mktemp -d)" || fail "cannot create a temporary folder"
  trap 'rm -rf "$temporary"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM

  from="$(download_folder "$version")"
  download "$from/SHA256SUMS" "$temporary/SHA256SUMS" ||
    fail "cannot download $from/SHA256SUMS${version:+ (does version $version exist?)}"
  archive="$(sed -n "s/^[0-9a-f]\{64\} [ *]\(mangle-ls-[0-9][^ /]*-$platform\.tar\.gz\)\$/\1/p" "$temporary/SHA256SUMS" | head -n 1)"
  [ -n "$archive" ] || fail "the release at $from has no archive for $platform"
  name="${archive%.tar.gz}"
  found="${name#mangle-ls-}"
  found="${found%"-$platform"}"
  if [ -n "$version" ] && [ "$version" != "$found" ]; then
    fail "the release at $from is version $found, not $version"
  fi

  # A newer release may be published between the two downloads.
  from="$(download_folder "$found")"
  echo "downloading $from/$archive" >&2
  download "$from/$archive" "$temporary/$archive" || fail "cannot download $from/$archive"
  verify "$archive"
  tar -xzf "$temporary/$archive" -C "$temporary" "$name/mangle-ls" || fail "cannot unpack $archive"
  "$temporary/$name/mangle-ls" --version >/dev/null || fail "the program for $platform does not run on this machine"

  mkdir -p "$folder" || fail "cannot create $folder; set MANGLE_LS_INSTALL_DIR to a folder that you can write to"
  # In two steps, because a program that runs cannot be overwritten.
  if ! {
    cp "$temporary/$name/mangle-ls" "$folder/.mangle-ls.new" &&
      chmod 755 "$folder/.mangle-ls.new" &&
      mv -f "$folder/.mangle-ls.new" "$folder/mangle-ls"
  }; then
    fail "cannot write to $folder; set MANGLE_LS_INSTALL_DIR to a folder that you can write to"
  fi
  echo "installed mangle-ls $found as $folder/mangle-ls" >&2
  case ":${PATH:-}:" in
    *":$folder:"*) ;;
    *) echo "note: $folder is not on PATH; add it in the configuration of your shell" >&2 ;;
  esac
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

# The platform of this machine, as in the names of the archives.
find_platform() {
  system="$(uname -s)"
  machine="$(uname -m)"
  case "$system" in
    Linux)
      # The program for musl is static, so it also runs where glibc is missing.
      if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then system=unknown-linux-gnu; else system=unknown-linux-musl; fi
      ;;
    Darwin)
      # A shell under Rosetta reports x86_64.
      if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then machine=arm64; fi
      system=apple-darwin
      ;;
    MINGW* | MSYS* | CYGWIN*) fail "on Windows, install with scoop, npm or pip, or unpack the .zip of a release" ;;
    *) fail "no release has a program for $system; install with cargo" ;;
  esac
  case "$machine" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "no release has a program for the processor $machine; install with cargo" ;;
  esac
  echo "$machine-$system"
}

# The folder with the files of a version; of the newest release if the version is empty.
download_folder() {
  if [ -n "${MANGLE_LS_DOWNLOAD_URL:-}" ]; then
    echo "${MANGLE_LS_DOWNLOAD_URL%/}"
  elif [ "$repository" = "{""{repository}""}" ]; then
    fail "this copy has no address of a release; use the install.sh of a release, or set MANGLE_LS_DOWNLOAD_URL"
  elif [ -n "$1" ]; then
    echo "$repository/releases/download/v$1"
  else
    echo "$repository/releases/latest/download"
  fi
}

download() {
  case "$1" in
    file://*)
      cp "${1#file://}" "$2" 2>/dev/null
      return
      ;;
  esac
  if command -v curl >/dev/null 2>&1; then
    curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --retry 3 --output "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1"
  else
    fail "curl or wget is required"
  fi
}

# Compares the SHA-256 of a downloaded file with the line in SHA256SUMS.
verify() {
  expected="$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$1\$/\1/p" "$temporary/SHA256SUMS")"
  if command -v sha256sum >/dev/null 2>&1; then
    actual="$(sha256sum "$temporary/$1")"
  elif command -v shasum >/dev/null 2>&1; then
    actual="$(shasum -a 256 "$temporary/$1")"
  elif command -v openssl >/dev/null 2>&1; then
    actual="$(openssl dgst -sha256 -r "$temporary/$1")"
  else
    fail "sha256sum, shasum or openssl is required to verify the download"
  fi
  actual="${actual%% *}"
  if [ -z "$expected" ] || [ "$actual" != "$expected" ]; then
    fail "$1 has the SHA-256 $actual instead of $expected; nothing was installed"
  fi
}

main "$@"
