# shellcheck shell=bash
# One certificate authority, and a key pair and kubeconfig per client of it.

PKI=$STATE/pki

# sign NAME SUBJECT EXTENSION…: NAME.key and NAME.crt, signed by the authority.
sign() {
	local name=$1 subject=$2
	shift 2
	[[ ! -s $PKI/$name.crt ]] || return 0
	openssl ecparam -name prime256v1 -genkey -noout -out "$PKI/$name.key"
	openssl req -new -key "$PKI/$name.key" -subj "$subject" |
		openssl x509 -req -days 3650 -CA "$PKI/ca.crt" -CAkey "$PKI/ca.key" -CAcreateserial \
			-extfile <(printf '%s\n' "keyUsage=digitalSignature" "$@") -out "$PKI/$name.tmp" 2>/dev/null
	mv "$PKI/$name.tmp" "$PKI/$name.crt"
}

# client FILE SUBJECT: a kubeconfig that authenticates as the subject.
client() {
	local name=$1
	[[ ! -s $STATE/$name.conf ]] || return 0
	sign "$name" "$2" extendedKeyUsage=clientAuth
	cat >"$STATE/$name.tmp" <<-EOF
		apiVersion: v1
		kind: Config
		clusters:
		- name: solrbench
		  cluster:
		    server: https://127.0.0.1:6443
		    certificate-authority-data: $(base64 -w0 "$PKI/ca.crt")
		users:
		- name: $name
		  user:
		    client-certificate-data: $(base64 -w0 "$PKI/$name.crt")
		    client-key-data: $(base64 -w0 "$PKI/$name.key")
		contexts:
		- name: solrbench
		  context: {cluster: solrbench, user: $name}
		current-context: solrbench
	EOF
	mv "$STATE/$name.tmp" "$STATE/$name.conf"
}

make_authority() {
	[[ ! -s $PKI/ca.crt ]] || return 0
	openssl ecparam -name prime256v1 -genkey -noout -out "$PKI/ca.key"
	openssl req -x509 -new -key "$PKI/ca.key" -subj /CN=solrbench-ca -days 3650 \
		-addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature -out "$PKI/ca.tmp"
	mv "$PKI/ca.tmp" "$PKI/ca.crt"
}

make_certificates() {
	local names=DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc
	names+=,DNS:kubernetes.default.svc.cluster.local,DNS:localhost
	umask 077
	mkdir -p "$PKI"
	make_authority
	[[ -s $PKI/tokens.key ]] || openssl genrsa -out "$PKI/tokens.key" 2048 2>/dev/null
	sign apiserver /CN=kube-apiserver extendedKeyUsage=serverAuth \
		"subjectAltName=$names,IP:127.0.0.1,IP:$NODE_ADDRESS,IP:$SERVICE_ADDRESS"
	sign apiserver-kubelet /O=system:masters/CN=kube-apiserver-kubelet extendedKeyUsage=clientAuth
	sign kubelet-server "/CN=$NODE_NAME" extendedKeyUsage=serverAuth \
		"subjectAltName=DNS:$NODE_NAME,IP:$NODE_ADDRESS"
	client admin /O=system:masters/CN=admin
	client kubelet "/O=system:nodes/CN=system:node:$NODE_NAME"
	client controller-manager /CN=system:kube-controller-manager
	client scheduler /CN=system:kube-scheduler
	client proxy /CN=system:kube-proxy
	umask 022
}
