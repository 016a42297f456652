#!/usr/bin/env bash
# The steps by psql: host, port and schema are the arguments; prints a line of
# JSON for the version and one for each step, with what psql said if it failed.
set -uo pipefail
host=$1 port=$2 schema=$3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
# One row a line, no headers, no .psqlrc; stops at the first error.
sql() { psql -XqAt -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate -v schema="$schema" -h "$host" -p "$port" -U trireme trireme "$@" 2>&1; }
same() { [ "$1" = "$2" ] || { printf 'got:\n%s\nwant:\n%s\n' "$1" "$2"; return 1; }; }
# fails CODE STATEMENT: the statement ends with that SQLSTATE.
fails() { local said; said=$(sql -c "$2"); case "$said" in *"ERROR:  $1"*) ;; *) printf '%s: %s\n' "$2" "$said"; return 1 ;; esac; }

connect() { same "$(sql -c 'SELECT 40 + 2')" 42; }

create() {
  sql <<'SQL'
CREATE SCHEMA :schema;
CREATE TABLE :schema.item (id INTEGER PRIMARY KEY, kind VARCHAR NOT NULL, price INTEGER);
CREATE TABLE :schema.sale (shop VARCHAR, item INTEGER, qty INTEGER);
CREATE TABLE :schema.copied (n INTEGER, word VARCHAR);
SQL
}

load() {
  sql <<'SQL' && same "$(sql -c "SELECT count(*), sum(qty) FROM $schema.sale")" '300|36000'
INSERT INTO :schema.item VALUES (1, 'oar', 4), (2, 'sail', 90), (3, 'ram', 700);
INSERT INTO :schema.sale
SELECT CASE WHEN i % 11 <> 0 THEN 'shop ' || i % 7 END, i % 4, CASE WHEN i % 5 <> 0 THEN i END FROM range(300) r(i);
SQL
}

copy() {
  local format
  for format in text csv; do
    printf '%s\n' 'DELETE FROM :schema.copied;' "\\copy $schema.copied FROM '$here/in' (FORMAT $format)" \
      "\\copy (SELECT n, word FROM $schema.copied ORDER BY n) TO '$here/out' (FORMAT $format)" >"$here/script"
    if [ $format = text ]; then
      printf '1\tone\n2\t\\N\n3\ta\\tb\\\\c\n4\té\n5\t\n' >"$here/in"
    else
      printf '1,one\n2,\n3,"a,""b"""\n4,é\n5,""\n' >"$here/in"
    fi
    sql -f "$here/script" && same "$(cat "$here/out")" "$(cat "$here/in")" || return 1
    same "$(sql -c "SELECT count(*), count(word) FROM $schema.copied")" '5|4' || return 1
  done
}

tensors() {
  local join="SELECT s.shop, sum(s.qty * i.price) AS total FROM $schema.sale s JOIN $schema.item i ON s.item = i.id GROUP BY s.shop ORDER BY s.shop"
  local native duckdb
  native=$(sql -c "SET trireme.backend = 'native'" -c "$join" -c 'SHOW trireme.last_backend') &&
    duckdb=$(sql -c "SET trireme.backend = 'duckdb'" -c "$join" -c 'SHOW trireme.last_backend') &&
    same "$(tail -n 1 <<<"$native")" native && same "$(tail -n 1 <<<"$duckdb")" duckdb &&
    same "$(wc -l <<<"$native")" 9 && same "$(head -n -1 <<<"$native")" "$(head -n -1 <<<"$duckdb")"
}

prepared() {
  same "$(sql <<'SQL'
SET TimeZone = 'UTC';
PREPARE each AS SELECT $1::BOOLEAN, $2::SMALLINT, $3::BIGINT, $4::DOUBLE, $5::DECIMAL(9,2), $6::VARCHAR, $7::BYTEA, $8::DATE, $9::TIMESTAMP, $10::TIMESTAMPTZ, $11::UUID, $12::INTEGER IS NULL;
EXECUTE each(true, -32768, 9223372036854775807, 0.1, -12345.67, 'it''s é', '\x00'::BYTEA, '2000-02-29', '1999-12-31 23:59:59.123456', '2024-03-31 01:02:03+00', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', NULL);
PREPARE by_id AS SELECT kind FROM :schema.item WHERE id = $1;
EXECUTE by_id(1);
EXECUTE by_id(3);
DEALLOCATE by_id;
SQL
  )" "t|-32768|9223372036854775807|0.1|-12345.67|it's é|\\x00|2000-02-29|1999-12-31 23:59:59.123456|2024-03-31 01:02:03+00|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|t
oar
ram"
}

