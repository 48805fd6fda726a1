#!/usr/bin/env bash
# One test file of this folder under Node's own runner.
#   run.sh BUILD_FOLDER CUZK TEST.mjs PARAMETERS       the folder of the 2 KiB parameters, for daemon_test.mjs
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
build="$1" test="$3"
export CUZK="$2" CUZK_PARAMS="$4"
for tool in node npm chromium; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: scripts/deps test installs it" >&2; exit 1; }
done
mkdir -p "$build"
# Several tests may start at a time; the lock lets one install.
(
  flock 9
  if ! cmp -s "$here/package-lock.json" "$build/package-lock.json" || [[ ! -d "$build/node_modules" ]]; then
    cp "$here/package.json" "$here/package-lock.json" "$build/"
    (cd "$build" && npm ci --ignore-scripts --no-audit --no-fund --silent) || { rm -f "$build/package-lock.json"; exit 1; }
  fi
) 9>"$build/lock"
export CUZK_NODE_MODULES="$build/node_modules"
exec node --test "$here/$test"
