# test-api [OPERATION]: the OpenAPI document against validators, a linter, a generated client and Prism
#
# Reads the document of build/svcd with two validators and a linter, generates a client from it, and sends every request through Prism,
# which compares each answer with the document. With OPERATION (createCluster) only that operation is called. Needs node and npm; the
# packages are those of test/api/package-lock.json, by their hashes, and go into build/api.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  TOOLS='node npm'
  daemon
  npm_packages api
  cp test/api/*.mjs test/api/spectral.yaml build/api/
  node build/api/run.mjs "$PWD/build/svcd" "$@" 9<&-
}
