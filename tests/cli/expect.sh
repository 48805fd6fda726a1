# What the tests of the command have in common, sourced by them: a folder of their own, which they are then in, and
# checks that end them.
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
checks=0

fail() { echo "FAILED: $*" >&2; exit 1; }
pass() { checks=$((checks + 1)); }

# expect CODE TEXT COMMAND...: exit code, and TEXT somewhere in what the command wrote.
expect() {
  local code="$1" text="$2" got=0
  shift 2
  "$@" >out.txt 2>&1 || got=$?
  [[ $got == "$code" ]] || { cat out.txt >&2; fail "exit code $got, not $code: $*"; }
  [[ -z "$text" ]] || grep -qF -- "$text" out.txt || { cat out.txt >&2; fail "output lacks '$text': $*"; }
  pass
}
