#!/bin/sh
# man.sh: generates the manual pages from their sources, so that no text is written twice. svcapi(3) comes from svcapi.h: comments become
# text, declarations stay as they are. svcd(8) comes from svcd.8.in and the output of svcd help.
#
#   man.sh svcapi VERSION DATE <svcapi.h    man.sh svcd VERSION DATE <(output of svcd help)
set -eu
LC_ALL=C; export LC_ALL

case $1 in
svcapi) exec awk -v version="$2" -v date="$3" '
  function roff(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.\x27]/) s = "\\&" s; return s }
  function end_code() { if (code) print ".EE"; code = 0 }
  function begin_code() { if (!code) print ".PP\n.EX"; code = 1 }
  function text(s) { # one line of a comment, without its asterisks
    if (s ~ /^ *$/) { end_code(); paragraph = 1; return }
    if (s ~ /^  /) { begin_code(); print roff(s); return }
    end_code()
    if (match(s, /^[A-Z][A-Z][A-Z ]*\. /)) { # a heading of the comment at the top
      print ".SS " substr(s, 1, 1) tolower(substr(s, 2, RLENGTH - 3)); s = substr(s, RLENGTH + 1)
    } else if (paragraph) print ".PP"
    paragraph = 0
    print roff(s)
  }
  BEGIN {
    printf ".TH SVCAPI 3 \"%s\" \"svcapi %s\"\n", date, version
    print ".ad l\n.nh\n.SH NAME\nsvcapi \\- administration API for database deployments, as a library"
    print ".SH SYNOPSIS\n.EX\n#include <svcapi.h>\n\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs svcapi)\n.EE\n.SH DESCRIPTION"
  }
  /^#ifdef __cplusplus/ { skip = 1 }
  skip { if (/^#endif/) skip = 0; next }
  /^#(ifndef|define|endif).*SVCAPI_H/ || /^#include/ { next }
  /^\/\* -----+.*\*\/$/ { # a section
    end_code(); s = $0; gsub(/^\/\* -+ *| *\*\/$/, "", s); if (s != "") print ".SH " toupper(s); paragraph = 0; next }
  !open && /^\/\*$/ { open = 1; paragraph = 1; next }
  open && /^\*\/$/ { open = 0; next }
  open { sub(/^\*\* ?/, ""); text($0); next }
  /^ *$/ { end_code(); next }
  { begin_code(); print roff($0) }
  END { end_code(); print ".SH SEE ALSO\n.BR svcd (8)" }' ;;
svcd)
  awk -v version="$2" -v date="$3" '
    function roff(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.\x27]/) s = "\\&" s; return s }
    FNR == NR { # join wrapped lines
      if (n && $0 ~ /^      +[^ ]/) { s = $0; sub(/^ +/, " ", s); help[n] = help[n] s } else help[++n] = $0
      next
    }
    $0 != "@FLAGS@" { gsub(/@VERSION@/, version); gsub(/@DATE@/, date); print; next }
    { for (i = 1; i <= n; i++) {
        s = help[i]
        if (match(s, /^svcd [a-z]+: /)) { print ".SS svcd " substr(s, 6, RLENGTH - 7); print roff(substr(s, RLENGTH + 1)) ; continue }
        if (!match(s, /^  --[a-z-]+( [A-Z][A-Z=\/]*)? +/)) continue
        flag = substr(s, 3, RLENGTH - 2); sub(/ +$/, "", flag); value = ""
        if (split(flag, word, " ") == 2) value = " \\fI" roff(word[2])
        print ".TP\n\\fB" roff(word[1]) value "\\fR"
        print roff(substr(s, RLENGTH + 1))
      } }' - "$(dirname "$0")/svcd.8.in" ;;
*) echo "man.sh: no page '$1'" >&2; exit 2 ;;
esac
