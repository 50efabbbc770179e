# words [--sentences FOLDER]: words per sentence, and how many sentences begin with a pronoun, folder by folder
#
# CONTRIBUTING.md ("Writing") has the rules. --sentences prints the sentences of a folder that begin with a pronoun, each with its file.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() { need python3; python3 test/words.py "$@"; }
