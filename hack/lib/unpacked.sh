# shellcheck shell=bash
# Programs of Debian packages that are only unpacked into the cache: installing
# them would start a service of the system.

TOOLS=$CACHE/tools
export PATH=$PATH:$TOOLS # behind what the machine has

# The package of each program, then those with libraries that it alone needs.
declare -gA UNPACKED=(
	[nginx]="nginx"
	[prometheus]="prometheus"
	[promtool]="prometheus"
	[wrk]="wrk libluajit-5.1-2"
)

# fetch_packages FOLDER PACKAGE…: their files, below the folder.
fetch_packages() {
	local package
	mkdir -p "$1"
	cd "$1"
	apt-get update -qq
	apt-get download -qq -o APT::Sandbox::User=root "${@:2}"
	for package in *.deb; do dpkg-deb -x "$package" .; done
	rm ./*.deb
}

# unpack_program PROGRAM: a wrapper in TOOLS that finds the unpacked libraries.
unpack_program() {
	local program=$1 packages=${UNPACKED[$1]} folder binary libraries missing
	folder=$TOOLS/packages/${packages%% *}
	has apt-get || die "$program is missing, and this machine has no apt-get"
	if [[ ! -d $folder ]]; then
		step "unpack $program from its Debian package"
		rm -rf "$folder.tmp"
		# shellcheck disable=SC2086 # a list
		logged "$CACHE/log/unpack-$program.log" "fetching $program" fetch_packages "$folder.tmp" $packages
		mv "$folder.tmp" "$folder"
	fi
	binary=$(find "$folder" -type f -path "*bin/$program" -perm -u+x | head -n 1) # not in etc/init.d
	libraries=$(find "$folder" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
	[[ -n $binary ]] || die "no $program in the packages $packages"
	missing=$({ LD_LIBRARY_PATH=$libraries ldd "$binary" 2>&1 || true; } | # a static one has none
		awk '/not found/ {print $1}' | paste -sd' ')
	[[ -z $missing ]] || die "$program lacks libraries: $missing"
	# shellcheck disable=SC2016 # the wrapper expands it
	printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$binary" >"$TOOLS/$program"
	chmod 755 "$TOOLS/$program"
}
