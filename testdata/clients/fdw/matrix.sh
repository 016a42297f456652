#!/usr/bin/env bash
# The steps by postgres_fdw: a PostgreSQL server of its own reads and writes the server's
# tables as foreign ones. Host, port and schema are the arguments; prints a line of JSON for
# the version and one for each step, with what was said if it failed. What each step prints
# is in the files of the same names.
set -uo pipefail
host=$1 port=$2 schema=$3
folder=$(cd "$(dirname "$0")" && pwd)
bin=$(dirname "$(find /usr/lib/postgresql -path '*/bin/initdb' | sort -V | tail -n 1)")
here=$(mktemp -d)
as=()
if [ "$(id -u)" -eq 0 ]; then # Postgres runs as another user only
  as=(runuser -u postgres --)
  chown postgres "$here"
fi
postgres() { "${as[@]}" "$bin/pg_ctl" -D "$here/data" "$@"; }
trap 'postgres stop -m immediate >/dev/null 2>&1; rm -rf "$here"' EXIT
cd "$here" || exit 1
"${as[@]}" "$bin/initdb" -D "$here/data" -U postgres -A trust --no-sync --no-locale -E UTF8 >"$here/made" 2>&1 &&
  postgres -w -l "$here/data/log" -o "-k $here -c listen_addresses='' -c fsync=off" start >>"$here/made" 2>&1 || { cat "$here/made" >&2; exit 1; }

server() { psql -Xq -h "$host" -p "$port" -U trireme -v ON_ERROR_STOP=1 -v schema="$schema" trireme "$@" 2>&1; }
local() { psql -XqAt -F ' | ' -h "$here" -U postgres -v schema="$schema" -v host="$host" -v port="$port" postgres "$@" 2>&1; }
# Errors are part of what is printed, without the names of this run.
said() { local -a -f "$folder/$1.sql" | sed -e "s#psql:$folder/##" -e "s/$schema/yard/g"; }
step() { diff "$folder/$1.out" <(said "$1"); }

connect() {
  server -f "$folder/schema.sql" && local -v ON_ERROR_STOP=1 -f "$folder/server.sql"
}

printf '{"version": "%s"}\n' "$(psql -XAt -h "$here" -U postgres -c 'SHOW server_version' postgres | sed 's/ .*//')"
if [ -n "${FDW_REWRITE:-}" ]; then # write what the steps print
  connect || exit 1
  for name in import read write analyze transactions; do said "$name" >"$folder/$name.out"; done
  exit
fi
for name in connect import read write analyze transactions; do
  if [ "$name" = connect ]; then said=$(connect); else said=$(step "$name"); fi
  if [ $? -eq 0 ]; then
    printf '{"step": "%s"}\n' "$name"
  else
    printf '{"step": "%s", "error": "%s"}\n' "$name" "$(tr '\n"\\\t' "|'/ " <<<"$said")"
  fi
done
