# shellcheck shell=bash
# The bridge of the node, and rules that keep every packet of it on the machine.

# The interfaces of our own; every other one leads outward.
GUARDS=(SOLRBENCH-INPUT:INPUT SOLRBENCH-FORWARD:FORWARD SOLRBENCH-OUTPUT:OUTPUT)

# guard_rules CHAIN: the rules of one chain. No NAT is done for pods, so a packet
# that got out by mistake would also find no way back.
guard_rules() {
	case $1 in
	SOLRBENCH-INPUT) # the node's ports are for this machine and its pods
		echo "-i lo -j RETURN"
		echo "-i $BRIDGE -j RETURN"
		echo "-d $POD_RANGE -j DROP"
		echo "-d $SERVICE_RANGE -j DROP"
		echo "-p tcp --dport 6443 -j DROP"
		;;
	SOLRBENCH-FORWARD)
		echo "-i $BRIDGE -o $BRIDGE -j RETURN"
		echo "-i $BRIDGE -j DROP"
		echo "-o $BRIDGE -j DROP"
		echo "-s $POD_RANGE -j DROP"
		;;
	SOLRBENCH-OUTPUT)
		echo "-o lo -j RETURN"
		echo "-o $BRIDGE -j RETURN"
		echo "-d $POD_RANGE -j DROP"
		echo "-d $SERVICE_RANGE -j DROP"
		echo "-s $POD_RANGE -j DROP"
		;;
	esac
}

make_guards() {
	local pair chain parent rule
	for pair in "${GUARDS[@]}"; do
		chain=${pair%:*} parent=${pair#*:}
		iptables -w -N "$chain" 2>/dev/null || iptables -w -F "$chain"
		while read -r rule; do
			# shellcheck disable=SC2086 # a rule is a list of words
			iptables -w -A "$chain" $rule
		done < <(guard_rules "$chain")
		iptables -w -C "$parent" -j "$chain" 2>/dev/null || iptables -w -I "$parent" 1 -j "$chain"
	done
	# Pods have no IPv6 address but the link's own.
	for chain in "-i" "-o"; do
		ip6tables -w -C FORWARD "$chain" "$BRIDGE" -j DROP 2>/dev/null ||
			ip6tables -w -I FORWARD 1 "$chain" "$BRIDGE" -j DROP
	done
}

# keep_sysctl NAME VALUE: sets it, and keeps the old value for "down".
keep_sysctl() {
	local file=/proc/sys/${1//.//}
	[[ -e $STATE/sysctl/$1 ]] || cat "$file" >"$STATE/sysctl/$1"
	echo "$2" >"$file"
}

make_network() {
	mkdir -p "$STATE/sysctl"
	! has modprobe || modprobe -q -a br_netfilter overlay || true
	make_guards
	keep_sysctl net.ipv4.ip_forward 1
	keep_sysctl net.bridge.bridge-nf-call-iptables 1
	ip link show "$BRIDGE" >/dev/null 2>&1 || ip link add "$BRIDGE" type bridge
	ip address replace "$NODE_ADDRESS/24" dev "$BRIDGE"
	ip link set "$BRIDGE" up
	# Service addresses belong to the bridge, so that none is ever sent outward.
	ip route replace "$SERVICE_RANGE" dev "$BRIDGE" src "$NODE_ADDRESS"
}

# drop_chains COMMAND: removes the chains of the cluster, and the jumps to them.
drop_chains() {
	local command=$1 table rule chain ours='(SOLRBENCH-|KUBE-|CNI-|CNI$)'
	has "$command" || return 0
	for table in filter nat mangle; do
		"$command" -w -t "$table" -S | sed -nE "/^-A .*-j $ours/s/^-A/-D/p" |
			while read -r rule; do xargs "$command" -w -t "$table" <<<"$rule"; done
		chain=$("$command" -w -t "$table" -S | sed -nE "s/^-N ($ours.*)/\1/p")
		for rule in $chain; do "$command" -w -t "$table" -F "$rule"; done
		for rule in $chain; do "$command" -w -t "$table" -X "$rule"; done
	done
}

drop_network() {
	local file direction
	! ip link show "$BRIDGE" >/dev/null 2>&1 || ip link del "$BRIDGE"
	drop_chains iptables
	drop_chains ip6tables
	for direction in "-i" "-o"; do
		while ip6tables -w -D FORWARD "$direction" "$BRIDGE" -j DROP 2>/dev/null; do :; done
	done
	for file in "$STATE"/sysctl/*; do
		[[ ! -e $file ]] || cat "$file" >"/proc/sys/$(basename "$file" | tr . /)"
	done
}
