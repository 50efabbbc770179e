#!/bin/sh
# svcd copy: a service on LMDB is copied to PostgreSQL, serves the same data from there, continues, and is copied back. A target
# that is not empty is left unchanged, an interrupted copy is not accepted as a store, and a single different byte is found. The other verbs
# work with --store as well. The check needs a server: SVC_TEST_STORE=postgres ./build.sh test starts one.
. test/check/common

[ -n "${SVC_TEST_POSTGRES:-}" ] || { echo "skipped: no PostgreSQL (SVC_TEST_STORE=postgres ./build.sh test copy)"; exit 0; }
tool psql
T=build/check/copy
flags='--base-url http://svc.test --limiter-off --provision-seconds 0'
. test/check/service

sql() { psql -h "$SVC_TEST_POSTGRES" -U svc -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1" || fail "psql: $1"; }
uri() { echo "postgresql:///postgres?user=svc&host=$SVC_TEST_POSTGRES&options=-csearch_path%3Dcopy_$1"; } # of a new store
for s in one two three cut backup; do sql "SET client_min_messages = error; DROP SCHEMA IF EXISTS copy_$s CASCADE; CREATE SCHEMA copy_$s"; done

answers() { # FILE: the answers that a client sees, without the day on which a key was last used
  group=$(of groupId); org=$(of orgId)
  for p in /orgs "/orgs/$org" "/orgs/$org/apiKeys" "/orgs/$org/serviceAccounts" "/orgs/$org/events" "/orgs/$org/teams" "/orgs/$org/invoices" \
    "/orgs/$org/settings" /groups "/groups/$group" "/groups/$group/clusters" "/groups/$group/clusters/Main" "/groups/$group/databaseUsers" \
    "/groups/$group/accessList" "/groups/$group/alertConfigs" "/groups/$group/events" "/groups/$group/settings"; do
    printf '%s ' "$p"; call -w ' %{http_code}\n' "$url/api/svc/v2$p"
  done | sed 's/"lastUsed[A-Za-z]*":"[^"]*",*//g' >"$1"
  [ "$(grep -c ' 200$' "$1")" = 17 ] || { cut -c1-200 "$1"; fail "not all of them can be read"; }
}
same() { cmp -s "$1" "$2" || { diff "$1" "$2" | cut -c1-300; fail "$3"; }; }

# ---- from LMDB to PostgreSQL -----------------------------------------------------------------------------------------

begin --data $T/data
make "/groups/$(of groupId)/clusters" '{"name":"Main","clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"electableSpecs":{"instanceSize":"M10"},"providerName":"AWS","regionName":"US_EAST_1","priority":7}]}]}'
make "/groups/$(of groupId)/databaseUsers" '{"databaseName":"admin","username":"app","password":"correct horse","roles":[{"roleName":"read","databaseName":"shop"}]}'
make "/groups/$(of groupId)/accessList" '[{"ipAddress":"192.0.2.9"}]'
for i in 1 2 3 4 5 6 7 8; do make /groups "{\"name\":\"p$i\",\"orgId\":\"$(of orgId)\"}"; done
answers $T/first
refused 'in use' copy --from $T/data --to "$(uri one)"
end
works copy --from $T/data --to "$(uri one)"
[ "$(grep -c 'records, .* counts, .* bytes, SHA-256 [0-9a-f]\{64\}$' $T/out)" = 2 ] || fail "copy does not say what it has read"
[ "$(sed -n 's/.*SHA-256 //p' $T/out | sort -u | wc -l)" = 1 ] || fail "the two hashes are not the same"
works copy --from $T/data --to "$(uri one)" --verify-only
refused 'not empty, and is left unchanged' copy --from $T/data --to "$(uri one)"
works copy --from $T/data --to "$(uri one)" --verify-only
works check --store "$(uri one)"

begin --data $T/data --store "$(uri one)"
answers $T/second
same $T/first $T/second "from PostgreSQL the service answers something else"
# another svcd on the same store, with an empty folder, creates its own key: it is refused, also after this one has ended
if timeout 60 build/svcd --listen http://127.0.0.1:0 --data $T/stranger --store "$(uri one)" >$T/out.stranger 2>$T/err.stranger; then fail "any key is accepted"; fi
grep -q "the secret key is not this store's" $T/err.stranger || { cat $T/err.stranger; fail "there is no message about the key"; }
[ ! -e $T/stranger/secret.key ] || fail "the key that was refused is there as if it were the store's"
head -c 32 /dev/zero >$T/stranger/secret.key; chmod 600 $T/stranger/secret.key
refused "the secret key is not this store's" check --data $T/stranger --store "$(uri one)"
works check --data $T/data --store "$(uri one)"

# ---- a backup while it serves, and further changes -------------------------------------------------------------------

works backup --store "$(uri one)" --data $T/data --to $T/saved --with-key
[ "$(find $T/saved -type f | wc -l)" = 2 ] && [ -f $T/saved/secret.key ] || fail "a backup is more than the store and the key"
works backup --store "$(uri one)" --to "$(uri backup)"
make /groups "{\"name\":\"later\",\"orgId\":\"$(of orgId)\"}"
[ "$(call -X DELETE -o $T/answer -w '%{http_code}' "$url/api/svc/v2/groups/$(of groupId)/databaseUsers/admin/app")" = 204 ] || fail "DELETE on PostgreSQL"
make "/groups/$(of groupId)/databaseUsers" '{"databaseName":"admin","username":"other","password":"correct horse","roles":[{"roleName":"read","databaseName":"shop"}]}'
answers $T/third
works copy --from "$(uri one)" --to "$(uri two)" # while it serves: the copy is a consistent state
end

# ---- and back --------------------------------------------------------------------------------------------------------

works copy --from "$(uri one)" --to $T/back
works copy --from "$(uri one)" --to $T/back --verify-only
works copy --from $T/back --to $T/again
refused 'already holds a store' copy --from $T/back --to $T/again
cp $T/data/bootstrap.json $T/data/secret.key $T/back
begin --data $T/back
answers $T/fourth
same $T/third $T/fourth "back from PostgreSQL the service answers something else"
end
cmp -s $T/second $T/third && fail "nothing was changed on PostgreSQL"

# ---- restore, credentials ----------------------------------------------------------------------------------------------

works restore --from $T/saved --store "$(uri three)" --data $T/other --with-key
[ -f $T/other/secret.key ] || fail "restore leaves the key behind"
works restore --from "$(uri backup)" --data $T/restored
works check --data $T/restored
works credentials --data $T/other --store "$(uri three)"
refused 'needs a folder' backup --store "$(uri one)" --data $T/data --to "$(uri cut)" --with-key
refused 'no store to read' copy --from "$(uri cut)" --to $T/nothing
refused 'password on the command line' copy --from $T/data --to postgres://a:b@127.0.0.1/x

# ---- interrupted, and damaged -----------------------------------------------------------------------------------------

sql "SET search_path = copy_cut; SET client_min_messages = error; CREATE TABLE IF NOT EXISTS svc_record (k bytea PRIMARY KEY, v bytea NOT NULL);
  CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN PERFORM pg_sleep(0.1); RETURN NULL; END\$\$;
  CREATE TRIGGER slow AFTER INSERT ON svc_record FOR EACH ROW WHEN (substr(new.k, 1, 1) = 'd'::bytea OR new.k > 'ex'::bytea) EXECUTE FUNCTION slow()"
setsid build/svcd copy --from $T/back --to "$(uri cut)" >$T/out 2>$T/err &
cut=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ "$(sql 'SELECT count(*) > 0 FROM copy_cut.svc_record')" = t ] && break
  sleep 0.2
done
kill -0 $cut 2>/dev/null || fail "the copy ended before it could be cut"
kill -9 -$cut; wait $cut 2>/dev/null || :
for _ in 1 2 3 4 5; do # the child has ended when it has released its store
  build/svcd check --data $T/back >/dev/null 2>&1 && break
  sleep 0.5
done
refused 'an incomplete copy' --data $T/data --store "$(uri cut)" --listen http://127.0.0.1:0
refused 'an incomplete copy' check --store "$(uri cut)"
refused 'an incomplete copy' copy --from "$(uri cut)" --to $T/nothing
refused 'not empty' copy --from $T/back --to "$(uri cut)"

sql "UPDATE copy_two.svc_record SET v = set_byte(v, length(v) - 3, get_byte(v, length(v) - 3) # 1) WHERE k = (SELECT k FROM copy_two.svc_record WHERE length(v) > 9 ORDER BY k DESC LIMIT 1)"
refused 'they differ' copy --from "$(uri one)" --to "$(uri two)" --verify-only
for s in one two three cut backup; do sql "SET client_min_messages = error; DROP SCHEMA copy_$s CASCADE"; done
