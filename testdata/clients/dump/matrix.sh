#!/usr/bin/env bash
# The steps by pg_dump and pg_restore: host, port and schema are the arguments; prints a
# line of JSON for the version and one for each step, with what was said if it failed.
# What is dumped is restored in its own place, and dumped again.
set -uo pipefail
host=$1 port=$2 schema=$3 docks="$3 docks"
folder=$(dirname "$0")
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
at=(-h "$host" -p "$port" -U trireme)
sql() { psql -XqAt -v ON_ERROR_STOP=1 -v schema="$schema" -v docks="$docks" "${at[@]}" trireme "$@" 2>&1; }
dump() { pg_dump "${at[@]}" -n "$schema" -n "\"$docks\"" "$@" trireme 2>"$here/said" || { cat "$here/said"; return 1; }; }
# The text without the program's versions, and with one name for the schemas.
plain() { sed -e '/^\\\(un\)\?restrict/d' -e '/^-- Dumped/d' -e "s/$schema/yard/g" "$1"; }
same() { diff <(plain "$1") <(plain "$2"); }
drop() { sql -c "DROP SCHEMA \"$schema\" CASCADE" -c "DROP SCHEMA \"$docks\" CASCADE"; }
whole() { dump >"$here/again" || { cat "$here/again"; return 1; }; same "$here/whole" "$here/again"; }

plain_format() {
  sql -f "$folder/schema.sql" >"$here/made" || { cat "$here/made"; return 1; }
  dump >"$here/whole" || { cat "$here/whole"; return 1; }
  diff "$folder/dump.out" <(plain "$here/whole")
}

restore() { drop && sql -f "$here/whole" >"$here/restored" || { cat "$here/restored"; return 1; }; whole; }

parts() {
  dump --schema-only >"$here/schema" && dump --data-only --inserts >"$here/data" || { cat "$here/schema" "$here/data"; return 1; }
  drop && sql -f "$here/schema" >"$here/restored" || { cat "$here/restored"; return 1; }
  # Foreign keys are there: DuckDB finds no row of the same statement, such as COPY, that another refers to.
  sql -f "$here/data" >"$here/restored" || { cat "$here/restored"; return 1; }
  whole
}

inserts() {
  dump --inserts >"$here/inserts" || { cat "$here/inserts"; return 1; }
  drop && sql -f "$here/inserts" >"$here/restored" || { cat "$here/restored"; return 1; }
  whole
}

table() {
  pg_dump "${at[@]}" -t "$schema.harbour" trireme >"$here/table" && grep -q '^COPY .*harbour' "$here/table" && ! grep -q ship "$here/table"
}

custom() {
  dump -Fc -f "$here/custom" && drop && pg_restore "${at[@]}" -d trireme "$here/custom" 2>&1 && whole
}

printf '{"version": "%s"}\n' "$(pg_dump --version | sed 's/.*PostgreSQL) \([0-9.]*\).*/\1/')"
for step in plain:plain_format restore parts inserts table custom; do
  if said=$("${step#*:}"); then
    printf '{"step": "%s"}\n' "${step%%:*}"
  else
    printf '{"step": "%s", "error": "%s"}\n' "${step%%:*}" "$(tr '\n"\\\t' "|'/ " <<<"$said")"
  fi
done
