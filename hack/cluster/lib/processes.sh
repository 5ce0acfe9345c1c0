# shellcheck shell=bash
# Long-running programs: started with a record, ended by that record only.

# The record of a program is "PID START EXE": a pid alone may since have gone to
# another program, but not with the same start time (field 22 of /proc/PID/stat).
record_of() { echo "$STATE/pid/$1"; }

start_time() {
	local stat
	stat=$(<"/proc/$1/stat") 2>/dev/null || return 1
	stat=${stat##*) } # the name in brackets may hold blanks
	cut -d' ' -f20 <<<"$stat"
}

# is_running NAME: sets PID when the recorded program still is that program.
is_running() {
	local start exe
	read -r PID start exe 2>/dev/null <"$(record_of "$1")" || return 1
	[[ $(start_time "$PID" 2>/dev/null) == "$start" && $(readlink "/proc/$PID/exe") == "$exe" ]]
}

# start NAME PROGRAM ARGUMENT…: unless it runs. The child writes its own record
# before it becomes the program, so none is ever without one.
start() {
	local name=$1 exe self
	shift
	is_running "$name" && return
	exe=$(readlink -f "$(type -P "$1")") || die "no program $1"
	mkdir -p "$STATE/log" "$STATE/pid"
	(
		exec {LOCK}>&-
		self=$BASHPID # inside $(…) it would name another process
		echo "$self $(start_time "$self") $exe" >"$(record_of "$name")"
		exec setsid "$@" >>"$STATE/log/$name.log" 2>&1 </dev/null
	) &
	disown
}

is_gone() { ! is_running "$1"; }

# stop NAME: TERM, then KILL after ten seconds.
stop() {
	local deadline=$((SECONDS + 10))
	if is_running "$1"; then
		kill -TERM "$PID" 2>/dev/null || true
		until is_gone "$1" || ((SECONDS >= deadline)); do sleep 0.1; done
		if is_running "$1"; then
			kill -KILL "$PID" 2>/dev/null || true
			wait_for 10 "$1" "the end of $1" is_gone "$1"
		fi
	fi
	rm -f "$(record_of "$1")"
}
