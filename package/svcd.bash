# Completion of svcd for bash. It asks the program for its verbs and flags, so it always matches the installed version.
_svcd() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} verb=serve verbs help value
  COMPREPLY=()
  verbs=$("$program" help 2>/dev/null | sed -n 's/^svcd \([a-z-]*\): .*/\1/p')
  if [[ $COMP_CWORD -gt 1 && $verbs =~ (^|[[:space:]])${COMP_WORDS[1]}($|[[:space:]]) ]]; then verb=${COMP_WORDS[1]}; fi
  if [[ ${COMP_WORDS[1]} == help && $COMP_CWORD == 2 ]]; then mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$cur"); return; fi
  help=$("$program" help "$verb" 2>/dev/null)
  value=
  if [[ $prev == --* ]]; then value=$(sed -n "s/^  ${prev//[^a-z-]/} \([A-Z=\/]*\) .*/\1/p" <<<"$help"); fi
  case $prev:$value in
    --*:DIR) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); compopt -o filenames ;;
    --*:FILE) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); compopt -o filenames ;;
    --log-level:*) mapfile -t COMPREPLY < <(compgen -W 'error warning info' -- "$cur") ;;
    --log-format:*) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur") ;;
    --for:*) mapfile -t COMPREPLY < <(compgen -W "$("$program" env --for 2>/dev/null | sed 's/ .*//')" -- "$cur") ;;
    --format:*) mapfile -t COMPREPLY < <(compgen -W 'sh json' -- "$cur") ;;
    --clock:*) mapfile -t COMPREPLY < <(compgen -W manual -- "$cur") ;;
    --driver:*) mapfile -t COMPREPLY < <(compgen -W 'postgres exec:' -- "$cur") ;;
    --*:?*) ;; # a value that only the user knows
    *)
      value=$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' <<<"$help")
      if [[ $COMP_CWORD == 1 ]]; then value="$verbs help $value"; fi
      mapfile -t COMPREPLY < <(compgen -W "$value --help" -- "$cur") ;;
  esac
}
complete -F _svcd svcd
