# shellcheck shell=bash
# shellcheck disable=SC2034 # the scripts that read this file use the names
# Paths, addresses and small helpers shared by the scripts in hack/cluster.

LIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
HERE=$(dirname "$LIB")
# shellcheck source=hack/lib/common.sh
. "$HERE/../lib/common.sh"
STATE=${SOLRBENCH_STATE:-/var/lib/solrbench-cluster}
CLUSTER=${CLUSTER:-packages} # or "kind", "minikube"
[[ $CLUSTER == @(packages|kind|minikube) ]] || die "CLUSTER is packages, kind or minikube, not \"$CLUSTER\""
CGROUP=${SOLRBENCH_CGROUP:-solrbench} # all pods are below it

# Pods and the node have addresses of one bridge; nothing of it leaves the machine.
NODE_NAME=solrbench
BRIDGE=solrbench0
POD_RANGE=10.244.0.0/24
NODE_ADDRESS=10.244.0.1
SERVICE_RANGE=10.96.0.0/16
SERVICE_ADDRESS=10.96.0.1 # of "kubernetes.default"
export KUBECONFIG=$STATE/admin.conf

# wait_for SECONDS LOG WHAT COMMAND…: until the command succeeds; when it does
# not in time, the end of LOG (a name in the log folder) shows why.
wait_for() {
	local deadline=$((SECONDS + $1)) log=$STATE/log/$2.log what=$3
	shift 3
	until "$@" >/dev/null 2>&1; do
		if ((SECONDS >= deadline)); then
			tail -n 20 "$log" >&2 || true
			die "gave up waiting for $what (the lines above end $log)"
		fi
		sleep 0.3
	done
}

# locked: one "up", "down" or "images" at a time; the lock ends with the script.
locked() {
	mkdir -p "$STATE"
	exec {LOCK}>"$STATE.lock"
	flock --timeout 900 "$LOCK" || die "another hack/cluster command has held $STATE.lock for 15 minutes"
}

need_root() {
	((EUID == 0)) || die "this needs root (network, mounts); CLUSTER=kind and CLUSTER=minikube do not"
}

# fill NAME: prints a file of hack/cluster/config with @VARIABLES@ filled in.
fill() {
	local text name
	text=$(<"$HERE/config/$1")
	for name in STATE CGROUP NODE_NAME BRIDGE POD_RANGE NODE_ADDRESS SERVICE_RANGE; do
		text=${text//@$name@/${!name}}
	done
	printf '%s\n' "$text"
}
