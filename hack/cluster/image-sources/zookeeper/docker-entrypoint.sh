#!/bin/bash
# Writes zoo.cfg and myid from the environment, unless they are there already,
# then runs the command. The variables are those of the official image.
set -euo pipefail

write_config() {
	local line
	cat <<-EOF
		dataDir=$ZOO_DATA_DIR
		dataLogDir=$ZOO_DATA_LOG_DIR
		tickTime=$ZOO_TICK_TIME
		initLimit=$ZOO_INIT_LIMIT
		syncLimit=$ZOO_SYNC_LIMIT
		autopurge.snapRetainCount=$ZOO_AUTOPURGE_SNAPRETAINCOUNT
		autopurge.purgeInterval=$ZOO_AUTOPURGE_PURGEINTERVAL
		maxClientCnxns=$ZOO_MAX_CLIENT_CNXNS
		standaloneEnabled=$ZOO_STANDALONE_ENABLED
		admin.enableServer=$ZOO_ADMINSERVER_ENABLED
	EOF
	# Both lists are separated by blanks, on purpose unquoted.
	for line in ${ZOO_SERVERS:-server.1=localhost:2888:3888;2181}; do
		echo "$line"
	done
	if [[ -n ${ZOO_4LW_COMMANDS_WHITELIST:-} ]]; then
		echo "4lw.commands.whitelist=$ZOO_4LW_COMMANDS_WHITELIST"
	fi
	for line in ${ZOO_CFG_EXTRA:-}; do
		echo "$line"
	done
}

if [[ ! -f $ZOO_CONF_DIR/zoo.cfg ]]; then
	write_config >"$ZOO_CONF_DIR/zoo.cfg"
fi
if [[ ! -f $ZOO_DATA_DIR/myid ]]; then
	echo "${ZOO_MY_ID:-1}" >"$ZOO_DATA_DIR/myid"
fi
exec "$@"
