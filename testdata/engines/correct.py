"""Plays by the protocol: next to what it has, on the first free cell in the middle's row."""
import sys

size, taken = None, set()


def say(text):
    print(text, flush=True)


def play():
    cells = [(x, y) for y in range(size) for x in range(size) if (x, y) not in taken]
    x, y = min(cells, key=lambda cell: (abs(cell[1] - size // 2), abs(cell[0] - size // 2)))
    taken.add((x, y))
    say(f"{x},{y}")


while line := sys.stdin.readline():
    word, _, rest = line.strip().partition(" ")
    if word == "START":
        size, taken = int(rest), set()
        say("OK")
    elif word == "RESTART":
        taken = set()
        say("OK")
    elif word == "BEGIN":
        play()
    elif word == "TURN":
        taken.add(tuple(map(int, rest.split(","))))
        say("MESSAGE I see")
        play()
    elif word == "BOARD":
        taken = set()
        while (mark := sys.stdin.readline().strip()) != "DONE":
            x, y, _ = map(int, mark.split(","))
            taken.add((x, y))
        play()
    elif word == "ABOUT":
        say('name="correct", version="1"')
    elif word == "END":
        break
    elif word == "INFO":
        # As real ones do, which make what they keep it in at START.
        if size is None:
            sys.exit("INFO came before START")
    else:
        say("UNKNOWN")
