# shellcheck shell=bash
# The programs of the cluster and their settings, in the order of their start.

# shellcheck disable=SC2034 # "up" uses it
PROGRAMS=(etcd containerd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy coredns
	local-path-provisioner)

write_config() {
	mkdir -p "$STATE"/{cni,config,log,pid,run,volumes}
	: >"$STATE/resolv.conf" # pods see no name server but the cluster's
	fill cni.conflist >"$STATE/cni/10-solrbench.conflist"
	local name
	for name in containerd.toml kubelet.yaml kube-proxy.yaml Corefile storage.yaml local-path.json helper-pod.yaml; do
		fill "$name" >"$STATE/config/$name"
	done
}

ctr() { command ctr --address "$STATE/run/containerd.sock" --namespace k8s.io "$@"; }
kubectl() { "$(go_dir kubernetes)/kubectl" "$@"; }

start_etcd() {
	start etcd etcd --name solrbench --data-dir "$STATE/etcd" --logger zap --log-outputs stderr \
		--listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
		--listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
		--initial-cluster solrbench=http://127.0.0.1:2380
}

start_containerd() {
	if ! is_running containerd; then
		stop kubelet # it holds mounts of the pods
		clean_runtime
	fi
	start containerd containerd --config "$STATE/config/containerd.toml"
}

start_apiserver() {
	local pki=$STATE/pki
	start kube-apiserver "$1/kube-apiserver" \
		--etcd-servers=http://127.0.0.1:2379 --advertise-address="$NODE_ADDRESS" \
		--service-cluster-ip-range="$SERVICE_RANGE" --allow-privileged=true \
		--authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
		--client-ca-file="$pki/ca.crt" \
		--tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
		--kubelet-client-certificate="$pki/apiserver-kubelet.crt" \
		--kubelet-client-key="$pki/apiserver-kubelet.key" \
		--kubelet-certificate-authority="$pki/ca.crt" \
		--kubelet-preferred-address-types=InternalIP \
		--service-account-issuer=https://kubernetes.default.svc.cluster.local \
		--service-account-key-file="$pki/tokens.key" --service-account-signing-key-file="$pki/tokens.key"
}

start_control() {
	local pki=$STATE/pki conf
	conf=$STATE/controller-manager.conf
	start kube-controller-manager "$1/kube-controller-manager" --bind-address=127.0.0.1 \
		--kubeconfig="$conf" --authentication-kubeconfig="$conf" --authorization-kubeconfig="$conf" \
		--leader-elect=false --use-service-account-credentials=true --root-ca-file="$pki/ca.crt" \
		--service-account-private-key-file="$pki/tokens.key" \
		--cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key"
	conf=$STATE/scheduler.conf
	start kube-scheduler "$1/kube-scheduler" --bind-address=127.0.0.1 --leader-elect=false \
		--kubeconfig="$conf" --authentication-kubeconfig="$conf" --authorization-kubeconfig="$conf"
}

start_node() {
	make_cgroups
	start kubelet "$1/kubelet" --config "$STATE/config/kubelet.yaml" --root-dir "$STATE/kubelet" \
		--kubeconfig "$STATE/kubelet.conf" --hostname-override "$NODE_NAME" --node-ip "$NODE_ADDRESS"
	start kube-proxy "$1/kube-proxy" --config "$STATE/config/kube-proxy.yaml"
}

start_addons() {
	start coredns "$(go_dir coredns)/coredns" -conf "$STATE/config/Corefile"
	kubectl apply --server-side -f "$STATE/config/storage.yaml" >"$STATE/log/kubectl.log" 2>&1 || {
		cat "$STATE/log/kubectl.log" >&2
		die "could not apply the storage class"
	}
	start local-path-provisioner "$(go_dir local-path)/local-path-provisioner" start \
		--config "$STATE/config/local-path.json" --kubeconfig "$STATE/admin.conf" \
		--namespace local-path-storage --service-account-name local-path-provisioner \
		--helper-image localhost/solrbench/busybox:1 --helper-pod-file "$STATE/config/helper-pod.yaml"
}

etcd_serves() { curl --noproxy '*' -fsS http://127.0.0.1:2379/health; }
api_serves() { kubectl get --raw /readyz; }
dns_serves() { curl --noproxy '*' -fsS http://127.0.0.1:8182/ready; }
node_is_ready() { [[ $(kubectl get node "$NODE_NAME" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}') == True ]]; }
