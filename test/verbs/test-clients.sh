# test-clients: drives build/svcd with clients of the public API, unmodified, and with clients generated from our OpenAPI document
#
# Installs npm packages into build/clients: mongodb-atlas-api-client; mongodb-mcp-server; openapi-typescript with openapi-fetch; @hey-api/openapi-ts.
# Ansible runs its modules for this API, which Debian has from version 13 on; on an older Debian they are fetched into build/clients. Each
# client creates a cluster, a database user and an access list entry, and waits; docs/clients.md says what else each does. svcd speaks the
# dialect of the public service (examples/dialects/atlas.json). Needs node, npm, ansible-core and openssl.

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

# Debian 13's ansible 12.0.0: only its modules are used, with the installed ansible-core.
ANSIBLE_PACKAGE='pool/main/a/ansible/ansible_12.0.0+dfsg-0+deb13u1_all.deb 2cda0351cdc47a48c224dde517aaff53a5977ab935faeccdd0f595b58df37adf'
ANSIBLE_FOLDER=usr/lib/python3/dist-packages

clients_ansible() { # $ANSIBLE_MODULES: the folder that has the collections
  ANSIBLE_MODULES=/$ANSIBLE_FOLDER; export ANSIBLE_MODULES
  [ ! -f "$ANSIBLE_MODULES/ansible_collections/community/mongodb/plugins/modules/mongodb_atlas_cluster.py" ] || return 0
  ANSIBLE_MODULES=$PWD/build/clients/ansible/$ANSIBLE_FOLDER
  [ ! -d "$ANSIBLE_MODULES" ] || return 0
  mkdir -p "$D/dl" build/clients/ansible
  archive=$D/dl/ansible.deb
  # shellcheck disable=SC2086
  sha_ok "$archive" "${ANSIBLE_PACKAGE#* }" || download $ANSIBLE_PACKAGE "$archive" || die "no mirror has ${ANSIBLE_PACKAGE% *}"
  dpkg-deb --fsys-tarfile "$archive" | tar -x -C build/clients/ansible --wildcards "./$ANSIBLE_FOLDER/ansible_collections/community/mongodb/*" || exit 1
}

verb() {
  [ $# = 0 ] || die "test-clients takes no arguments"
  need node npm ansible openssl dpkg-deb
  daemon
  clients_install
  clients_generate
  clients_ansible
  for client in atlas_api_client mcp_server ansible; do node test/clients/$client.mjs 9<&- || exit 1; done
  for client in openapi_fetch hey_api; do $bin/tsx build/clients/src/$client.ts 9<&- || exit 1; done
}
