# shellcheck shell=bash
# What containers leave behind when their daemons were killed: processes, mounts,
# namespaces. The kernel's own records say which are ours: the control groups of
# pods are below $CGROUP, all mounts below the state folder.

# pod_processes: the pids in the control groups of pods (v1 and v2).
pod_processes() {
	{ find /sys/fs/cgroup -path "*/$CGROUP/kubepods/*" -name cgroup.procs -exec cat {} + 2>/dev/null || true; } |
		sort -u
}

# shims: the pids of the container parents that serve our containerd.
shims() {
	local folder
	for folder in /proc/[0-9]*; do
		[[ $(readlink "$folder/exe") == */containerd-shim-runc-v2 ]] || continue
		! tr '\0' '\n' 2>/dev/null <"$folder/cmdline" | grep -qxF "$STATE/run/containerd.sock" ||
			echo "${folder#/proc/}"
	done
}

no_leftovers() { [[ -z $(pod_processes)$(shims) ]]; }

# kill_pods: a shim first, or it would report the end of its containers.
kill_pods() {
	local pid
	for pid in $(shims) $(pod_processes); do kill -KILL "$pid" 2>/dev/null || true; done
	wait_for 20 containerd "the end of the pods' processes" no_leftovers
}

# unmount_all: deepest first; a mount that is busy is detached.
unmount_all() {
	local mount
	awk -v state="$STATE/" 'index($2, state) == 1 {print $2}' /proc/mounts | sort -r |
		while read -r mount; do
			umount "$mount" 2>/dev/null || umount -l "$mount" 2>/dev/null || true
		done
	! grep -qF " $STATE/" /proc/mounts || die "could not unmount all below $STATE: see /proc/mounts"
}

# make_cgroups: the parent of all pods, in every hierarchy (v1) or the only one (v2).
make_cgroups() {
	local hierarchy
	awk '$3 ~ /^cgroup2?$/ {print $2}' /proc/mounts | while read -r hierarchy; do
		mkdir -p "$hierarchy/$CGROUP"
	done
}

# clean_runtime: as after a restart of the machine; images and cluster state stay.
clean_runtime() {
	local address result
	kill_pods
	# Sockets of the shims: the only files of containerd outside its state folder;
	# results of plugins: the only files of the pod network.
	for address in "$STATE"/run/containerd/*/*/*/address; do
		[[ ! -f $address ]] || rm -f "$(sed 's#^unix://##' "$address")"
	done
	for result in /var/lib/cni/results/solrbench-*-eth0; do
		[[ ! -f $result ]] || rm -f "$result" "$(sed 's/solrbench-\(.*\)-eth0/cni-loopback-\1-lo/' <<<"$result")"
	done
	unmount_all
	rm -rf "${STATE:?}/run"
	mkdir -p "$STATE/run"
	find /sys/fs/cgroup -depth -type d \( -path "*/$CGROUP" -o -path "*/$CGROUP/*" \) -exec rmdir {} + || true
}
