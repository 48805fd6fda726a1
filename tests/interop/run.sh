#!/usr/bin/env bash
# Runs the daemon against clients that are not ours.
#   run.sh setup CUZK SOURCE WORK           installs the clients (npm) and makes the 2 KiB parameters, once for all files
#   run.sh FILE  CUZK SOURCE WORK SIMULATED runs one test file, or what bench/ has of this sort: status_latency.mjs
#   run.sh clean CUZK SOURCE WORK           removes the parameters
set -euo pipefail
what="$1" cuzk="$2" source="$3" work="$4"
params="$work/params"

case "$what" in
  setup)
    mkdir -p "$work"
    cp "$source"/tests/interop/{package.json,package-lock.json,.npmrc} "$work"
    (cd "$work" && npm ci --silent)
    "$cuzk" setup --circuit porep-2k --toxic "$source/tests/data/groth16/params/porep-2k.json" --out "$params" \
      --overwrite --no-progress
    ;;
  clean)
    rm -rf "$params"
    ;;
  *)
    # Modules are looked for beside the file that imports them.
    cp "$source"/tests/interop/*.mjs "$source"/bench/*.mjs "$work"
    export CUZK="$cuzk" CUZK_SOURCE="$source" CUZK_PARAMS="$params" CUZK_SIMULATED="$5"
    exec node --test "$work/$what"
    ;;
esac
