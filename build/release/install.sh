#!/bin/sh
# Installs kubectl-csi into a directory of yours. It needs no root, changes no file but its own two, and verifies the checksum.
#   sh install.sh [--version VERSION] [--directory DIR] [--checksum SHA256] [--downloads URL]
set -eu

repository='https://github.com/kubectl-csi/kubectl-csi'
# A release writes its version and the checksums of its archives here. Without them, both come from the release page.
version=''
checksums=''
directory=${KUBECTL_CSI_DIR:-$HOME/.local/bin}
checksum=''
downloads=''

usage() {
  cat <<'TEXT'
Installs kubectl-csi, so that `kubectl csi` works.

  --version VERSION  the release to install, such as 0.1.0
  --directory DIR    where to (default: $KUBECTL_CSI_DIR, else ~/.local/bin)
  --checksum SHA256  what the archive must have, instead of what the release says
  --downloads URL    a mirror: the directory that holds the archives and checksums.txt
TEXT
}

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --version) [ $# -gt 1 ] || fail "--version needs a value, such as 0.1.0."; [ "$2" = "$version" ] || checksums=''; version=${2#v}; shift 2 ;;
    --directory) [ $# -gt 1 ] || fail "--directory needs a value."; directory=$2; shift 2 ;;
    --checksum) [ $# -gt 1 ] || fail "--checksum needs a value."; checksum=$2; shift 2 ;;
    --downloads) [ $# -gt 1 ] || fail "--downloads needs a URL."; downloads=${2%/}; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; fail "unknown option $1." ;;
  esac
done

[ -n "$version" ] || fail "which version? Pass --version, such as --version 0.1.0. The releases are listed at $repository/releases."
[ -n "$downloads" ] || downloads=$repository/releases/download/v$version

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "there is no executable for $(uname -s). On Windows use Scoop or krew; with Node.js 22.19 or newer, npm works anywhere." ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no executable for $(uname -m). With Node.js 22.19 or newer, npm works anywhere." ;;
esac
# The executable is linked with glibc; on musl it would fail with "not found", which says nothing.
if [ "$os" = linux ] && ls /lib/ld-musl-* >/dev/null 2>&1; then
  fail "this system uses musl, and the executable needs glibc. Install Node.js and use npm instead."
fi

if command -v curl >/dev/null 2>&1; then
  fetch() { curl --fail --location --silent --show-error --output "$2" "$1"; }
elif command -v wget >/dev/null 2>&1; then
  fetch() { wget -q -O "$2" "$1"; }
else
  fail "curl or wget is needed."
fi
if command -v sha256sum >/dev/null 2>&1; then
  sum() { sha256sum "$1" | cut -d ' ' -f 1; }
elif command -v shasum >/dev/null 2>&1; then
  sum() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
else
  fail "sha256sum or shasum is needed to verify the download."
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

archive=kubectl-csi_${version}_${os}_${arch}.tar.gz
printf 'Downloading %s/%s\n' "$downloads" "$archive"
fetch "$downloads/$archive" "$work/$archive" || fail "could not download $archive. Nothing was installed."
if [ -z "$checksum$checksums" ]; then
  fetch "$downloads/checksums.txt" "$work/checksums.txt" || fail "could not download checksums.txt. Nothing was installed."
  checksums=$(cat "$work/checksums.txt")
fi
wanted=${checksum:-$(printf '%s\n' "$checksums" | awk -v name="$archive" '$2 == name { print $1 }')}
[ -n "$wanted" ] || fail "no checksum is known for $archive. Nothing was installed."
found=$(sum "$work/$archive")
[ "$found" = "$wanted" ] || fail "$archive has the checksum $found instead of $wanted. Nothing was installed."

mkdir "$work/files"
tar -xzf "$work/$archive" -C "$work/files"
mkdir -p "$directory"
for name in kubectl-csi kubectl_complete-csi; do
  # Renamed into place, so that a program that is running goes on, and a full disk leaves the old one.
  cp "$work/files/$name" "$directory/.$name.new" || { rm -f "$directory/.$name.new"; fail "could not write to $directory."; }
  chmod 755 "$directory/.$name.new"
  mv -f "$directory/.$name.new" "$directory/$name"
done
printf 'Installed kubectl-csi %s and its completion into %s\n' "$version" "$directory"
case :$PATH: in
  *:"$directory":*) printf 'Try it: kubectl csi demo --once\n' ;;
  *) printf 'Add the directory to your PATH, so that kubectl finds it:\n  export PATH="%s:$PATH"\n' "$directory" ;;
esac
