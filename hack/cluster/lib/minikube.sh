# shellcheck shell=bash
# The same commands on minikube, in a container of Docker; docker_images in kind.sh makes the images.

# A profile and a kubeconfig of its own, so that the user's stay as they are.
MINIKUBE_CONFIG=$CACHE/minikube.conf

in_minikube() { KUBECONFIG=$MINIKUBE_CONFIG minikube --profile solrbench "$@"; }

# KUBERNETES is a version. Without the two limits minikube takes 2 cores and a part of the memory.
minikube_up() {
	mkdir -p "$CACHE"
	in_minikube status >/dev/null 2>&1 ||
		in_minikube start --driver docker --cpus no-limit --memory no-limit --wait all \
			${KUBERNETES:+--kubernetes-version "$KUBERNETES"}
}

minikube_down() {
	in_minikube delete
	rm -f "$MINIKUBE_CONFIG"
}

minikube_env() {
	mkdir -p "$CACHE"
	in_minikube update-context >/dev/null
	echo "export KUBECONFIG=$MINIKUBE_CONFIG"
}

minikube_load() { in_minikube image load "$1"; }
