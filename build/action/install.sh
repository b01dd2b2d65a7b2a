#!/usr/bin/env bash
# Installs the release VERSION for the following steps of a job, and verifies it with CHECKSUM, or with the release's checksums.txt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
directory=${RUNNER_TEMP:?}/kubectl-csi
words=(--version "${VERSION:?}" --directory "$directory")
[ -z "${DOWNLOADS:-}" ] || words+=(--downloads "$DOWNLOADS")
[ -z "${CHECKSUM:-}" ] || words+=(--checksum "$CHECKSUM")
PATH="$directory:$PATH" sh "$here/../release/install.sh" "${words[@]}"
echo "$directory" >> "${GITHUB_PATH:?}"
