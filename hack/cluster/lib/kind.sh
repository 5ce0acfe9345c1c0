# shellcheck shell=bash
# The same commands on kind and official images, for machines with Docker.

# A kubeconfig of its own, so that the user's stays as it is.
KIND_CONFIG=$CACHE/kind.conf

kind_up() {
	mkdir -p "$CACHE"
	kind get clusters | grep -qx "$KIND_NAME" ||
		kind create cluster --name "$KIND_NAME" --kubeconfig "$KIND_CONFIG" --wait 120s
}

kind_down() { kind delete cluster --name "$KIND_NAME" --kubeconfig "$KIND_CONFIG"; }

kind_env() {
	mkdir -p "$CACHE"
	kind get kubeconfig --name "$KIND_NAME" >"$KIND_CONFIG"
	echo "export KUBECONFIG=$KIND_CONFIG"
}

kind_images() {
	local name image
	(($#)) || set -- solr zookeeper nginx busybox solrbench
	for name in "$@"; do
		image=${REFERENCE[$name]:?no such image}
		case $name in
		solrbench) docker build -t "$image" "$ROOT" ;;
		busybox) docker pull -q busybox:1.36 && docker tag busybox:1.36 "$image" ;;
		*) docker pull -q "$image" ;;
		esac
		kind load docker-image --name "$KIND_NAME" "$image"
	done
}
