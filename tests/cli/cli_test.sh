#!/usr/bin/env bash
# The command as a user runs it: the main job with known secrets and fixed r, s against the reference's bytes, then
# every kind of wrong input with its exit code and a message that names the place.
#   cli_test.sh CUZK DATA     DATA: tests/data
set -euo pipefail
cuzk="$1"
data="$2"
. "$(dirname "$0")/expect.sh"

same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; pass; }

c1="$data/porep/2k-v1_1.c1.json.gz"
zcat "$c1" >c1.json

# ---- usage ----------------------------------------------------------------------------------------------------------
expect 0 "Exit codes" "$cuzk" --help
expect 0 "--fixed-rs" "$cuzk" prove --help
expect 2 "required" "$cuzk" prove
expect 2 "there is no command 'frobnicate'" "$cuzk" frobnicate
expect 2 "there is no command 'frobnicate'" "$cuzk" frobnicate --out F
expect 2 "there is no command 'bench frobnicate'" "$cuzk" bench frobnicate
expect 2 "there is no option '--frob'" "$cuzk" --frob
expect 2 "there is no option 'bench --frob'" "$cuzk" bench --frob
expect 2 "A subcommand is required" "$cuzk"
expect 2 "--device: Value -1" "$cuzk" setup --circuit porep-2k --out . --device=-1
expect 0 "Transforms and sums of a CUDA device" "$cuzk" bench kernels --help
if grep -q "built without CUDA" out.txt; then
  expect 2 "bench kernels: this program was built without CUDA" "$cuzk" bench kernels --g1 20
  expect 2 "--device 0: this program was built without CUDA" "$cuzk" setup --circuit porep-2k --out . --device 0
fi
expect 2 "no circuit 'porep-3k'" "$cuzk" setup --circuit porep-3k --out .
expect 2 "--sector-num go together" "$cuzk" prove --c1 "$c1" --params . --out p --miner 1234
expect 2 "no kind of proof 'foo'; known: porep" "$cuzk" bench stress --load foo:1:F
expect 2 "up to 100" "$cuzk" bench stress --load porep-c2:101:F
expect 2 "--count: '0' is not a whole number from 1 to 1000000" "$cuzk" bench batch -t porep --c1 "$c1" -c 0
expect 2 "--concurrency: '-1' is not" "$cuzk" bench batch -t porep --c1 "$c1" --concurrency=-1
expect 2 "--workers-per-device: '0' is not a whole number from 1 to 64" "$cuzk" bench sweep -t porep --c1 "$c1" --workers-per-device 1,0
expect 2 "--partition-workers: '' is not a whole number from 0 to 1024" "$cuzk" bench sweep -t porep --c1 "$c1" --partition-workers 1,,2
for address in localhost:65536 localhost:0 localhost: :50051 foo /run/curio/cuzk.sock unix: unix://; do
  expect 2 "--addr: '$address' is neither unix:///path nor host:port" "$cuzk" status -a $address
  expect 2 "'$address' is neither unix:///path nor host:port" env CUZK_ADDR=$address "$cuzk" status
done
expect 2 "--token-file: '/nope' cannot be read" "$cuzk" status --token-file /nope
expect 2 "--tls-ca: cannot open '/nope'" "$cuzk" status -a localhost:1 --tls-ca /nope
expect 2 "--tls-ca: '$c1': " "$cuzk" status -a localhost:1 --tls-ca "$c1"
expect 3 "unix:///no/such.sock" env CUZK_ADDR=unix:///no/such.sock "$cuzk" status
for option in "--devices 0" "--vram-limit 8GiB" "--points-per-base 3" "--threads 2" "--params ."; do
  # shellcheck disable=SC2086  # an option and its value
  expect 2 "${option% *} requires --local" "$cuzk" bench single $option -t porep --c1 "$c1"
