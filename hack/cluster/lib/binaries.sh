# shellcheck shell=bash
# Builds Go programs from the pinned modules in hack/cluster/go. Each result is
# cached under a hash of its sources, so a second "up" builds nothing.

VERSION_PKG=k8s.io/component-base/version

go_key() { hash_of "$HERE/go/$1" "=$(go env GOARCH)"; }

# go_dir MODULE: the folder that holds the module's programs.
go_dir() { echo "$CACHE/bin/$1-$(go_key "$1")"; }

# kubernetes_version: the version that go.mod pins, for "kubectl version".
kubernetes_version() {
	sed -n "s/^.*k8s.io\/kubernetes \(v[0-9.]*\).*$/\1/p" "$HERE/go/kubernetes/go.mod" | head -n 1
}

# go_build MODULE PATTERN: builds into a scratch folder and renames it, so that
# an interrupted build never looks finished.
go_build() {
	local module=$1 pattern=$2 dir tmp flags version
	dir=$(go_dir "$module")
	[[ -d $dir ]] && return
	step "build $module (minutes when nothing is cached)"
	version=$(kubernetes_version)
	flags="-s -w -X $VERSION_PKG.gitVersion=$version -X k8s.io/client-go/pkg/version.gitVersion=$version"
	mkdir -p "$CACHE/bin"
	tmp=$(mktemp -d "$CACHE/bin/.tmp.XXXXXX")
	(cd "$HERE/go/$module" && CGO_ENABLED=0 go build -trimpath -ldflags "$flags" -o "$tmp/" "$pattern")
	chmod 755 "$tmp"
	mv -T "$tmp" "$dir" 2>/dev/null || rm -rf "$tmp"
}

build_binaries() {
	command -v go >/dev/null || die "Go 1.24 or later is needed"
	go_build kubernetes tool
	go_build coredns .
	go_build helm tool
	go_build local-path tool
}
