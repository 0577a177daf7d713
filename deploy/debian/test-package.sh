#!/bin/sh
# Installs, upgrades and removes the Debian package in a fresh Debian, and plays a game across the upgrade.
#
#   test-package.sh BEFORE.deb NEW.deb OLD_STORE.db
#
# Runs as root and needs debootstrap, curl and jq. OLD_STORE.db is a SQLite store of an older version.
set -eu
before=$1 new=$2 old_store=$3
folder=target/package-test
base=$folder/debian root=$folder/root

fail() {
    echo "test-package: $*" >&2
    exit 1
}

# A Debian with systemd, made once.
if ! [ -e "$base/done" ]; then
    rm -rf "$base"
    debootstrap --variant=minbase --include=systemd bookworm "$base"
    touch "$base/done"
fi
rm -rf "$root"
cp --archive "$base" "$root"

install_package() {
    cp "$1" "$root/tmp/noughts.deb"
    chroot "$root" dpkg --install /tmp/noughts.deb
}

server=
start() {
    chroot --userspec=nobody:nogroup "$root" noughts serve --http 127.0.0.1:0 --tcp none --tcp-pairs none \
        --store "sqlite:/var/lib/noughts/$1" > "$root/tmp/serve.log" 2>&1 &
    server=$!
    url=
    for _ in $(seq 300); do
        url=$(sed -n 's/^http *\(127[^ ]*\).*/http:\/\/\1/p' "$root/tmp/serve.log")
        [ -z "$url" ] || return 0
        sleep 0.1
    done
    cat "$root/tmp/serve.log" >&2
    fail "the server does not listen"
}
stop() {
    kill "$server"
    wait "$server" || fail "the server ended with exit code $?"
    server=
}
trap '[ -z "$server" ] || kill "$server"' EXIT

send() {
    curl --silent --show-error --fail-with-body --header 'Content-Type: application/json' "$@"
}
# Plays the first legal move of the game $id.
move() {
    view=$(send "$url/api/games/$id")
    body=$(echo "$view" | jq --compact-output '{turn: .turn, play: .legal[0]}')
    view=$(send --header "Authorization: Bearer $token" --data "$body" "$url/api/games/$id/actions")
}

install_package "$before"
mkdir -p "$root/var/lib/noughts"
cp "$old_store" "$root/var/lib/noughts/old.db"
chown -R 65534:65534 "$root/var/lib/noughts"
chroot "$root" noughts --version
echo '# changed by the administrator' >> "$root/etc/noughts.conf"

start noughts.db
game=$(send --data '{"variant":"3x3k3","seats":[{"human":"Ann"},{"robot":"first"}]}' "$url/api/games")
id=$(echo "$game" | jq --raw-output .id)
token=$(echo "$game" | jq --raw-output '.tokens["0"]')
move
turn=$(echo "$view" | jq .turn)
stop

install_package "$new"
chroot "$root" noughts --version
grep -q 'changed by the administrator' "$root/etc/noughts.conf" || fail "the upgrade replaced /etc/noughts.conf"
[ "$(stat --format %a "$root/etc/noughts.conf")" = 600 ] || fail "others can read /etc/noughts.conf"

start noughts.db
after=$(send "$url/api/games/$id" | jq .turn)
[ "$after" = "$turn" ] || fail "turn $turn became $after by the upgrade"
for _ in 1 2 3 4 5; do
    [ "$(echo "$view" | jq .outcome)" != null ] || move
done
echo "$view" | jq --compact-output --exit-status .outcome || fail "the game does not end"
stop

# The store of an older version opens, with its games.
start old.db
games=$(send "$url/api/games?status=over" | jq '.games | length')
[ "$games" -gt 0 ] || fail "the games of the older store are lost"
stop

chroot "$root" systemd-analyze verify --man=no noughts.service
gzip --test "$root/usr/share/man/man1/noughts.1.gz"
chroot "$root" bash -n /usr/share/bash-completion/completions/noughts
chroot "$root" dpkg --verify noughts | grep -v ' c /etc/noughts.conf$' && fail "installed files differ from the package"

chroot "$root" dpkg --remove noughts
[ ! -e "$root/usr/bin/noughts" ] || fail "the program is still there after the removal"
chroot "$root" dpkg --purge noughts
[ ! -e "$root/etc/noughts.conf" ] || fail "the configuration is still there after the purge"
[ -s "$root/var/lib/noughts/noughts.db" ] || fail "the purge deleted the games"
echo "test-package: installed, played, upgraded, removed"