done
expect 2 "--vram-limit: must be more than nothing" "$cuzk" bench single --local --params . --vram-limit 0B -t porep --c1 "$c1" --registered-proof 5 --sector-num 42 --miner-id 1234
expect 2 "needs --params" "$cuzk" bench sweep --local -t porep --c1 "$c1"
expect 2 "--seconds: 'nan' is not a number of seconds above 0, up to 604800" "$cuzk" bench stress --load porep:1:F --seconds nan
# 0 is a registered type, a sector number and a miner: what is not given is not 0.
expect 2 "cuzk: --registered-proof is missing" "$cuzk" submit -t porep --c1 "$c1" --sector-num 42 --miner-id 1234
expect 2 "cuzk: --sector-num is missing" "$cuzk" submit -t porep --c1 "$c1" --registered-proof 0 --miner-id 1234
expect 2 "cuzk: --miner-id is missing" "$cuzk" submit -t porep --c1 "$c1" --registered-proof 0 --sector-num 0
expect 2 "cuzk: --registered-proof is missing" "$cuzk" submit -t wpost --vanilla "$c1"
expect 2 "cuzk: --load 'porep:1:$c1': --registered-proof is missing" "$cuzk" bench stress --load "porep:1:$c1"
expect 1 "INVALID_INPUT: vanilla_proof" "$cuzk" bench single --local --params . -t porep --c1 "$data/proofs/2k-v1_1.proof" --registered-proof 5 --sector-num 42 --miner-id 1234
expect 2 "one file" "$cuzk" inspect
expect 2 "give one of --c1" "$cuzk" prove --params . --out p
expect 2 "give one of --c1" "$cuzk" prove --params . --out p --c1 "$c1" --request r.json --kind window-post
expect 2 "--request needs --kind" "$cuzk" verify --params . --proof p --request r.json
expect 2 "no kind of proof 'post'; known: porep or porep-c2" "$cuzk" verify --params . --proof p --request r.json --kind post
expect 3 "cannot open 'r.json'" "$cuzk" verify --params . --proof p --request r.json --kind wpost
expect 2 "read from --c1" "$cuzk" verify --params . --proof p --request r.json --kind porep

expect 0 "CUZK_ISA" "$cuzk" prove --help
expect 2 'CUZK_ISA: no instruction set "avx3"' env CUZK_ISA=avx3 "$cuzk" inspect "$data/proofs/2k-v1_1.proof"
expect 0 "Groth16 proof" env CUZK_ISA=portable "$cuzk" inspect "$data/proofs/2k-v1_1.proof"
expect 2 "'-1' is not a" "$cuzk" verify --c1 "$c1" --params . --proof p --miner -1 --sector 1
expect 2 "'99999999999999999999' is not a" "$cuzk" verify --c1 "$c1" --params . --proof p --miner 99999999999999999999 --sector 1

# ---- fabricated sectors ---------------------------------------------------------------------------------------------
expect 0 "StackedDrg2KiBV1_1" "$cuzk" synth-sector --registered-proof 5 --out synth.json
[[ "$(sha256sum <synth.json)" == ccc5a1dff27e0e1f09e6b9856302f4f236af9316905f887c99e7a0836f22f361* ]] || fail "text of the fabricated sector"
pass
expect 0 "written to" "$cuzk" synth-sector --registered-proof 5 --wrapper --out wrapper.json
[[ "$(sha256sum <wrapper.json)" == b2b4456f0811bce3945e64cff32063e990ad3fb5e8707ecbd59a3ae2266e9aec* ]] || fail "text of the wrapper"
pass
expect 0 "s4k.json" "$cuzk" synth-sector --sector-size 4096 --porep-number 99 --out s4k
[[ "$(sha256sum <s4k.c1.bincode)" == e28af056fba325afa0f4fa8633cdf6e403830cd4679fb9d024b704b14b5abdb2* ]] || fail "bincode of the fabricated sector"
pass
expect 2 "no sector has 4097 bytes" "$cuzk" synth-sector --sector-size 4097 --porep-number 99 --out x
expect 2 "is a registered type" "$cuzk" synth-sector --sector-size 4096 --porep-number 5 --out x

