#!/usr/bin/env bash
# Runs the daemon against clients that are not ours.
#   run.sh clients CUZK SOURCE WORK         installs the clients (npm)
#   run.sh setup CUZK SOURCE WORK           that, and makes the 2 KiB parameters, once for all files
#   run.sh FILE  CUZK SOURCE WORK SIMULATED runs one test file, or what bench/ has of this sort: status_latency.mjs; of the file's
#                                           tests those whose names match CUZK_TEST_NAMES, if that is set
#   run.sh clean CUZK SOURCE WORK           removes the parameters
set -euo pipefail
what="$1" cuzk="$2" source="$3" work="$4"
params="$work/params"

clients() {
  mkdir -p "$work"
  cp "$source"/tests/interop/{package.json,package-lock.json,.npmrc} "$work"
  (cd "$work" && npm ci --silent)
}

case "$what" in
  clients)
    clients
    ;;
  setup)
    clients
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
    exec node --test ${CUZK_TEST_NAMES:+"--test-name-pattern=$CUZK_TEST_NAMES"} "$work/$what"
    ;;
esac
