#!/bin/sh
# Sentences name their subject (CONTRIBUTING.md, "Writing"). This check fails on phrases that hide it, in every text file of the project.
#
# QUOTED are files that must keep such phrases: the header of a release, and lists of the phrases themselves.
. test/check/common
tool git

QUOTED='CONTRIBUTING.md test/check/english.sh test/formats/svcapi-0.1.0.h test/reference.py test/words.py'
GENERATED='svcapi.c docs/branches.md docs/coverage.md docs/errors.md docs/index.md docs/reference/ docs/svcd.md ports/listener/explorer_files.c ports/listener/reference_texts.c'
PHRASES="is none|are none|anew|heeded|(is|are) stronger|for who|of one's own|comes? of|so that nobody|for want of|nobody knows|has no part in|moving house"

left_out() { for skipped in $GENERATED $QUOTED; do case $1 in "$skipped"*) return 0 ;; esac; done; return 1; }

git -c safe.directory="$PWD" ls-files >build/check/files || fail 'git ls-files'
bad=0 looked=0
while read -r f; do
  left_out "$f" && continue
  case $f in *.c|*.h|*.md|*.sh|*.py|*.js|*.mjs|*.go|*.txt|*.ts|*.yml|*.yaml|*.mk|*.html|*.in) ;; *) continue ;; esac
  looked=$((looked + 1))
  if grep -nwiE "$PHRASES" "$f" /dev/null | grep -vE 'is None|[Tt]here (is|are) none'; then bad=1; fi # Python's None is code
done <build/check/files
[ $looked -gt 0 ] || fail 'no file was looked at'
[ $bad = 0 ] || fail 'these phrases hide their subject: CONTRIBUTING.md, "Writing", says what to write instead'
# a reader must not have to guess the subject: few sentences may begin with a pronoun (./build.sh words --sentences FOLDER lists them)
tool python3
python3 test/words.py --most 5 || fail 'too many sentences begin with a pronoun, in the folders above'
# the check can fail: a sentence of the kind is found
printf 'A name that is none does not compile.\n' >build/check/english.txt
grep -qwiE "$PHRASES" build/check/english.txt || fail 'the phrases are not found where they are'
