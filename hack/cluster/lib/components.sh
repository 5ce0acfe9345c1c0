# shellcheck shell=bash
# The programs of the cluster and their settings, in the order of their start.

# shellcheck disable=SC2034 # "up" uses it
PROGRAMS=(etcd containerd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy coredns
	volume-provisioner)

write_config() {
	mkdir -p "$STATE"/{cni,config,log,pid,run,volumes}
	: >"$STATE/resolv.conf" # pods see no name server but the cluster's
	fill cni.conflist >"$STATE/cni/10-solrbench.conflist"
	local name
	for name in audit.yaml containerd.toml kubelet.yaml kube-proxy.yaml Corefile storage.yaml; do
		fill "$name" >"$STATE/config/$name"
	done
}

# No function here has the name of a program: see "has" in hack/lib/common.sh.
in_containerd() { ctr --address "$STATE/run/containerd.sock" --namespace k8s.io "$@"; }
in_cluster() { "$(kube_dir)/kubectl" "$@"; }

start_etcd() {
	start etcd etcd --name solrbench --data-dir "$STATE/etcd" --logger zap --log-outputs stderr \
		--listen-client-urls http://127.0.0.1:23790 --advertise-client-urls http://127.0.0.1:23790 \
		--listen-peer-urls http://127.0.0.1:23800 --initial-advertise-peer-urls http://127.0.0.1:23800 \
		--initial-cluster solrbench=http://127.0.0.1:23800
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
		--etcd-servers=http://127.0.0.1:23790 --advertise-address="$NODE_ADDRESS" \
		--service-cluster-ip-range="$SERVICE_RANGE" --allow-privileged=true \
		--authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
		--client-ca-file="$pki/ca.crt" \
		--tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
		--kubelet-client-certificate="$pki/apiserver-kubelet.crt" \
		--kubelet-client-key="$pki/apiserver-kubelet.key" \
		--kubelet-certificate-authority="$pki/ca.crt" \
		--kubelet-preferred-address-types=InternalIP \
		--service-account-issuer=https://kubernetes.default.svc.cluster.local \
		--service-account-key-file="$pki/tokens.key" --service-account-signing-key-file="$pki/tokens.key" \
		--audit-policy-file="$STATE/config/audit.yaml" --audit-log-path="$STATE/log/audit.log" \
		--audit-log-maxsize=64 --audit-log-maxbackup=3 # MiB, and files beside the newest
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
	start coredns "$1/coredns" -conf "$STATE/config/Corefile"
	logged "$STATE/log/kubectl.log" "applying the storage class" \
		in_cluster apply --server-side -f "$STATE/config/storage.yaml"
	start volume-provisioner "$1/volume-provisioner" --kubeconfig "$STATE/admin.conf" --folder "$STATE/volumes"
}

etcd_serves() { curl --noproxy '*' -fsS http://127.0.0.1:23790/health; }
api_serves() { in_cluster get --raw /readyz; }
dns_serves() { curl --noproxy '*' -fsS http://127.0.0.1:8182/ready; }
node_is_ready() { [[ $(in_cluster get node "$NODE_NAME" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}') == True ]]; }
