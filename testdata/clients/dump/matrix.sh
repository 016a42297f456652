#!/usr/bin/env bash
# The steps by pg_dump and pg_restore: host, port and schema are the arguments; prints a
# line of JSON for the version and one for each step, with what was said if it failed.
# What is dumped is restored in its own place, and dumped again.
set -uo pipefail
host=$1 port=$2 schema=$3 docks="$3 docks"
folder=$(dirname "$0")
here=$(mktemp -d)
bin=$(dirname "$(find /usr/lib/postgresql -path '*/bin/initdb' | sort -V | tail -n 1)")
as=()
if [ "$(id -u)" -eq 0 ]; then # Postgres runs as another user only
  as=(runuser -u postgres --)
  chown postgres "$here"
fi
postgres() { "${as[@]}" "$bin/pg_ctl" -D "$here/server" "$@"; }
trap 'postgres stop -m immediate >/dev/null 2>&1; rm -rf "$here"' EXIT
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

# A PostgreSQL server of its own takes what is dumped, and what it dumps is restored here.
elsewhere() {
  (cd "$here" && "${as[@]}" "$bin/initdb" -D "$here/server" -U trireme -A trust --no-sync --no-locale -E UTF8 &&
    postgres -w -l "$here/server/log" -o "-k $here -c listen_addresses='' -c fsync=off" start) >"$here/started" 2>&1 || { cat "$here/started"; return 1; }
  psql -XqAt -v ON_ERROR_STOP=1 -h "$here" -U trireme -f "$here/whole" postgres >"$here/restored" 2>&1 || { cat "$here/restored"; return 1; }
  pg_dump -h "$here" -U trireme -n "$schema" -n "\"$docks\"" postgres >"$here/theirs" 2>&1 || { cat "$here/theirs"; return 1; }
  unpadded() { dump --data-only | sed 's/ *\t/\t/g'; } # PostgreSQL fills texts of character(n)
  unpadded >"$here/rows" && drop && sql -f "$here/theirs" >"$here/restored" || { cat "$here/restored"; return 1; }
  unpadded >"$here/again" && same "$here/rows" "$here/again"
}

printf '{"version": "%s"}\n' "$(pg_dump --version | sed 's/.*PostgreSQL) \([0-9.]*\).*/\1/')"
for step in plain:plain_format restore parts inserts table custom elsewhere; do
  if said=$("${step#*:}"); then
    printf '{"step": "%s"}\n' "${step%%:*}"
  else
    printf '{"step": "%s", "error": "%s"}\n' "${step%%:*}" "$(tr '\n"\\\t' "|'/ " <<<"$said")"
  fi
done
