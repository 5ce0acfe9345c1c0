#!/bin/bash
# "zkServer.sh --config FOLDER start-foreground": the only command that the scripts of the ZooKeeper
# operator give. Reads the variables of the official image.
set -euo pipefail

[[ ${1:-} == --config && ${3:-} == start-foreground ]] || {
	echo "usage: zkServer.sh --config FOLDER start-foreground" >&2
	exit 2
}
# The jar with these metrics is in ZooKeeper's distribution, but not to be had from Maven.
sed -i '/^metricsProvider/d' "$2/zoo.cfg"
# The folder holds log4j.properties. Flags are separated by blanks.
# shellcheck disable=SC2086
exec java "-Xmx${ZK_SERVER_HEAP:-1000}m" -Dzookeeper.log.dir=/logs \
	-XX:+HeapDumpOnOutOfMemoryError -XX:+ExitOnOutOfMemoryError \
	${SERVER_JVMFLAGS:-} ${JVMFLAGS:-} \
	-cp "$2:/opt/zookeeper/lib/*" org.apache.zookeeper.server.quorum.QuorumPeerMain "$2/zoo.cfg"
