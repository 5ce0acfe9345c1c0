# shellcheck shell=bash
# shellcheck disable=SC2034 # the scripts that read this file use the names
# Paths, messages and small helpers shared by all scripts below hack.

shopt -s inherit_errexit
set -o errtrace
trap 'echo "error: ${BASH_SOURCE[0]##*/}:$LINENO failed" >&2' ERR

HACK=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ROOT=$(dirname "$HACK")
CACHE=${SOLRBENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/solrbench}
# When the first command began: every line of one `make` counts from there.
export SOLRBENCH_STARTED=${SOLRBENCH_STARTED:-$EPOCHSECONDS}

step() { printf '[%4ds] %s\n' "$((EPOCHSECONDS - SOLRBENCH_STARTED))" "$*"; }
die() {
	printf 'error: %s\n' "$*" >&2
	exit 1
}

# has PROGRAM: a file on the PATH or at that path. Never "command -v", which a
# function or an alias of the same name answers, too.
has() { type -P "$1" >/dev/null; }

# hash_of FILE|DIR|=WORD…: one short hash over the names and contents given.
# A name counts relative to the checkout, so that two checkouts agree.
hash_of() {
	local item
	for item in "$@"; do
		if [[ $item == =* ]]; then
			printf '%s\n' "$item"
		else
			find "$item" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum |
				sed "s#  $ROOT/#  #"
		fi
	done | sha256sum | cut -c1-16
}

# logged LOG WHAT COMMAND…: output into a log, whose end is shown on failure.
logged() {
	local log=$1 what=$2 failed
	shift 2
	mkdir -p "$(dirname "$log")"
	set +e # not "||": that would switch errexit off inside the command, too
	(set -e; "$@") >"$log" 2>&1 </dev/null
	failed=$?
	set -e
	((failed == 0)) || {
		tail -n 20 "$log" >&2
		die "$what failed (the lines above end $log)"
	}
}