# ---- inspect --------------------------------------------------------------------------------------------------------
expect 0 "StackedDrg2KiBV1_1" "$cuzk" inspect c1.json
expect 0 '"vanilla_verifies": true' "$cuzk" inspect s4k.c1.bincode --json
expect 0 "e499b56cd540ace36674a535525b08de2378e8aafec302d22233d022717b3807" "$cuzk" inspect --c1 synth.json --digests --json
expect 0 "01c6c899e00bbb39386393c1bb937d4cac2ae8076978a6b416a97807316f02cd" "$cuzk" inspect --c1 wrapper.json --digests --json
expect 0 "NonInteractive" "$cuzk" inspect "$data/porep/2k-v1_2-noninteractive.c1.json.gz"
expect 0 "Groth16 proof" "$cuzk" inspect "$data/proofs/2k-v1_1.proof"
head -c 192 /dev/zero >zeros
head -c 100000 /dev/urandom | tr '\0-\200' '\377' >noise
: >empty
truncate -s 100G huge
for unknown in zeros noise empty; do
  expect 1 "is not recognised as a C1 output, request, .params, .vk or proof" "$cuzk" inspect $unknown
done

# A file that is nothing is not read beyond its head: this memory does not hold it.
limited() { (ulimit -v "$1"; shift; exec "$@"); }
expect 1 "is not recognised" limited 600000 "$cuzk" inspect huge --threads 1
printf '{' | dd of=huge conv=notrunc status=none
expect 1 "'huge' has 107374182400 bytes" limited 600000 "$cuzk" inspect huge --threads 1
expect 1 "'huge' has 107374182400 bytes" "$cuzk" prove --c1 huge --params . --out p
expect 1 "'huge' has 107374182400 bytes" "$cuzk" verify --kind window-post --request huge --params . --proof p
rm huge

# ---- the main job ---------------------------------------------------------------------------------------------------
# Setup does not replace parameters unasked: the network's have the same names.
name="$("$cuzk" inspect c1.json --json --no-progress | sed -n 's/.*"params": "\(.*\)\.params".*/\1/p')"
for old in params vk; do
  rm -rf params
  mkdir params
  echo old >"params/$name.$old"
  expect 2 "$name.$old' exists; --overwrite" "$cuzk" setup --circuit porep-2k --out params
  [[ "$(cat params/*)" == old ]] || fail "a refused setup changed the folder"
  pass
done
# A run that a signal ends leaves nothing, where the file system can keep a file without a name.
"$cuzk" setup --circuit porep-2k --out killed --no-progress 2>killed.txt &
setup=$!
until grep -q INSECURE killed.txt; do sleep 0.05; done
sleep 1
kill -TERM $setup
if wait $setup; then fail "the signal came too late"; fi
if stat -f -c %T . | grep -qE 'ext|xfs|btrfs|tmpfs'; then
  [[ -z "$(ls killed)" ]] || fail "a setup that was ended left files: $(ls killed)"
  pass
