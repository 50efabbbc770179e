#compdef svcd
# Completion of svcd for zsh. It asks the program for its verbs and flags, so it always matches the installed version.
local verb=serve help value
local -a verbs flags
verbs=(${(f)"$(_call_program verbs $words[1] help 2>/dev/null | sed -n 's/^svcd \([a-z-]*\): \(.*\)/\1:\2/p')"})
if (( CURRENT > 2 )) && (( ${${verbs%%:*}[(Ie)$words[2]]} )); then verb=$words[2]; fi
help=$(_call_program flags $words[1] help $verb 2>/dev/null)
value=$(print -r -- $help | sed -n "s/^  ${words[CURRENT-1]//[^a-z-]/} \([A-Z=\/]*\) .*/\1/p")
case $words[CURRENT-1]:$value in
  --*:DIR) _files -/; return ;;
  --*:FILE) _files; return ;;
  --*:?*) _message $value; return ;;
esac
flags=(${(f)"$(print -r -- $help | sed -n 's/^  \(--[a-z-]*\)[^ ]*\( [A-Z][A-Z=\/]*\)\{0,1\}  *\(.*\)/\1:\3/p')"})
if (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ $words[2] == help ]]; }; then _describe verb verbs; fi
if [[ $words[2] != help ]]; then _describe flag flags; fi
