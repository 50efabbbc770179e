# dist [ARCH]...: build/dist, an archive that compiles offline, and static svcd for amd64, arm64, armhf (or none)
#
# Writes the source archive, a static svcd for each ARCH (default: all three; none: no program), SHA256SUMS, a list of components (CycloneDX)
# and a Dockerfile. The functions are in package/package.sh.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() { dist "$@"; }