fi
expect 0 "INSECURE" "$cuzk" setup --circuit porep-2k --out params --toxic "$data/groth16/params/porep-2k.json" --overwrite --json
grep -q 655a9778a4e812d4349420c7d7af97ce389b2eaac286e66f083344088a52a8db out.txt || fail "digest of the parameters"
pass
cmp -s params/*.vk "$data/groth16/params/porep-2k.vk" || fail "verifying key differs"
pass
expect 0 "verified" "$cuzk" prove --c1 "$c1" --params params --out fixed.proof --fixed-rs "$data/proofs/2k-v1_1.json"
same fixed.proof "$data/proofs/2k-v1_1.proof"
[[ "$(ls params | wc -l)" == 2 ]] || fail "setup left more than two files"
pass
expect 0 "verified" "$cuzk" prove --c1 wrapper.json --params params --out fresh.proof --miner 1000 --sector 7 --json
expect 0 "recomputed" "$cuzk" verify --c1 synth.json --params params --proof fresh.proof --miner-id 1000 --sector-num 7
expect 0 "verified" "$cuzk" verify --c1 "$c1" --params params --proof fixed.proof
expect 0 "verifying key" "$cuzk" inspect params/*.vk
expect 0 "655a9778a4e812d4349420c7d7af97ce389b2eaac286e66f083344088a52a8db" "$cuzk" inspect params/*.params
expect 0 '"circuit": "porep-2k"' "$cuzk" inspect params/*.vk --circuit porep-2k --json
expect 1 "len_ic is 40, but circuit wpost-2k has 23" "$cuzk" inspect params/*.params --circuit window-2k

# ---- proofs that must not pass --------------------------------------------------------------------------------------
expect 1 "192" "$cuzk" verify --c1 "$c1" --params params --proof c1.json
head -c 191 fixed.proof >short.proof
expect 1 "191" "$cuzk" verify --c1 "$c1" --params params --proof short.proof
expect 1 "" "$cuzk" verify --c1 "$c1" --params params --proof fresh.proof
expect 1 "" "$cuzk" verify --c1 synth.json --params params --proof fixed.proof
cp fixed.proof flipped.proof
printf '\x00' | dd of=flipped.proof bs=1 seek=47 conv=notrunc status=none
cmp -s fixed.proof flipped.proof && fail "the byte was zero already"
expect 1 "" "$cuzk" verify --c1 "$c1" --params params --proof flipped.proof

# ---- inputs that must not reach the prover --------------------------------------------------------------------------
prove() { "$cuzk" prove --params params --out bad.proof --c1 "$1"; }
head -c 5000 c1.json >truncated.json
expect 1 "" prove truncated.json
{ printf '{"a":'; head -c 100000 /dev/zero | tr '\0' '['; } >deep.json
expect 1 "" prove deep.json
sed 's/"comm_r":\[[0-9,]*\]/"comm_r":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]/' c1.json >zero.json
expect 1 "comm_r" prove zero.json
sed 's/StackedDrg2KiBV1_1"/StackedDrg8MiBV1_1"/' c1.json >size.json
expect 1 "StackedDrg" prove size.json
sed 's/"Phase1Out":"..../"Phase1Out":"@@@@/' wrapper.json >base64.json
expect 1 "Phase1Out" prove base64.json
# A sibling of the first tree D path, changed but canonical: the vanilla check must name the place.
sed 's/\("hashes":\[\[\)[0-9]*,[0-9]*,/\17,7,/' c1.json >path.json
cmp -s c1.json path.json && fail "the text was not changed"
expect 1 "partition 0" prove path.json
expect 1 "'path.json': vanilla_proofs.StackedDrg2KiBV1[0][0].comm_d_proofs" prove path.json
expect 1 '"vanilla_verifies": false' "$cuzk" inspect path.json --json
printf '[1]' >list.json
expect 1 "no phase-1 output" prove list.json
cp fixed.proof proof.json
expect 1 "no phase-1 output" prove proof.json
expect 1 "2k-v1_2-noninteractive.c1.json.gz': StackedDrg2KiBV1_2_Feat_NonInteractivePoRep needs aggregation" prove "$data/porep/2k-v1_2-noninteractive.c1.json.gz"
expect 1 "needs aggregation" "$cuzk" verify --c1 "$data/porep/2k-v1_2-noninteractive.c1.json.gz" --params params --proof fixed.proof
# A key of another circuit is not the proof's fault.
mkdir other
cp "$data/groth16/params/window-2k.vk" "other/$(basename params/*.vk)"
expect 3 ".vk': ic has 23 points, but circuit porep-2k has 39 public inputs" "$cuzk" verify --c1 "$c1" --params other --proof fixed.proof
expect 1 "replica_id" "$cuzk" prove --params params --out bad.proof --c1 "$c1" --miner 1 --sector 1
[[ ! -e bad.proof ]] || fail "a bad input left a proof file"
pass

# What is read is not replaced.
for read in c1.json params/*.params params/*.vk; do
  before="$(stat -c '%i %s' "$read")"
  expect 2 "--out: '$read' is also '$read', which it would replace" "$cuzk" prove --c1 c1.json --params params --out "$read"
  [[ "$(stat -c '%i %s' "$read")" == "$before" ]] || fail "$read was replaced"
  pass
done
cp "$data/proofs/2k-v1_1.json" rs.json
expect 2 "--out: 'rs.json' is also" "$cuzk" prove --c1 c1.json --params params --out rs.json --fixed-rs rs.json
job=(-t porep --c1 c1.json --registered-proof 5 --sector-num 42 --miner-id 1234)
expect 2 "--out: 'c1.json' is also" "$cuzk" submit "${job[@]}" --wait --out c1.json
expect 2 "--svg: './c1.json' is also" "$cuzk" bench single --local --params params "${job[@]}" --svg ./c1.json
expect 2 "--svg: 'report' is also 'report'" "$cuzk" bench single --local --params params "${job[@]}" --out report --svg report
for read in params/*; do
  expect 2 "--out: '$read' is also '$read'" "$cuzk" bench single --local --params params "${job[@]}" --out "$read"
done

# ---- environments that fail -----------------------------------------------------------------------------------------
expect 3 "/no/such" prove /no/such/file
expect 3 "cuzk setup" "$cuzk" prove --c1 "$c1" --params /no/such --out bad.proof
expect 3 "/no/such/out" "$cuzk" verify --c1 "$c1" --params params --proof /no/such/out
# The output is opened first: no vanilla proof is verified, no parameters are read for one that cannot be.
expect 3 "/no/such/folder/out" "$cuzk" prove --c1 "$c1" --params /no/such --out /no/such/folder/out
mkdir folder
expect 3 "not a regular file" "$cuzk" prove --c1 "$c1" --params params --out folder
expect 3 "names no file" "$cuzk" prove --c1 "$c1" --params params --out ""
expect 3 "names no file" "$cuzk" prove --c1 "$c1" --params params --out none/
expect 3 "" "$cuzk" setup --circuit porep-2k --out /proc/no
# An address space that holds the program but not the proof: an exit code, not a signal.
expect 3 "out of memory" limited 600000 "$cuzk" prove --c1 "$c1" --params params --out bad.proof --threads 2
[[ ! -e bad.proof ]] || fail "a failed run left a proof file"
pass
mkdir broken
head -c 1000000 params/*.params >"broken/$(basename params/*.params)"
expect 3 "" "$cuzk" prove --c1 "$c1" --params broken --out bad.proof
expect 1 "" "$cuzk" inspect "broken/$(basename params/*.params)"

# ---- the other kinds ------------------------------------------------------------------------------------------------
post="$data/post"
expect 0 "22bdc594fbbf6d948db9f46f3fc327e14be9c0cfab5266b3aaaacbaaf0e9116e" "$cuzk" setup --circuit winning-2k --out params --toxic "$data/groth16/params/winning-2k.json" --json
expect 0 "wpost-2k" "$cuzk" setup --circuit window-2k --out params --toxic "$data/groth16/params/window-2k.json" --json
other() { local command="$1" kind="$2" request="$3"; shift 3; "$cuzk" "$command" --kind "$kind" --request "$request" --params params "$@"; }
winning="$post/winning-2k.json"
window="$post/window-2k-three-two-partitions.json"
expect 0 "verified" other prove winning-post "$winning" --out winning.proof --fixed-rs "$data/proofs/winning-2k.json"
same winning.proof "$data/proofs/winning-2k.proof"
expect 0 "verified" other verify winning-post "$winning" --proof winning.proof
expect 0 "3 sectors in 2 partitions of 2" other prove window-post "$window" --out window.proof --fixed-rs "$data/proofs/window-2k-three-two-partitions.json"
same window.proof "$data/proofs/window-2k-three-two-partitions.proof"
expect 0 "verified" other verify window-post "$window" --proof window.proof
expect 1 "" other verify window-post "$post/window-2k-three-old-api.json" --proof window.proof
expect 1 "2 x 192 bytes" other verify window-post "$window" --proof winning.proof
expect 1 "a request for winning-post" other prove window-post "$winning" --out bad.proof
expect 3 "cuzk setup --circuit snap-2k" other prove snap-update "$data/update/update-2k.json" --out bad.proof

# Digests of every kind, recognised by content.
digests() {
  local file="$1" k="$2"
  "$cuzk" inspect "$file" --digests --json --no-progress >digests.json
  for member in r1cs_sha256 witness_sha256; do
    diff <(grep -o "\"$member\": \"[0-9a-f]*\"" digests.json) <(grep -o "\"$member\": \"[0-9a-f]*\"" "$file") ||
      fail "$member of $file"
  done
  [[ "$(grep -c r1cs_sha256 digests.json)" == "$k" ]] || fail "partitions of $file"
  pass
}
digests "$winning" 1
digests "$window" 2
digests "$data/update/update-2k.json" 1

# Fabricated requests.
expect 0 "written to" "$cuzk" synth-post --registered-proof 0 --out winning
[[ "$(sha256sum <winning.s0.vanilla)" == 3d624babcdf787883d0ed33575cd876869a76915c429b0cae175150d62bad3fa* ]] || fail "fabricated WinningPoSt"
pass
expect 0 "written to" "$cuzk" synth-post --kind wpost --sector-size 2048 --sectors 3 --out window
[[ "$(sha256sum <window.s0.vanilla)" == e9ba8420b480919f838f754b9013bfcb5d4281f8b51af2c5841ab7b7c552865d* ]] || fail "fabricated WindowPoSt"
pass
expect 0 "verified" other prove winning-post winning.json --out fresh.proof
expect 2 "--out: 'winning.s0.vanilla' is also" other prove winning-post winning.json --out winning.s0.vanilla
# Paths are bytes. What JSON cannot hold of one is replaced where it is only shown, refused where it must be found.
odd="$(printf 'odd\377')"
expect 0 "$(printf 'odd\357\277\275/')" "$cuzk" setup --circuit wpost-2k --out "$odd" --json
expect 0 "$(printf '"path": "odd\357\277\275/')" "$cuzk" inspect "$odd"/*.vk --json
cp winning.json "$odd.json"
expect 0 '"verified": true' other prove winning-post "$odd.json" --out "$odd.proof" --json
expect 0 '"verified": true' other verify winning-post "$odd.json" --proof "$odd.proof" --json
expect 2 "not UTF-8" "$cuzk" synth-post --registered-proof 0 --out "$odd"
expect 2 "not UTF-8" "$cuzk" synth-update --registered-proof 0 --out "$odd"
expect 2 "a name is needed" "$cuzk" synth-post --registered-proof 0 --out folder/
expect 0 '"partitions": 2' other prove window-post window.json --out fresh.proof --json
expect 0 "verified" other verify window-post window.json --proof fresh.proof
gzip window.s1.vanilla
expect 0 "verified" other verify window-post window.json --proof fresh.proof
# Under the old rule the leaves depend on the place in the list.
expect 0 "written to" "$cuzk" synth-post --kind window-post --sector-size 2048 --api-version 1.0.0 --sectors 3 --out old
expect 0 '"vanilla_verifies": true' "$cuzk" inspect old.json --json
expect 0 "written to" "$cuzk" synth-update --registered-proof 3 --out update
[[ "$(sha256sum <update.k15.vanilla)" == aaaf999f52b24773f6b75da2d6c7549c36bc982d747c8a3f0dadfd22afd2ff86* ]] || fail "fabricated update"
pass
expect 0 '"vanilla_verifies": true' "$cuzk" inspect --request update.json --json
expect 2 "one of --registered-proof" "$cuzk" synth-update --out x
expect 2 "no update has 1073741824 bytes" "$cuzk" synth-update --sector-size 1073741824 --out x
expect 2 "needs --kind" "$cuzk" synth-post --sector-size 2048 --out x
expect 2 "about one sector" "$cuzk" synth-post --registered-proof 0 --sectors 2 --out x
for size in 4096 16384 32768 8388608 16777216 536870912 1073741824 68719476736; do
  for kind in winning-post window-post; do
    expect 0 "written to" "$cuzk" synth-post --kind $kind --sector-size $size --out any
    expect 0 '"vanilla_verifies": true' "$cuzk" inspect any.json --json
  done
  [[ $size == 1073741824 ]] && continue
  expect 0 "written to" "$cuzk" synth-update --sector-size $size --out any
  expect 0 '"vanilla_verifies": true' "$cuzk" inspect any.json --json
done

# Requests that must not reach the prover: the message names the file and the member.
wrong() { # MESSAGE SED-SCRIPT REQUEST KIND
  sed "$2" "$3" >wrong.json
  cmp -s "$3" wrong.json && fail "the request was not changed: $2"
  expect 1 "'wrong.json': $1" other prove "$4" wrong.json --out bad.proof
}
gunzip window.s1.vanilla.gz
wrong "randomness" 's/"randomness": "../"randomness": "/' window.json window-post
wrong "vanilla[0].sectors[0].inclusion_proofs[0]" 's/"randomness": "../"randomness": "77/' winning.json winning-post
wrong "registered_post_proof: 10 is no WinningPoSt type" 's/"registered_post_proof": 0/"registered_post_proof": 10/' winning.json winning-post
wrong "sector_size: 2048, but the type is" 's/"registered_post_proof": 0/"registered_post_proof": 1/' winning.json winning-post
wrong "api_version" 's/"api_version": "1.0.0"/"api_version": "1.2.0"/' winning.json winning-post
wrong "vanilla[0].len" 's/"len": 36816/"len": 36817/' winning.json winning-post
wrong "vanilla[0].sha256" 's/"sha256": "3d/"sha256": "3e/' winning.json winning-post
wrong "vanilla[0].comm_r" 's/"comm_r": "../"comm_r": "00/' winning.json winning-post
wrong "vanilla[0].sector" 's/"sector": 1234/"sector": 1235/' winning.json winning-post
wrong "kind" 's/"kind": "Winning"/"kind": "Losing"/' winning.json winning-post
nested="$(printf '[%.0s' {1..20000})$(printf ']%.0s' {1..20000})"
wrong 'kind: nested more than 64 levels deep' "/\"kind\"/c\"kind\": $nested," winning.json winning-post
wrong 'kind: a list is neither' '/"kind"/c"kind": [[1]],' winning.json winning-post
wrong "vanilla: 2 elements, expected 1" 's/"vanilla": \[/"vanilla": [7,/' winning.json winning-post
# Nothing is read outside the request's folder, and nothing that the file says twice or wrongly passes.
for name in ../winning.s0.vanilla "$PWD/winning.s0.vanilla" a/../winning.s0.vanilla "" 'winning.s0.vanilla\\u0000x'; do
  wrong "vanilla[0].file: " "s|\"file\": \"[^\"]*\"|\"file\": \"$name\"|" winning.json winning-post
  grep -qF "names no file in the folder of the request" out.txt || fail "the message about '$name'"
done
wrong "vanilla[0].file: the member occurs twice" 's/"file":/"file": "x", "file":/' winning.json winning-post
wrong "randomness: the member occurs twice" 's/\("randomness": "[0-9a-f]*"\)/\1, \1/' winning.json winning-post
wrong "sector_size: no sector has 1 bytes" 's/"sector_size": 2048/"sector_size": 1/; s/"registered_post_proof": 0/"registered_post_proof": null/' winning.json winning-post
wrong 'sector_size: 0 is "as registered_post_proof says"' 's/"sector_size": 2048/"sector_size": 0/; s/"registered_post_proof": 0/"registered_post_proof": null/' winning.json winning-post
wrong "sector_size: missing or not a whole number" 's/"sector_size": 2048/"sector_size": 2e3/' winning.json winning-post
wrong "sector_count: 2, but" 's/"sector_count": 1/"sector_count": 2/' winning.json winning-post
wrong "challenge_count: 67, but" 's/"challenge_count": 66/"challenge_count": 67/' winning.json winning-post
wrong "params: " 's/"params": "v28/"params": "v27/' winning.json winning-post
wrong "partitions: 2 elements, but the sectors make 1" 's/"randomness"/"partitions": [{"k": 0}, {"k": 1}], "randomness"/' winning.json winning-post
wrong "partitions[0].k: 1, but" 's/"randomness"/"partitions": [{"k": 1}], "randomness"/' winning.json winning-post
wrong "comm_r_new: not a member of a request for winning-post" 's/"randomness"/"comm_r_new": "00", "randomness"/' winning.json winning-post
wrong "partition_index: 1" 's/"randomness"/"partition_index": 1, "randomness"/' winning.json winning-post
{ cat winning.json; printf '\0}'; } >zero.json
expect 1 "zero byte" other prove winning-post zero.json --out bad.proof
sed 's/"sector_size": [0-9]*/"sector_size": 0/' winning.json >as-type.json
expect 0 '"vanilla_verifies": true' "$cuzk" inspect as-type.json --json
wrong "comm_r_new" 's/"comm_r_new": "../"comm_r_new": "/' update.json snap-update
wrong "partitions[0]" 's/"comm_d_new": "../"comm_d_new": "00/' update.json snap-update
wrong "partitions[1].k: 2, but" 's/"k": 1$/"k": 2/' update.json snap-update
wrong "h: 9, but" 's/"h": 10/"h": 9/' update.json snap-update
wrong "registered_update_proof: 7" 's/"registered_update_proof": 3/"registered_update_proof": 7/' update.json snap-update
wrong "partitions: 16 elements, expected 1" 's/"registered_update_proof": 3/"registered_update_proof": 0/; s/"sector_size": 34359738368/"sector_size": 2048/; /"params"/d; /"h"/d' update.json snap-update
# As many sectors as synth-post makes: the file is read, and the second entry is the first that is wrong.
sectors() { # COUNT, LENGTH of a member that nobody knows
  sed '/"vanilla"/,$d' window.json
  awk -v n="$1" -v length_="$2" 'BEGIN { print "\"vanilla\": ["
    for (i = 0; i < n; ++i)
      printf "%s{\"file\": \"window.s0.vanilla\", \"sector\": %d, \"note\": \"%0*d\"}\n", i ? "," : "", 1234 + i, length_, i
    print "]}" }'
}
sectors 100000 170 >many.json
expect 1 "'many.json': vanilla[1].sector: 1235, but its vanilla proof is of sector 1234" other prove window-post many.json --out bad.proof
sectors 100001 1 >many.json
expect 1 "'many.json': vanilla: 100001 elements, expected 1 to 100000" other prove window-post many.json --out bad.proof
printf '\377' | dd of=window.s2.vanilla bs=1 seek=5600 conv=notrunc status=none
wrong "vanilla[2].sectors[0].inclusion_proofs[9]" '/"sha256"/d' window.json window-post
printf 'x' >>window.s2.vanilla
wrong "vanilla[2].file: 'window.s2.vanilla' has 5681 bytes" '/"len"/d; /"sha256"/d' window.json window-post
gzip window.s2.vanilla
wrong "vanilla[2].file: 'window.s2.vanilla.gz': gzip: more than 5680 bytes" '/"len"/d; /"sha256"/d' window.json window-post
gunzip window.s2.vanilla.gz
rm window.s2.vanilla
expect 3 "vanilla[2].file" other prove window-post window.json --out bad.proof
[[ ! -e bad.proof ]] || fail "a bad request left a proof file"
pass

