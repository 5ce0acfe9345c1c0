#!/bin/bash
# "zkServer.sh start-foreground": the only command that a container needs.
set -euo pipefail

[[ ${1:-} == start-foreground ]] || {
	echo "usage: zkServer.sh start-foreground" >&2
	exit 2
}
main=org.apache.zookeeper.server.quorum.QuorumPeerMain # also runs a single server
# shellcheck disable=SC2086 # flags are separated by blanks
exec java "-Xmx${ZK_SERVER_HEAP:-1000}m" \
	-Dlogback.configurationFile=/opt/zookeeper/logback.xml \
	-Dzookeeper.log.dir="$ZOO_LOG_DIR" \
	-XX:+HeapDumpOnOutOfMemoryError -XX:+ExitOnOutOfMemoryError \
	${SERVER_JVMFLAGS:-} ${JVMFLAGS:-} \
	-cp '/opt/zookeeper/lib/*' "$main" "${ZOOCFGDIR:-$ZOO_CONF_DIR}/zoo.cfg"
