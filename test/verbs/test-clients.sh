# test-clients: drives build/svcd with clients of the public API, unmodified, and with clients generated from our OpenAPI document
#
# Installs npm packages into build/clients: mongodb-atlas-api-client; mongodb-mcp-server; openapi-typescript with openapi-fetch; @hey-api/openapi-ts. Each client creates a
# project, a cluster, a database user and an access list entry, waits, updates and deletes. svcd speaks the dialect of the public service
# (examples/dialects/atlas.json). docs/clients.md explains how to point other tools at svcd. Needs node and npm.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

CLIENTS='mongodb-atlas-api-client@4 mongodb-mcp-server@3 openapi-typescript@7 openapi-fetch@0 @hey-api/openapi-ts@0 typescript@5 tsx@4'

clients_install() {
  mkdir -p build/clients/src
  [ -f build/clients/package.json ] || echo '{ "private": true, "type": "module" }' >build/clients/package.json
  # shellcheck disable=SC2086
  (cd build/clients && npm install --no-audit --no-fund --loglevel=error $CLIENTS) || die "npm cannot install $CLIENTS"
}

clients_generate() { # both clients from the same document
  build/svcd openapi --dialect examples/dialects/atlas.json >build/clients/openapi.json || exit 1
  cp test/clients/*.ts test/clients/common.mjs test/clients/tsconfig.json build/clients/src
  bin=build/clients/node_modules/.bin
  $bin/openapi-typescript build/clients/openapi.json --default-non-nullable=false -o build/clients/src/api.d.ts >build/clients/log 2>&1 || { cat build/clients/log; exit 1; }
  rm -rf build/clients/src/hey
  $bin/openapi-ts -i build/clients/openapi.json -o build/clients/src/hey --no-log-file >build/clients/log 2>&1 || { cat build/clients/log; exit 1; }
  $bin/tsc -p build/clients/src || die "the compiler refuses a generated client"
}

verb() {
  [ $# = 0 ] || die "test-clients takes no arguments"
  need node npm
  daemon
  clients_install
  clients_generate
  for client in atlas_api_client mcp_server; do node test/clients/$client.mjs 9<&- || exit 1; done
  for client in openapi_fetch hey_api; do $bin/tsx build/clients/src/$client.ts 9<&- || exit 1; done
}
