#!/usr/bin/env bash
# `cuzk timeline` as a user runs it: the figures, the files that it writes, and every kind of wrong input.
#   timeline_test.sh CUZK DATA     DATA: tests/data/timeline
set -euo pipefail
cuzk="$1"
data="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

# expect CODE TEXT COMMAND...: exit code, and TEXT somewhere in what the command wrote.
expect() {
  local code="$1" text="$2" got=0
  shift 2
  "$@" >out.txt 2>&1 || got=$?
  [[ $got == "$code" ]] || { cat out.txt >&2; echo "FAILED: exit code $got, not $code: $*" >&2; exit 1; }
  grep -qF -- "$text" out.txt || { cat out.txt >&2; echo "FAILED: output lacks '$text': $*" >&2; exit 1; }
}

expect 0 "64.29 %" "$cuzk" timeline "$data/ancestor.log"
expect 0 '"gaps_below_50_ms": 87, "gaps_50_to_500_ms": 14, "gaps_above_500_ms": 8' "$cuzk" timeline "$data/ancestor.log" --json
expect 0 "starved by: untraced" "$cuzk" timeline "$data/ancestor.log"
gzip -c "$data/interlock.log" >interlock.log.gz
expect 0 "lock     efficiency: 100.00 %" "$cuzk" timeline interlock.log.gz --svg chart.svg --trace trace.json
expect 0 "no stage starves the device" "$cuzk" timeline - <"$data/interlock.log"
grep -q '</svg>' chart.svg
grep -q '"traceEvents"' trace.json

expect 2 "file is required" "$cuzk" timeline
expect 3 "cannot open" "$cuzk" timeline none.log
expect 3 "none/x.svg" "$cuzk" timeline "$data/interlock.log" --svg none/x.svg
{ cat "$data/interlock.log"; echo "TIMELINE,1,GPU_STRAT,j,"; } >bad.log
expect 1 "'bad.log': line 211: event: no event is called 'GPU_STRAT'" "$cuzk" timeline bad.log
[[ ! -e x.svg ]]
expect 1 "standard input: line 1" "$cuzk" timeline - <<<"hello"
echo "ok"
