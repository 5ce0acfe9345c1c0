# shellcheck shell=bash
# The Solr Operator and the ZooKeeper operator: their programs and charts, from their Go modules. Each is
# required by an otherwise empty module next to the Dockerfile of its image, which pins all that it is
# built from. No file of theirs is part of this repository.

# The Go module of each.
declare -gA OPERATORS=(
	[solr-operator]=github.com/apache/solr-operator
	[zookeeper-operator]=github.com/pravega/zookeeper-operator
)
STACK=${SOLRBENCH_STACK:-$ROOT/build/solr-benchmark-stack} # tests side by side make one each

operator_module() { echo "$HACK/cluster/image-sources/$1"; }

# operator_folder NAME: where the files of its module are.
operator_folder() {
	go -C "$(operator_module "$1")" mod download "${OPERATORS[$1]}"
	go -C "$(operator_module "$1")" list -m -f '{{.Dir}}' "${OPERATORS[$1]}"
}

# build_operator NAME FOLDER: its program, into the folder.
build_operator() {
	env "${GO_SETTINGS[@]}" nice go -C "$(operator_module "$1")" build "${GO_FLAGS[@]}" -ldflags "-s -w" \
		-o "$2/$1" "${OPERATORS[$1]}"
}

# make_stack: charts/solr-benchmark-stack with its dependencies, as STACK. What "helm dependency update"
# would fetch comes from the modules instead, but for kind and minikube, which take official images too.
make_stack() {
	local charts=$STACK/charts
	if [[ ${CLUSTER:-} == @(kind|minikube) ]]; then
		STACK=$ROOT/charts/solr-benchmark-stack
		helm dependency update "$STACK"
		return
	fi
	rm -rf "$STACK"
	mkdir -p "$(dirname "$STACK")"
	cp -R "$ROOT/charts/solr-benchmark-stack" "$STACK"
	provide_go
	mkdir "$charts"
	cp -R "$ROOT/charts/solr-benchmark-operator" "$charts"
	cp -R --no-preserve=mode "$(operator_folder solr-operator)/helm/solr-operator" "$charts"
	mkdir "$charts/solr-operator/charts"
	charts+=/solr-operator/charts
	cp -R --no-preserve=mode "$(operator_folder zookeeper-operator)/charts/zookeeper-operator" "$charts"
	# The chart of release 0.2.15 was published with these numbers; in the module they are the earlier ones.
	sed -i 's/0\.2\.14/0.2.15/' "$charts"/zookeeper-operator/{Chart,values}.yaml
}

# provide_definitions: those of the Solr Operator. Helm brings them only with a new release, and never the
# later ones; they are too large for the annotation of a client-side apply.
provide_definitions() {
	helm show crds "$STACK" | kubectl apply --server-side --force-conflicts -f - >/dev/null
}

# for_each_namespace COUNT COMMAND: COMMAND NAMESPACE CRDS in each namespace of "hack/install COUNT". The first
# brings the definitions; then the others go side by side.
for_each_namespace() {
	local first=${SOLRBENCH_NAMESPACE:-solrbench} place pid waits=()
	"$2" "$first" true
	for ((place = 1; place < $1; place++)); do
		"$2" "$first-$place" false &
		waits+=($!)
	done
	for pid in "${waits[@]}"; do wait "$pid"; done
}
