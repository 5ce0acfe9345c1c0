# shellcheck shell=bash
# The programs that each job calls, and the Debian package that brings each.

# Of the version that python3 is: python3-venv only depends on it, and to install that again does not
# bring back a file of the other.
venv_package() {
	python3 -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])' 2>/dev/null || echo python3-venv
}

# JOB:PROGRAM:PACKAGE. A program is a name on the PATH, a path, or "python:MODULE".
PROGRAMS_OF_JOBS=(
	check:python3:python3
	"check:python:ensurepip:$(venv_package)"
	cluster:buildah:buildah
	cluster:busybox:busybox-static
	cluster:catatonit:catatonit
	cluster:conntrack:conntrack
	cluster:containerd:containerd
	cluster:ctr:containerd
	cluster:curl:curl
	cluster:debootstrap:debootstrap
	cluster:etcd:etcd-server
	cluster:flock:util-linux
	cluster:ip6tables:iptables
	cluster:ip:iproute2
	cluster:iptables:iptables
	cluster:jar:openjdk-17-jdk-headless
	cluster:javac:openjdk-17-jdk-headless
	cluster:mvn:maven
	cluster:openssl:openssl
	cluster:runc:runc
	cluster:/usr/lib/cni/bridge:containernetworking-plugins
	cluster:/usr/lib/cni/host-local:containernetworking-plugins
	cluster:/usr/lib/cni/portmap:containernetworking-plugins
	test:jq:jq
	test:prometheus:unpack
	test:promtool:unpack
	bench:gcc:gcc
	bench:/usr/include/stdio.h:libc6-dev
	bench:nginx:unpack
	bench:wrk:unpack
)

# What each job that a user starts needs.
declare -gA GROUPS_OF_JOB=(
	[check]="check"
	[demo]="check cluster"
	[test]="check cluster test"
	[bench]="check bench"
	[docker-demo]="check"
	[docker-test]="check test"
)

# is_there PROGRAM: as a file; see "has".
is_there() {
	case $1 in
	python:*) "${PYTHON:-python3}" -c "import ${1#python:}" 2>/dev/null ;;
	/*) [[ -e $1 ]] ;;
	*) has "$1" ;;
	esac
}

# missing_of JOB: "PROGRAM PACKAGE" for each that is not there.
missing_of() {
	local group entry program
	for group in ${GROUPS_OF_JOB[$1]:?no such job}; do
		for entry in "${PROGRAMS_OF_JOBS[@]}"; do
			[[ $entry == "$group":* ]] || continue
			entry=${entry#*:}
			program=${entry%:*}
			is_there "$program" || echo "$program ${entry##*:}"
		done
	done
}

install_packages() {
	local packages=("$@") log=$CACHE/log/packages.log
	((EUID == 0)) || die "missing, and installing needs root: apt-get install ${packages[*]}"
	has apt-get || die "missing, and this machine has no apt-get: ${packages[*]}"
	step "install ${packages[*]}" | fold -s -w 79
	logged "$log" "apt-get update" apt-get update -qq
	without_services logged "$log" "apt-get install" apt_install "${packages[@]}"
}

# --reinstall: a program may be gone whose package is recorded as installed.
apt_install() {
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --reinstall "$@"
}

# restore_link PROGRAM: what /etc/alternatives leads to; packages make such a link only once.
restore_link() {
	[[ ! -e /var/lib/dpkg/alternatives/$1 ]] || update-alternatives --auto "$1" >/dev/null 2>&1 || true
}

# without_services COMMAND…: what it installs (etcd, containerd) starts no service of
# the system; the cluster runs programs of its own.
without_services() {
	local policy=/usr/sbin/policy-rc.d
	if [[ -e $policy ]]; then
		"$@"
		return
	fi
	printf '#!/bin/sh\nexit 101\n' >"$policy"
	chmod 755 "$policy"
	# shellcheck disable=SC2064 # this very path
	trap "rm -f $policy" EXIT
	"$@"
	rm -f "$policy"
	trap - EXIT
}

# provide_programs JOB: installs what is missing, then looks each up again.
provide_programs() {
	local missing packages program package
	mapfile -t packages < <(missing_of "$1" | awk '$2 != "unpack" {print $2}' | sort -u)
	((${#packages[@]} == 0)) || install_packages "${packages[@]}"
	while read -r program package; do
		if [[ $package == unpack ]]; then unpack_program "$program"; else restore_link "$program"; fi
	done < <(missing_of "$1")
	hash -r
	missing=$(missing_of "$1" | awk '{printf "%s%s (package %s)", sep, $1, $2; sep = ", "}')
	[[ -z $missing ]] || die "still missing after the installation: $missing"
}
