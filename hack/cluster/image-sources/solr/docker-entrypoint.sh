#!/bin/bash
# Prepares /var/solr, then runs the command. NO_INIT_VAR_SOLR leaves it alone.
set -euo pipefail

if [[ -z ${NO_INIT_VAR_SOLR:-} ]]; then
	mkdir -p "$SOLR_HOME" "$SOLR_LOGS_DIR"
	if [[ ! -f $SOLR_HOME/solr.xml ]]; then
		cp /opt/solr/server/solr/solr.xml "$SOLR_HOME/solr.xml"
	fi
fi
if [[ ${1:-} == -* ]]; then
	set -- solr-foreground "$@"
fi
exec "$@"
