"""Plays by the protocol, but for END, which it does not hear; nor the end of its input."""
import signal
import sys

signal.signal(signal.SIGTERM, signal.SIG_IGN)
taken = set()


def play():
    x, y = next((x, y) for y in range(14, -1, -1) for x in range(0, 15, 2) if (x, y) not in taken)
    taken.add((x, y))
    print(f"{x},{y}", flush=True)


while True:
    line = sys.stdin.readline()
    if not line:
        signal.pause()
    word, _, rest = line.strip().partition(" ")
    if word == "START":
        print("OK", flush=True)
    elif word == "BOARD":
        while (mark := sys.stdin.readline().strip()) != "DONE":
            taken.add(tuple(map(int, mark.split(",")))[:2])
        play()
    elif word == "TURN":
        taken.add(tuple(map(int, rest.split(","))))
        play()
    elif word == "BEGIN":
        play()
