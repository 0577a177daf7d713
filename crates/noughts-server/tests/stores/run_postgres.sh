# Supervises a PostgreSQL server for tests: sh run_postgres.sh PROGRAMS DIRECTORY. It reads commands and answers
# each with a line. When its input closes, also because the test process was killed, it stops the server and removes
# the directory.
cd "$2" || exit 1
begin() { "$1/pg_ctl" start -w -t 120 -D data -l log -o "-k '$2' -c listen_addresses= -c fsync=off -c max_connections=60" >start.log 2>&1; }
create() { "$1/createdb" -h "$2" -U noughts "$3" >create.log 2>&1; }
end() { "$1/pg_ctl" stop -w -m immediate -D data >stop.log 2>&1; }
trap 'end "$1"; cd /; rm -rf "$2"' EXIT
trap '' INT TERM HUP PIPE
"$1/initdb" -D data -U noughts -A trust -E UTF8 --locale=C --no-sync >initdb.log 2>&1 && begin "$1" "$2" || { cat *.log log >&2; exit 1; }
echo ready
while read -r command name; do
    "$command" "$1" "$2" "$name" || cat *.log log >&2
    echo done
done
