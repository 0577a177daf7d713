#!/usr/bin/env python3
"""A client of the course's TCP protocol that plays by itself, for `noughts check client` to judge: right,
or with one fault.

    client.py HOST PORT [FAULT]

A fault is described where it is made, below; `client.verdicts` says which rules each of them breaks.
"""

import random
import socket
import struct
import sys
import time

HELLO, READY, PLAY, ADMIT, ACTION, RESULT, ERROR = 1, 2, 3, 4, 5, 6, 8
HOST, PORT = sys.argv[1], int(sys.argv[2])
FAULT = sys.argv[3] if len(sys.argv) > 3 else "none"
CELLS = [f"{row}-{column}".encode() for row in range(3) for column in range(3)]


class Left(Exception):
    """The server has left."""


def read(count):
    data = b""
    while len(data) < count:
        more = server.recv(count - len(data))
        if not more:
            if FAULT == "trace":  # does not expect it
                raise RuntimeError("connection lost")
            raise Left
        data += more
        if FAULT == "one-read" and len(data) < count:  # believes that a frame comes in one piece
            time.sleep(30)
    return data


def read_text():
    text = b""
    while not text.endswith(b"\0\0"):
        text += read(1)
    return text[:-2]


def send(opcode, ident, rest=b""):
    server.sendall(struct.pack(">BI", opcode, ident) + rest)


def hear():
    opcode = read(1)[0]
    ident = struct.unpack(">I", read(4))[0]
    if opcode in (ADMIT, RESULT):
        later = read(3) if opcode == RESULT and LATER else b""
        return opcode, ident, later + read(1)
    if opcode == ACTION:
        return opcode, ident, read(3)
    if opcode == ERROR:
        code = read(1)
        read_text()
        return opcode, ident, code
    return opcode, ident, b""


LATER = FAULT == "later"


def session():
    ident = 0 if LATER else random.randint(10000, 99999)
    if FAULT == "same-id":  # made up once, by its author
        ident = 12345
    if FAULT == "small-id":  # four digits
        ident = random.randint(1000, 9999)
    if FAULT == "no-hello":  # begins to play
        return send(PLAY, ident)
    end = b"\0" if FAULT == "one-zero" else b"\0\0"  # ends the name with one zero
    name = b"Python"
    if FAULT == "prompted":  # asks a person; no fault
        name = input("Your name: ").encode()
    send(HELLO, ident, name + end)
    if FAULT == "hasty":  # does not wait for READY
        send(PLAY, ident)
    opcode, ready, _ = hear()
    if opcode != READY and FAULT != "goes-on":  # takes every answer for READY
        return
    if LATER:
        ident = ready
    for game in range(2):
        send(PLAY, ident + 1 if FAULT == "play-id" else ident)  # is off by one
        if FAULT == "moves-at-once":  # does not wait for ADMIT
            send(ACTION, ident, b"1-1")
        opcode, _, flag = hear()
        if opcode != ADMIT or flag == b"\0" and FAULT != "never-refused":  # does not look at the flag
            return
        if FAULT == "falls-asleep":  # is admitted, and says no more
            time.sleep(30)
        if not play(ident):
            return


def play(ident):
    taken, refused = set(), set()
    while True:
        free = [cell for cell in CELLS if cell not in taken]
        if not free and FAULT != "prompted":  # one that was refused is missing
            return False
        cell = random.choice(free)
        if FAULT == "prompted":
            cell = f"{input('Row? ')}-{input('Column? ')}".encode()
        if FAULT == "marks-taken" and taken:  # marks where somebody is
            cell = sorted(taken)[0]
        position = cell
        if FAULT == "numbers-for-cells":  # sends the numbers and not their digits
            position = bytes([cell[0] - 48]) + b"-" + bytes([cell[2] - 48])
        if FAULT == "long-actions":  # ends the position like a string
            position += b"\0\0"
        send(ACTION, 0 if FAULT == "action-id" else ident, position)
        if FAULT == "moves-twice":  # does not wait for the answer
            send(ACTION, ident, random.choice(free))
        opcode, _, rest = hear()
        if opcode == ERROR:
            if FAULT == "stubborn":  # tries the same again
                send(ACTION, ident, position)
            taken.add(cell)
            refused.add(cell)
            continue
        taken.add(cell)
        if opcode == RESULT:
            if FAULT == "plays-on":  # does not know the end
                send(ACTION, ident, CELLS[0])
                hear()
            return True
        if rest not in CELLS or rest in taken:
            if FAULT == "never-complains":
                return False
            if FAULT == "trace-on-illegal" and rest not in refused:  # trusts the server
                raise RuntimeError("what a move")
            send(ERROR, ident, (b"\0" if rest not in CELLS else b"\1") + b"Moviment\0\0")
            return False
        taken.add(rest)


server = socket.create_connection((HOST, PORT))
try:
    session()
    if FAULT == "crashes-after-games":
        raise RuntimeError("no more games")
except Left:
    if FAULT == "stays":  # waits for somebody who has gone
        time.sleep(30)
    print("the server has left")
except OSError:
    print("the server has left")
if FAULT == "crashes-at-the-end":
    raise RuntimeError("nothing to do")
