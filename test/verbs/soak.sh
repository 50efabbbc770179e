# soak [MINUTES [SEED]]: clients of several roles over HTTPS while the clock moves and svcd is killed
#
# Runs for MINUTES (5). A model predicts every answer; the verb also checks the sizes of svcd and its store. SEED repeats a run.
# svcd's store and logs are in build/soak/data.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  daemon
  O=build/soak
  build soak soak OPT=-O2
  rm -rf build/soak/data; mkdir -p build/soak/data
  SOAK_SVCD=$PWD/build/svcd SOAK_FOLDER=$PWD/build/soak/data build/soak/soak "$@" 9<&-
}
