#!/usr/bin/env python3
"""Makes the stores of schema 1 in this folder, with the release binary of the version before schema 2.

    make.py NOUGHTS SQLITE_FILE JSON_FILE           a SQLite file
    make.py NOUGHTS postgres://... JSON_FILE        a PostgreSQL database, to be dumped by
        pg_dump --no-owner --no-privileges --inserts, without its lines that begin with a backslash

The JSON file has what a test needs: every request with its idempotency key and response, the tokens,
and the views and lists at the end. The server is killed, so that one TCP game is left without its node.
"""
import atexit
import json
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

binary, store, manifest = sys.argv[1:4]
address = store if "://" in store else "sqlite:" + store


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


http, tcp, pairs = free_port(), free_port(), free_port()
server = subprocess.Popen(
    [binary, "serve", "--store", address, "--http", f"127.0.0.1:{http}", "--tcp", f"127.0.0.1:{tcp}",
     "--tcp-pairs", f"127.0.0.1:{pairs}", "--tcp-strategy", "random"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
atexit.register(server.kill)
out = {"requests": [], "games": {}, "lists": {}}


def call(method, path, body=None, token=None, key=None, media="application/json"):
    headers = {}
    if body is not None:
        headers["Content-Type"] = media
    if token:
        headers["Authorization"] = "Bearer " + token
    if key:
        headers["Idempotency-Key"] = key
    data = body.encode() if body is not None else None
    request = urllib.request.Request(f"http://127.0.0.1:{http}{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            status, text = response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read().decode()
    assert status < 300, (method, path, body, status, text)
    try:
        reply = json.loads(text)
    except ValueError:
        reply = text
    if method != "GET":
        out["requests"].append({"method": method, "path": path, "headers": headers, "body": body,
                                "status": status, "response": reply})
    return reply


for _ in range(100):
    try:
        call("GET", "/readyz")
        break
    except (urllib.error.URLError, ConnectionError):
        time.sleep(0.1)


def create(name, body, key=None):
    reply = call("POST", "/api/games", json.dumps(body), key=key)
    out["games"][name] = {"id": reply["id"], "tokens": dict(reply["tokens"])}
    return out["games"][name]


def act(game, action, seat=None, key=None):
    view = call("GET", f"/api/games/{game['id']}")
    seat = view["to_move"] if seat is None else seat
    body = json.dumps({"turn": view["turn"], **action})
    return call("POST", f"/api/games/{game['id']}/actions", body, game["tokens"][str(seat)], key)


def sit(game, seat, name, key=None):
    reply = call("POST", f"/api/games/{game['id']}/seats/{seat}", json.dumps({"name": name}), key=key)
    game["tokens"][str(seat)] = reply["token"]


def play(game, *cells):
    for cell in cells:
        act(game, {"play": cell})


def people(*names):
    return {"seats": [{"human": name} for name in names], "take": list(range(len(names)))}


won = create("won", {"variant": "3x3k3", **people("Ann", "Bob")})
play(won, "0-0", "1-1", "0-1", "2-2", "0-2")
call("GET", f"/api/games/{won['id']}/analysis")
drawn = create("drawn", {"variant": "3x3k3", **people("Ann", "Zoë")}, key="create-drawn-0001")
for number, cell in enumerate(["1-1", "0-0", "0-1", "2-1", "1-0", "1-2", "0-2", "2-0", "2-2"]):
    act(drawn, {"play": cell}, key=f"turn-{number}")
nested = create("nested", {"variant": "multi@4", **people("Ann", "Bob")})
play(nested, "4-0", "0-4", "4-8")
gravity = create("gravity", {"variant": "7x6k4+gravity", "history": 4, **people("Ann", "Bob")})
play(gravity, "3", "3", "2")
act(gravity, {"rewind": 2})
play(gravity, "0", "6")
sides = create("three_sides", {"variant": "4x4k3p3", "seats": [
    {"human": "Ann"}, {"open": "link"}, {"open": "lobby"}], "take": [0]}, key="create-three-sides-1")
sit(sides, 1, "Bo b\\", key="seat-of-three-sides-1")
play(sides, "0-0", "1-1")
lobby = create("lobby", {"variant": "5x5k4", "seats": [{"human": "Ann"}, {"open": "lobby"}], "take": [0]})
link = create("link", {"variant": "ultimate", "seats": [{"open": "link"}, {"robot": "level:3"}], "take": []})
resigned = create("resigned", {"variant": "3x3k3", "history": 3, **people("Ann", "Bob")})
play(resigned, "0-0", "1-1")
act(resigned, {"rewind": 1}, key="rewind-once")
play(resigned, "2-2")
act(resigned, {"resign": True}, key="resign-once")
call("POST", f"/api/games/{resigned['id']}/rematch", "{}", resigned["tokens"]["1"])
rematch = create("rematch", {"variant": "3x3k3", "seats": [{"human": "Ann"}, {"open": "link"}], "take": [0]})
sit(rematch, 1, "Bob")
act(rematch, {"resign": True})
call("POST", f"/api/games/{rematch['id']}/rematch", "{}", rematch["tokens"]["0"])
made = call("POST", f"/api/games/{rematch['id']}/rematch", "{}", rematch["tokens"]["1"])
mine = call("POST", f"/api/games/{rematch['id']}/rematch", "{}", rematch["tokens"]["0"])
next_id = made["view"]["rematch"] if "view" in made else made["rematch"]
out["games"]["rematch_next"] = {"id": next_id, "tokens": {str(r["seat"]): r["token"] for r in (made, mine)}}
play(out["games"]["rematch_next"], "1-1")
robot = create("robot", {"variant": "3x3k3", "seats": [{"human": "Ann"}, {"robot": "perfect"}], "take": [0]})
act(robot, {"play": "1-1"})
started = create("from_position", {"variant": "3x3k3", "from": {"game": drawn["id"], "turn": 4},
                                   **people("Cyd", "Dan")})
play(started, "1-0")
record = ("noughts 1\nvariant multi\nhistory 3\nseat 0 x human Ann\nseat 1 o robot level:3\n"
          "1 0 4-0\n2 1 0-2\n3 0 <<1\n4 1 0-8\n5 0 resign\nresult won o by resignation\n")
imported = call("POST", "/api/records", record, key="import-of-a-record-1", media="text/plain")
out["games"]["imported"] = {"id": imported["id"], "tokens": {}, "record": record}


class Client:
    """A client of the TCP protocol."""

    def __init__(self, port, name):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.send(struct.pack(">BI", 1, 12345) + name.encode("latin-1") + b"\0\0")
        assert self.frame(5)[0] == 2
        self.send(struct.pack(">BI", 3, 12345))

    def send(self, data):
        self.socket.sendall(data)

    def frame(self, length):
        data = b""
        while len(data) < length:
            more = self.socket.recv(length - len(data))
            assert more, "the server closed the connection"
            data += more
        return data

    def admitted(self):
        frame = self.frame(6)
        assert frame[0] == 4, frame
        return frame[5]

    def act(self, cell):
        self.send(struct.pack(">BI", 5, 12345) + cell.encode())


def pair(one, other):
    first, second = Client(pairs, one), Client(pairs, other)
    if first.admitted() == 2:
        first, second = second, first
        assert second.socket is not first.socket
        first.admitted()
    else:
        second.admitted()
    first.act("1-1")
    assert second.frame(8)[5:] == b"1-1"
    return first, second


before = {game["id"] for game in call("GET", "/api/games?limit=100")["games"]}
first, second = pair("Eve", "Flo")
first.socket.close()
assert second.frame(6)[0] == 6
second.socket.close()
alone = Client(tcp, "Gil")
alone.admitted()
alone.socket.close()
last = pair("Hal", "Ivy")
for _ in range(100):
    new = [game for game in call("GET", "/api/games?limit=100")["games"] if game["id"] not in before]
    if len(new) == 3 and sum(game["status"] == "over" for game in new) == 2:
        break
    time.sleep(0.1)
for game in new:
    names = {seat["name"] for seat in game["seats"]}
    name = "tcp_left" if "Eve" in names else "tcp_alone" if "Gil" in names else "tcp_running"
    out["games"][name] = {"id": game["id"], "tokens": {}}
for game in out["games"].values():
    game["view"] = call("GET", f"/api/games/{game['id']}")
    if game["view"]["outcome"]:
        game["record"] = call("GET", f"/api/games/{game['id']}/record")
out["games"]["won"]["analysis"] = call("GET", f"/api/games/{won['id']}/analysis")
for status in ("waiting", "playing", "over"):
    out["lists"][status] = call("GET", f"/api/games?limit=100&status={status}")
server.send_signal(signal.SIGKILL)
server.wait()
with open(manifest, "w") as file:
    json.dump(out, file, indent=1, ensure_ascii=False)
    file.write("\n")
print(len(out["games"]), "games")