# ---- output that cannot be written ----------------------------------------------------------------------------------
inspect_to() { "$cuzk" inspect c1.json >"$1"; }
expect 3 "standard output" inspect_to /dev/full
closed_stdout() { "$cuzk" inspect c1.json >&-; }
expect 3 "standard output" closed_stdout
# Messages that cannot be written must not cost the result.
full_stderr() { "$cuzk" inspect c1.json 2>/dev/full; }
expect 0 "StackedDrg2KiBV1_1" full_stderr
missing_to_full_stderr() { "$cuzk" inspect /no/such/file 2>/dev/full; }
expect 3 "" missing_to_full_stderr

# ---- a daemon that cannot start -------------------------------------------------------------------------------------
printf '[daemon]\nlisten = "unix://%s/s.sock"\nstatus_listen = ""\njournal = "/proc/no/journal"\n' "$PWD" >serve.toml
expect 3 "cannot start reason=\"daemon.journal" "$cuzk" serve --config serve.toml
expect 3 '"msg":"cannot start"' "$cuzk" serve --config serve.toml --log-format json
if grep -v '^{.*}$' out.txt; then fail "its log has lines that are no JSON"; fi
pass
expect 2 "--timeline: './serve.toml' is also 'serve.toml'" "$cuzk" serve --config serve.toml --timeline ./serve.toml
mkdir journal
ln -s journal link
printf '[daemon]\nlisten = "unix://%s/s.sock"\nstatus_listen = ""\njournal = "./journal"\n' "$PWD" >journal.toml
for place in journal/journal.db link/payload/x "$PWD/journal/events"; do
  expect 2 "--timeline: '$place' is in the folder of the journal, './journal'" "$cuzk" serve --config journal.toml --timeline "$place"
done
expect 0 "" "$cuzk" serve --config journal.toml --timeline events --check-config

echo "$checks checks passed"
