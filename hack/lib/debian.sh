# shellcheck shell=bash
# The smallest Debian, made once: images and the bare root of hack/fresh build on it.

SUITE=bookworm
DEBIAN=$CACHE/debian/$SUITE-$(uname -m).tar

make_debian() {
	local scratch=$CACHE/debian/root
	rm -rf "$scratch"
	mkdir -p "$scratch"
	debootstrap --variant=minbase "$SUITE" "$scratch"
	rm -rf "$scratch"/var/cache/apt/* "$scratch"/var/lib/apt/lists/*
	tar -C "$scratch" --numeric-owner -cf "$DEBIAN.tmp" .
	rm -rf "$scratch"
	mv "$DEBIAN.tmp" "$DEBIAN"
}

# provide_debian: the file DEBIAN is there.
provide_debian() {
	[[ ! -s $DEBIAN ]] || return 0
	step "debootstrap $SUITE"
	logged "$CACHE/log/debian.log" "debootstrap" make_debian
}
