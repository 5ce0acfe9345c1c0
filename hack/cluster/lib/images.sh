# shellcheck shell=bash
# Images without a registry: built by buildah on a Debian made by debootstrap, kept
# as archives in the cache, imported into containerd.

IMAGES=$CACHE/images
SOURCES=$HERE/image-sources
# shellcheck source=hack/lib/debian.sh
. "$HACK/lib/debian.sh"
# shellcheck source=hack/lib/operators.sh
. "$HACK/lib/operators.sh"

# Name in containerd of each image that is imported.
declare -gA REFERENCE=(
	[pause]=localhost/solrbench/pause:1
	[busybox]=localhost/solrbench/busybox:1
	[solr]=docker.io/library/solr:9.10.1
	[solr-9.8.1]=docker.io/library/solr:9.8.1
	[zookeeper]=docker.io/library/zookeeper:3.9.4
	[nginx]=docker.io/library/nginx:1.22
	[solr-operator]=docker.io/apache/solr-operator:v0.9.1
	[zookeeper-operator]=docker.io/pravega/zookeeper-operator:0.2.15
	[pravega-zookeeper]=docker.io/pravega/zookeeper:0.2.14
	[solrbench]=localhost/solrbench/solrbench:dev
)
# What an image is built on.
declare -gA PARENT=(
	[python-base]=debian-base [java-base]=debian-base [nginx]=debian-base
	[solr]=java-base [solr-9.8.1]=java-base [zookeeper]=java-base [pravega-zookeeper]=java-base
)

# in_store COMMAND…: buildah on images of our own. No function here has the name of
# a program: see "has" in hack/lib/common.sh.
in_store() { buildah --root "$CACHE/containers" --runroot "$CACHE/containers-run" "$@"; }

# image_log NAME: where the output of its build goes.
image_log() { echo "$CACHE/log/image-$1.log"; }

# image_sources NAME: the folder of its Dockerfile, the same for each version of Solr.
image_sources() { echo "$SOURCES/${1%-[0-9]*}"; }

# solr_version NAME: the version in the name; nothing for the one of the sources.
solr_version() { [[ $1 != *-[0-9]* ]] || echo "${1##*-}"; }

# image_key NAME: one hash over all that the image is made of.
image_key() {
	local name=$1 parent=${PARENT[$1]:-} version
	version=$(solr_version "$name")
	if [[ $name == debian-base ]]; then
		hash_of "=$SUITE" "=$(dpkg --print-architecture)"
	else
		hash_of "$(image_sources "$name")" ${parent:+"=$(image_key "$parent")"} ${version:+"=$version"}
	fi
}

local_name() { echo "localhost/solrbench/$1:$(image_key "$1")"; }

# bud TAG CONTEXT ARGUMENT…
bud() {
	local tag=$1 context=$2
	shift 2
	in_store bud --isolation chroot --layers --format oci -t "$tag" "$@" "$context"
}

