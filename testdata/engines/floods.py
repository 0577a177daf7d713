"""Answers a question for a move with a megabyte, and no end of the line."""
import sys

while line := sys.stdin.readline():
    word = line.strip().partition(" ")[0]
    if word == "START":
        print("OK", flush=True)
    elif word in ("BEGIN", "TURN", "DONE"):
        sys.stdout.write("7" * 1_000_000)
        sys.stdout.flush()
    elif word == "END":
        break
