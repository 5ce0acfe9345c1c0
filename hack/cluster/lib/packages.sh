# shellcheck shell=bash
# The Debian packages below the cluster.

# program:package; a program that is there needs no package.
PACKAGES=(
	buildah:buildah busybox:busybox-static conntrack:conntrack containerd:containerd
	curl:curl debootstrap:debootstrap etcd:etcd-server gcc:gcc iptables:iptables javac:openjdk-17-jdk-headless
	mvn:maven openssl:openssl runc:runc socat:socat /usr/lib/cni/bridge:containernetworking-plugins
	ip:iproute2
)

install_packages() {
	local entry missing=() log=$STATE/log/packages.log
	for entry in "${PACKAGES[@]}"; do
		command -v "${entry%:*}" >/dev/null || missing+=("${entry##*:}")
	done
	((${#missing[@]})) || return 0
	step "install ${missing[*]}"
	{
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
	} >"$log" 2>&1 </dev/null || {
		tail -n 20 "$log" >&2
		die "apt-get install ${missing[*]} failed"
	}
}