# prepare NAME FOLDER: adds what an image's Dockerfile copies but the tree does not hold.
prepare() {
	local folder=$2 version
	version=$(solr_version "$1")
	case $1 in
	pause) cp "$(type -P catatonit)" "$folder/catatonit" ;;
	busybox) cp "$(type -P busybox)" "$folder/busybox" ;;
	solr | solr-[0-9]*)
		copy_jars "$folder" ${version:+"-Dsolr.version=$version"}
		javac --release 17 -d "$folder/classes" -cp "$folder/lib/*" "$folder/SolrServer.java"
		(cd "$folder/classes" && jar --create --file ../lib/solrbench-solr-server.jar .)
		;;
	zookeeper) copy_jars "$folder" ;;
	solr-operator | zookeeper-operator) build_operator "$1" "$folder" ;;
	pravega-zookeeper)
		cp -R --no-preserve=mode "$(operator_folder zookeeper-operator)"/docker/{bin,zu/src/main/java} "$folder"
		chmod 755 "$folder"/bin/*
		mv "$folder/java" "$folder/zu"
		copy_jars "$folder"
		build_zu "$folder"
		;;
	esac
}

# build_zu FOLDER: a jar that finds the others by its manifest, as "java -jar" wants it.
build_zu() {
	mvn -q -B -f "$1/pom.xml" compile
	{
		echo "Class-Path: ."
		find "$1/lib" -name '*.jar' -printf '  ../zookeeper/lib/%f\n' # lines that go on, of 72 letters at most
	} >"$1/manifest"
	jar --create --file "$1/zu.jar" --main-class io.pravega.zookeeper.MainKt --manifest "$1/manifest" \
		-C "$1/target/classes" .
}

# copy_jars FOLDER [OPTION]: what its pom.xml lists, below "lib".
copy_jars() {
	mvn -q -B -f "$1/pom.xml" dependency:copy-dependencies -DincludeScope=runtime \
		-DoutputDirectory="$1/lib" "${@:2}"
	# Natives of other systems.
	find "$1/lib" \( -name '*osx*' -o -name '*windows*' \) -delete
}

build_debian() {
	local container
	container=$(in_store from scratch)
	in_store add -q "$container" "$DEBIAN" /
	in_store commit -q --rm "$container" "$1"
}

build_local() {
	local name=$1 tag=$2 folder=$CACHE/tmp/$1
	[[ $name != debian-base ]] || { build_debian "$tag"; return; }
	rm -rf "$folder"
	mkdir -p "$CACHE/tmp"
	cp -a "$(image_sources "$name")" "$folder"
	prepare "$name" "$folder"
	bud "$tag" "$folder" ${PARENT[$name]:+--build-arg "BASE=$(local_name "${PARENT[$name]}")"}
	rm -rf "$folder"
}

# ensure_built NAME: in buildah's store, with everything below it.
ensure_built() {
	local tag
	tag=$(local_name "$1")
	[[ -z ${PARENT[$1]:-} ]] || ensure_built "${PARENT[$1]}"
	! in_store inspect --type image "$tag" >/dev/null 2>&1 || return 0
	[[ $1 != debian-base ]] || provide_debian
	step "build image $1"
	logged "$(image_log "$1")" "building image $1" build_local "$1" "$tag"
}

# archive NAME: the path of its archive, built when the cache has none. Layers are
# not compressed: it would cost more time than it saves.
archive() {
	local file
	file=$IMAGES/$1-$(image_key "$1").tar
	if [[ ! -s $file ]]; then
		ensure_built "$1" >&2
		mkdir -p "$IMAGES"
		logged "$(image_log "$1")" "archiving image $1" \
			in_store push -q "$(local_name "$1")" "docker-archive:$file.tmp:${REFERENCE[$1]}"
		mv "$file.tmp" "$file"
	fi
	echo "$file"
}

# is_imported NAME KEY: containerd holds that very build.
is_imported() {
	[[ $(cat "$STATE/images/$1" 2>/dev/null) == "$2" ]] &&
		[[ -n $(in_containerd images ls -q "name==${REFERENCE[$1]}") ]]
}

import() {
	local name=$1 key=$2 file=$3
	step "import ${REFERENCE[$name]}"
	logged "$(image_log "$name")" "importing image $name" in_containerd images import "$file"
	mkdir -p "$STATE/images"
	echo "$key" >"$STATE/images/$name"
}

# provide NAME: built, archived, imported: each only when it is not yet.
provide() {
	local key file
	key=$(image_key "$1")
	! is_imported "$1" "$key" || return 0
	file=$(archive "$1")
	import "$1" "$key" "$file"
}

# build_project: the project's own Dockerfile on the local Python base. For pip
# inside, the certificates and pip settings of this machine count.
build_project() {
	local mounts=(-v /etc/ssl/certs:/etc/ssl/certs:ro)
	[[ ! -f /etc/pip.conf ]] || mounts+=(-v /etc/pip.conf:/etc/pip.conf:ro)
	ensure_built python-base
	step "build ${REFERENCE[solrbench]}"
	logged "$(image_log solrbench)" "building the project's image" \
		bud "${REFERENCE[solrbench]}" "${ROOT:?}" "${mounts[@]}" --build-arg "BASE=$(local_name python-base)"
}

# provide_project: rebuilt (layers that did not change are kept) and imported.
provide_project() {
	local file=$CACHE/tmp/solrbench.tar key
	build_project
	key=$(in_store inspect --type image --format '{{.FromImageID}}' "${REFERENCE[solrbench]}")
	! is_imported solrbench "$key" || return 0
	mkdir -p "$CACHE/tmp"
	rm -f "$file"
	logged "$(image_log solrbench)" "archiving the project's image" \
		in_store push -q "${REFERENCE[solrbench]}" "docker-archive:$file:${REFERENCE[solrbench]}"
	import solrbench "$key" "$file"
	rm -f "$file"
}
