#!/bin/sh
# svcd export and import: a store in service is exported, imported into another folder, and serves the same data from there; also on PostgreSQL, if
# there is a server (SVC_TEST_STORE=postgres ./build.sh test check/transfer), and back. Stores of older formats are upgraded. A role that may only
# read and write the tables is enough to serve.
. test/check/common

T=build/check/transfer
flags='--base-url http://svc.test --limiter-off --provision-seconds 0 --seal-passwords'
. test/check/service

same() { # FILE FILE: compares two exports, without their first lines and the hash over these
  for f in "$1" "$2"; do sed '1d; s/,"sha256":"[0-9a-f]*"}$/}/' "$f" >"$f.rows"; done
  cmp -s "$1.rows" "$2.rows" || { diff "$1.rows" "$2.rows" | head -n 4 | cut -c1-300; fail "$2 is not the same as $1"; }
}
answers() { # FILE
  group=$(of groupId); org=$(of orgId)
  for p in /orgs "/orgs/$org/apiKeys" "/orgs/$org/events" /groups "/groups/$group/clusters/Main" "/groups/$group/databaseUsers" "/groups/$group/integrations"; do
    printf '%s ' "$p"; call -w ' %{http_code}\n' "$url/api/svc/v2$p"
  done | sed 's/"lastUsed[A-Za-z]*":"[^"]*",*//g' >"$1"
  [ "$(grep -c ' 200$' "$1")" = 7 ] || { cut -c1-200 "$1"; fail "not all of them can be read"; }
}

# ---- a folder ----------------------------------------------------------------------------------------------------------

begin --data $T/data
make "/groups/$(of groupId)/clusters" '{"name":"Main","clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"electableSpecs":{"instanceSize":"M10"},"providerName":"AWS","regionName":"US_EAST_1","priority":7}]}]}'
make "/groups/$(of groupId)/databaseUsers" '{"databaseName":"admin","username":"app","password":"correct horse battery","roles":[{"roleName":"read","databaseName":"shop"}]}'
make "/groups/$(of groupId)/integrations/PAGER_DUTY" '{"type":"PAGER_DUTY","serviceKey":"0123456789abcdef0123456789abcdef","region":"US"}'
answers $T/first
works export --data $T/data --out $T/served # while it is in use
[ ! -e $T/data/export.new ] || fail "the copy stays"
end
works export --data $T/data --out $T/a
[ "$(stat -c %a $T/a)" = 600 ] || fail "others can read the export"
refused 'File exists' export --data $T/data --out $T/a
build/svcd export --data $T/data >$T/a.stdout 2>$T/err || fail "export to standard output"
same $T/a $T/a.stdout
grep -q '"class":"raw"' $T/a && fail "a record has no shape"
if grep -q -e 'correct horse' -e 0123456789abcdef0123456789abcdef $T/a; then fail "a secret is in plain text"; fi
works import --data $T/b --in $T/a
works export --data $T/b --out $T/b.lines
same $T/a $T/b.lines
refused 'already holds a store' import --data $T/b --in $T/a
cp $T/data/secret.key $T/data/bootstrap.json $T/b
begin --data $T/b
answers $T/second
cmp -s $T/first $T/second || fail "after an import the service answers something else"
end

# ---- secrets in plain text, and another key ----------------------------------------------------------------------------------

works export --data $T/data --with-secrets --out $T/clear
grep -q 'SECRETS IN CLEAR' $T/err || fail "there is no warning that secrets are in plain text"
[ "$(grep -c -e '"password":"correct horse battery"' -e '"serviceKey":"0123456789abcdef0123456789abcdef"' $T/clear)" = 2 ] || fail "not all secrets are in plain text"
refused 'no key to seal them' import --data $T/keyless --in $T/clear
mkdir -p $T/c; head -c 32 /dev/urandom >$T/c/secret.key; chmod 600 $T/c/secret.key
works import --data $T/c --in $T/clear
works check --data $T/c
works export --data $T/c --with-secrets --out $T/c.lines
same $T/clear $T/c.lines

# ---- truncated, changed, killed ---------------------------------------------------------------------------------------------

sed '$d' $T/a >$T/cut
refused 'it was cut' import --data $T/d1 --in $T/cut
refused 'an incomplete copy' check --data $T/d1
sed '7s/"class"/"klass"/' $T/a >$T/bad
refused 'line 7: ' import --data $T/d2 --in $T/bad
sed 's/"correct/"Correct/; s/"Main"/"Mein"/' $T/a >$T/bad
refused 'line [0-9]*: ' import --data $T/d3 --in $T/bad
sed '1s/"storeFormat":5/"storeFormat":99/' $T/a >$T/bad
refused 'newer format' import --data $T/d4 --in $T/bad
(head -n 20 $T/a; sleep 6) | setsid build/svcd import --data $T/d5 >$T/out 2>$T/err &
cut=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s $T/d5/data.mdb ] && break; sleep 0.3; done
sleep 0.3
kill -9 -$cut; wait $cut 2>/dev/null || :
refused 'an incomplete copy' check --data $T/d5

