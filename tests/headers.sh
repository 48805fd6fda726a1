#!/usr/bin/env bash
# Every header that a module lists compiles alone. Where a source file of a module has the header as its first
# directive, the build has shown it; the others are compiled here, as far as a compiler finds errors.
#   headers.sh HEADERS SOURCES ROOT COMPILER FLAGS...     HEADERS, SOURCES: files that name one file a line
set -euo pipefail
headers="$1" sources="$2" root="$3"
shift 3
shown="$(xargs grep -hm1 '^ *#' <"$sources" | sed -n 's/^#include "\(cuzk\/.*\.h\)"$/\1/p' | sort -u)"
alone="$(sed "s|^$root/src/||" "$headers" | sort -u | comm -23 - <(echo "$shown"))"
echo "$(wc -l <"$headers") headers, to compile: $(wc -l <<<"$alone")"
xargs -P "$(nproc)" -I{} "$@" -I"$root/src" -fsyntax-only -x c++ -include {} /dev/null <<<"$alone"
