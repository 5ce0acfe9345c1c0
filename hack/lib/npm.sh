# shellcheck shell=bash
# Files of npm packages, without what they depend on: scripts that pages load, or that check them.

# npm_package NAME VERSION: the folder of the package in the cache, where it is fetched to once.
npm_package() {
	local folder=$CACHE/$1-$2
	if [[ ! -s $folder/package/package.json ]]; then
		has npm || die "no npm, which fetches $1"
		mkdir -p "$folder"
		(cd "$folder" && npm pack --silent "$1@$2" >/dev/null && tar -xzf "$1-$2.tgz" && rm "$1-$2.tgz")
	fi
	echo "$folder/package"
}
