# shellcheck shell=bash
# The same commands on kind and official images, for machines with Docker.

# A kubeconfig of its own, so that the user's stays as it is.
KIND_CONFIG=$CACHE/kind.conf

# KUBERNETES is a tag of kind's node image, with its digest or without.
kind_up() {
	mkdir -p "$CACHE"
	kind get clusters | grep -qx solrbench ||
		kind create cluster --name solrbench --kubeconfig "$KIND_CONFIG" --wait 120s \
			${KUBERNETES:+--image "kindest/node:$KUBERNETES"}
}

kind_down() { kind delete cluster --name solrbench --kubeconfig "$KIND_CONFIG"; }

kind_env() {
	mkdir -p "$CACHE"
	kind get kubeconfig --name solrbench >"$KIND_CONFIG"
	echo "export KUBECONFIG=$KIND_CONFIG"
}

kind_load() { kind load docker-image --name solrbench "$1"; }

# docker_images NAME…: official images and our own, by Docker; without a name all.
docker_images() {
	local name image
	(($#)) || set -- solr zookeeper nginx busybox solrbench
	for name in "$@"; do
		image=${REFERENCE[$name]:?no such image}
		case $name in
		solrbench) docker build -t "$image" "$ROOT" ;;
		busybox) docker pull -q busybox:1.36 && docker tag busybox:1.36 "$image" ;;
		*) docker pull -q "$image" ;;
		esac
		"${CLUSTER}_load" "$image"
	done
}
