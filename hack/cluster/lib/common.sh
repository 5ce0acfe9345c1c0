# shellcheck shell=bash
# Paths, messages and small helpers shared by every script in hack/cluster.

LIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
HERE=$(dirname "$LIB")
ROOT=$(cd "$HERE/../.." && pwd)
CACHE=${SOLRBENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/solrbench}
STATE=${SOLRBENCH_STATE:-/var/lib/solrbench-cluster}
export KUBECONFIG=$STATE/kubeconfig

step() { printf '[%4ds] %s\n' "$SECONDS" "$*"; }
die() {
	printf 'error: %s\n' "$*" >&2
	exit 1
}

# hash_of FILE|DIR|=WORD…: one short hash over the names and contents given.
# A name counts relative to hack/cluster, so that two checkouts agree.
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

# wait_for SECONDS WHAT COMMAND…: until the command succeeds.
wait_for() {
	local deadline=$((SECONDS + $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		((SECONDS < deadline)) || die "gave up waiting for $what (logs: $STATE/log)"
		sleep 0.5
	done
}
