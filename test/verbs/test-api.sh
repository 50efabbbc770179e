# test-api [OPERATION]: the OpenAPI document against validators, a linter, a generated client and Prism
#
# Reads the document of build/svcd with two validators and a linter, generates a client from it, and sends every request through Prism,
# which compares each answer with the document. With OPERATION (createCluster) only that operation is called. Needs node and npm; the
# packages are those of test/api/package-lock.json, by their hashes, and go into build/api.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  TOOLS='node npm'
  daemon
  mkdir -p build/api
  if ! cmp -s test/api/package-lock.json build/api/installed; then
    say 'test-api: installing packages'
    cp test/api/package.json test/api/package-lock.json build/api/
    (cd build/api && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || { cat build/api/npm.log >&2; die 'npm ci failed'; }
    cp test/api/package-lock.json build/api/installed
  fi
  cp test/api/*.mjs test/api/spectral.yaml build/api/
  node build/api/run.mjs "$PWD/build/svcd" "$@" 9<&-
}
