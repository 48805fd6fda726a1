#!/usr/bin/env bash
# `cuzk timeline` as a user runs it: the figures, the files that it writes, and every kind of wrong input.
#   timeline_test.sh CUZK DATA     DATA: tests/data/timeline
set -euo pipefail
cuzk="$1"
data="$2"
. "$(dirname "$0")/expect.sh"

expect 0 "64.29 %" "$cuzk" timeline "$data/ancestor.log"
expect 0 '"gaps_below_50_ms": 87, "gaps_50_to_500_ms": 14, "gaps_above_500_ms": 8' "$cuzk" timeline "$data/ancestor.log" --json
expect 0 "starved by: untraced" "$cuzk" timeline "$data/ancestor.log"
gzip -c "$data/interlock.log" >interlock.log.gz
expect 0 "lock     efficiency: 100.00 %" "$cuzk" timeline interlock.log.gz --svg chart.svg --trace trace.json
expect 0 "no stage starves the device" "$cuzk" timeline - <"$data/interlock.log"
grep -q '</svg>' chart.svg
grep -q '"traceEvents"' trace.json

# A file is not its own chart, whatever it is called there.
ln interlock.log.gz hard.gz
ln -s interlock.log.gz soft.gz
before="$(sha256sum <interlock.log.gz)"
for output in interlock.log.gz ./interlock.log.gz hard.gz soft.gz; do
  expect 2 "--svg: '$output' is also 'interlock.log.gz', which it would replace" "$cuzk" timeline interlock.log.gz --svg $output
  expect 2 "--trace: '$output' is also" "$cuzk" timeline interlock.log.gz --trace $output
done
cp "$data/interlock.log" plain.log
expect 2 "is also standard input" "$cuzk" timeline - --svg plain.log <plain.log
cmp -s plain.log "$data/interlock.log"
expect 2 "--trace: 'both' is also 'both'" "$cuzk" timeline interlock.log.gz --svg both --trace both
[[ "$(sha256sum <interlock.log.gz)" == "$before" && ! -e both ]]

expect 2 "file is required" "$cuzk" timeline
expect 3 "cannot open" "$cuzk" timeline none.log
expect 3 "none/x.svg" "$cuzk" timeline "$data/interlock.log" --svg none/x.svg
{ cat "$data/interlock.log"; echo "TIMELINE,1,GPU_STRAT,j,"; } >bad.log
expect 1 "'bad.log': line 211: event: no event is called 'GPU_STRAT'" "$cuzk" timeline bad.log
[[ ! -e x.svg ]]
expect 1 "standard input: line 1" "$cuzk" timeline - <<<"hello"
echo "ok"
