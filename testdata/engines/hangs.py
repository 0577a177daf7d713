"""Says OK, and never gives a move."""
import sys

while line := sys.stdin.readline():
    if line.startswith("START"):
        print("OK", flush=True)
    elif line.startswith("END"):
        break
