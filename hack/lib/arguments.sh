# shellcheck shell=bash
# What every script below hack does before all else: prints its head for "--help", and refuses what it does not take.
# The head of one that takes arguments begins with its name and them: "stack [remove]: …", "install [COUNT]: …".
# Read before the script changes its folder. Bash of any version will do.

head=$(sed -n -e '1d' -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0")
usage=""
[[ $head != "${0##*/} "* ]] || usage=" ${head%%:*} "
for argument in "$@"; do
	case $argument in
	-h | --help)
		printf '%s\n' "$head"
		exit
		;;
	esac
	# A name in capitals stands for any word; an option and a word in small letters are meant as they are.
	[[ ${usage//[][|,]/ } != *" $argument "* ]] || continue
	[[ $argument == -* || $usage != *[[:upper:]][[:upper:]]* ]] || continue
	printf 'error: %s takes no "%s"; --help shows what it takes\n' "$0" "$argument" >&2
	exit 2
done

# include FILE…: reads libraries, whose names are then those of the script.
include() {
	local library
	for library in "$@"; do
		# shellcheck source=/dev/null
		. "$library"
	done
}