# psql reads by a cursor; what it says of itself at the end is the most memory it had, in kB.
stream() {
  local found
  found=$(sql -v FETCH_COUNT=10000 -c "SELECT i FROM range(1000000) r(i)" -f - <<<'\! grep VmHWM /proc/$PPID/status' |
    awk '/VmHWM/ { kb = $2; next } $1 != n { print "row", n, "is", $1; exit } { n++ } END { print n, kb < 32768 ? "not held" : kb " kB" }')
  same "$found" '1000000 not held'
}

# psql asks the server to cancel when it is interrupted, and goes on with the script.
cancel() {
  local endless='SELECT count(*) FROM range(10000000) a(x), range(10000000) b(y) WHERE x * y % 7 = 3' client tries=0
  printf '%s;\nSELECT 42;\n' "$endless" >"$here/script"
  # A job in the background ignores interrupts unless it has a process group of its own.
  set -m
  psql -XqAt -v VERBOSITY=sqlstate -h "$host" -p "$port" -U trireme -f "$here/script" trireme >"$here/said" 2>&1 &
  client=$!
  set +m
  while [ "$(sql -c "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE state = 'active' AND query LIKE '%x * y %' AND pid <> pg_backend_pid()")" = 0 ]; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || { echo 'the statement does not run'; return 1; }
    sleep 0.05
  done
  kill -INT $client
  wait $client
  grep -q 'ERROR:  57014' "$here/said" || { cat "$here/said"; return 1; }
  fails 57014 "SET statement_timeout = '200ms'; $endless"
}

errors() {
  fails 42601 'SELEC 1' && fails 42P01 'SELECT * FROM absent' && fails 23505 "INSERT INTO $schema.item VALUES (1, 'oar', 1)" || return 1
  local said
  said=$(sql -v ON_ERROR_STOP=0 <<'SQL'
BEGIN;
INSERT INTO :schema.item VALUES (7, 'keel', 1);
INSERT INTO :schema.item VALUES (1, 'oar', 1);
SELECT 1;
ROLLBACK;
SELECT count(*) FROM :schema.item;
SQL
  )
  same "$said" 'ERROR:  23505
ERROR:  25P02
3' || return 1
  # psql makes a savepoint before each statement, and returns to it after an error.
  said=$(sql -v ON_ERROR_STOP=0 -v ON_ERROR_ROLLBACK=on <<'SQL'
BEGIN;
INSERT INTO :schema.item VALUES (7, 'keel', 1);
INSERT INTO :schema.item VALUES (1, 'oar', 1);
UPDATE :schema.item SET price = 5 WHERE id = 7;
SELECT 1 / 'x';
COMMIT;
DELETE FROM :schema.item WHERE id > 3 RETURNING price;
SQL
  )
  same "$said" 'ERROR:  23505
ERROR:  22P02
5'
}

metadata() {
  same "$(sql -c "\\dt $schema.*" | cut -d '|' -f 1-3)" "$schema|copied|table
$schema|item|table
$schema|sale|table" && sql -c "\\d $schema.item" >"$here/item" && grep -q '^kind|text||not null|' "$here/item" || { cat "$here/item"; return 1; }
}

escape() { sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/\\t/g' | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'; }

printf '{"client": "psql", "version": "%s"}\n' "$(psql --version | awk '{ print $3 }')"
for step in connect create load tensors prepared copy stream cancel errors metadata; do
  if said=$($step 2>&1); then
    printf '{"step": "%s"}\n' $step
  else
    printf '{"step": "%s", "error": "%s"}\n' $step "$(escape <<<"failed: $said")"
  fi
done