# ---- older formats -------------------------------------------------------------------------------------------------------------

for n in 3 3-roles 4; do
  mkdir -p $T/f$n; gzip -dc test/formats/$n.gz >$T/f$n/data.mdb
  refused 'older version' check --data $T/f$n
  works check --data $T/f$n --upgrade
  grep -q "^upgraded:      format ${n%-roles} to 5" $T/out || fail "check does not say what it has upgraded"
  saved=$(sed -n 's/^backup: *\([^,]*\),.*/\1/p' $T/out)
  [ -s "$saved/data.mdb" ] || fail "there is no backup of format $n"
  works check --data $T/f$n
  begin --data $T/f$n --upgrade; end
done
# killed at any time, also during the backup: the next upgrade continues, and a backup of the old format exists
for n in 3-roles 4; do
  killed=0
  for ms in 1 2 3 4 5 6 7 8 10 12 14 17 20 25 30; do
    rm -rf $T/k; mkdir -p $T/k; gzip -dc test/formats/$n.gz >$T/k/data.mdb
    if timeout -s KILL "0.0$(printf %02d $ms)" build/svcd check --data $T/k --upgrade >$T/out 2>$T/err; then continue; fi
    killed=$((killed + 1))
    for _ in 1 2 3 4 5 6 7 8 9 10; do # the killed process may still be ending
      build/svcd check --data $T/k --upgrade >$T/out 2>$T/err && break
      grep -q 'in use' $T/err || break
      sleep 0.1
    done
    works check --data $T/k
    whole=0
    for f in "$T/k/format-${n%-roles}"-*; do
      rm -rf $T/old; mkdir $T/old; cp "$f/data.mdb" $T/old 2>/dev/null || continue
      if build/svcd check --data $T/old --upgrade >$T/out 2>&1; then whole=$((whole + 1)); fi
    done
    [ $whole -ge 1 ] || fail "format $n, killed after $ms ms: there is no backup that can be used"
  done
  [ $killed -ge 1 ] || fail "format $n: no upgrade was killed"
  begin --data $T/k; end
done
for n in 1 2; do
  mkdir -p $T/f$n; gzip -dc test/formats/$n.gz >$T/f$n/data.mdb
  refused "no upgrade from format $n" check --data $T/f$n --upgrade
done

# ---- PostgreSQL ------------------------------------------------------------------------------------------------------------------

[ -n "${SVC_TEST_POSTGRES:-}" ] || exit 0
tool psql
sql() { psql -h "$SVC_TEST_POSTGRES" -U svc -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1" || fail "psql: $1"; }
uri() { echo "postgresql:///postgres?user=${2:-svc}&host=$SVC_TEST_POSTGRES&options=-csearch_path%3Dtransfer_$1"; }
sql "SET client_min_messages = error; DROP SCHEMA IF EXISTS transfer_one CASCADE; DROP SCHEMA IF EXISTS transfer_two CASCADE; CREATE SCHEMA transfer_one; CREATE SCHEMA transfer_two;
  DROP ROLE IF EXISTS transfer_dml; CREATE ROLE transfer_dml LOGIN; GRANT USAGE ON SCHEMA transfer_one, transfer_two TO transfer_dml"
works import --store "$(uri one)" --in $T/a
works export --store "$(uri one)" --out $T/p.lines
same $T/a $T/p.lines
works import --data $T/e --in $T/p.lines
works export --data $T/e --out $T/e.lines
same $T/a $T/e.lines
refused 'not empty' import --store "$(uri one)" --in $T/a
# tables are created by a privileged role; then a role that may only read and write them is enough
refused 'permission denied' import --store "$(uri two transfer_dml)" --in $T/a
works schema --print
sed 's/ROLE/transfer_dml/; s/^-- GRANT/GRANT/' $T/out | PGOPTIONS='-csearch_path=transfer_two' psql -h "$SVC_TEST_POSTGRES" -U svc -d postgres -q -v ON_ERROR_STOP=1 >/dev/null || fail "the SQL of svcd schema --print"
works schema --store "$(uri two)"
works schema --store "$(uri two transfer_dml)"
works import --store "$(uri two transfer_dml)" --in $T/a
begin --data $T/data --store "$(uri two transfer_dml)"
answers $T/third
cmp -s $T/first $T/third || fail "from PostgreSQL, after an import, the service answers something else"
make "/groups" "{\"name\":\"more\",\"orgId\":\"$(of orgId)\"}"
end
# a higher minor number is accepted, a higher major number is refused
sql "COMMENT ON TABLE transfer_two.svc_record IS 'svcapi schema 1.7'"
works check --store "$(uri two transfer_dml)"
sql "COMMENT ON TABLE transfer_two.svc_record IS 'svcapi schema 2.0'"
refused 'its schema is 2.0' check --store "$(uri two transfer_dml)"
sql "SET client_min_messages = error; DROP SCHEMA transfer_one CASCADE; DROP SCHEMA transfer_two CASCADE; DROP ROLE transfer_dml"
