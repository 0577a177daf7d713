"""Plays where the other has just played."""
import sys

while line := sys.stdin.readline():
    word, _, rest = line.strip().partition(" ")
    if word == "START":
        print("OK", flush=True)
    elif word == "BEGIN":
        print("7,7", flush=True)
    elif word == "TURN":
        print(rest, flush=True)
    elif word == "BOARD":
        last = "0,0,0"
        while (mark := sys.stdin.readline().strip()) != "DONE":
            last = mark
        print(last.rpartition(",")[0], flush=True)
    elif word == "END":
        break
