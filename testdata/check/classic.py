#!/usr/bin/env python3
"""The classic game of the course, for `noughts check classic` to judge: right, or with one fault.

    classic.py [--fault FAULT] [OPTION…]

A fault is described where it is made, below; `classic.verdicts` says which cases each of them breaks.
"""

import os
import sys
import time

USAGE = "usage: classic.py [-s SIZE] [-w WIN] [-h HISTORY] [-p PLAYERS] [--help]"
NAMES = {"-s": "size", "-w": "win", "-h": "history", "-p": "players"}
FAULT = "none"


def refuse(wrong):
    if FAULT == "takes-any-option":  # does not look at the conditions
        return
    print("Error:", wrong, file=sys.stderr)
    sys.exit(1)


def options():
    asked = {"size": "3", "win": "3", "history": "1", "players": "xo"}
    words = sys.argv[1:]
    global FAULT
    if words[:1] == ["--fault"]:
        FAULT, words = words[1], words[2:]
    while words:
        name, words = words[0], words[1:]
        if name == "--help":
            if FAULT == "no-usage":  # does not know it
                break
            print(USAGE)
            sys.exit(0)
        name = NAMES.get(name, name[2:])
        if name not in asked or not words or FAULT == "short-options" and sys.argv[-len(words) - 1][:2] == "--":
            refuse("there is no such option; " + USAGE)
            continue
        asked[name], words = words[0], words[1:]
    return asked


ASKED = options()
SIZE, WIN, HISTORY, PLAYERS = int(ASKED["size"]), int(ASKED["win"]), int(ASKED["history"]), ASKED["players"]
if SIZE < 3:
    refuse("the size must be at least 3")
if not 3 <= WIN <= SIZE:
    refuse("the win size must be from 3 to the size")
if not 0 < HISTORY < SIZE * SIZE:
    refuse("the history must be from 1 to the number of cells less one")
if len(PLAYERS) < 2:
    refuse("there must be two players or more")
if FAULT == "ignores-win":  # three always win
    WIN = 3
if FAULT == "sorts-players":  # x before o, whatever was asked for
    PLAYERS = "".join(sorted(PLAYERS, reverse=True))
if FAULT == "two-players":  # forgets the third
    PLAYERS = PLAYERS[:2]

BOARD = {}
PLAYED = []
REWOUND = 0
LOUD = FAULT != "buffers"


def say(*words, end="\n"):
    print(*words, end=end, flush=LOUD)


def draw():
    rule = "-" * (2 * SIZE + 1)
    say(rule)
    for row in range(SIZE):
        cells = [BOARD.get((row, column), " ") for column in range(SIZE)]
        if FAULT == "wide-board":  # draws cells three wide within their borders
            cells = [f" {cell} " for cell in cells]
        say("|" + "|".join(cells) + "|")
        say(rule)


def run_length(at, step, mark):
    count, (row, column) = 0, at
    while True:
        row, column = row + step[0], column + step[1]
        if FAULT == "wraps":  # goes on in the next row
            row, column = row + column // SIZE, column % SIZE
        if BOARD.get((row, column)) != mark:
            return count
        count += 1


def has_line(at):
    mark = BOARD[at]
    steps = {"row": (0, 1), "column": (1, 0), "diagonal": (1, 1), "other-diagonal": (1, -1)}
    for name, (down, right) in steps.items():
        if FAULT == "misses-" + name:
            continue
        if FAULT == "main-diagonals" and name == "diagonal" and at[0] != at[1]:
            continue
        if FAULT == "main-diagonals" and name == "other-diagonal" and at[0] + at[1] != SIZE - 1:
            continue
        back, forth = run_length(at, (-down, -right), mark), run_length(at, (down, right), mark)
        if FAULT == "looks-one-way" and back and forth:  # misses the middle
            continue
        length = back + forth + 1
        if FAULT == "counts-gaps" and name == "row":  # counts a whole row
            length = sum(BOARD.get((at[0], column)) == mark for column in range(SIZE))
        if FAULT == "exact-lines" and length > WIN:  # does not know longer lines
            continue
        if length >= WIN:
            return True
    return False


def number(text):
    if FAULT == "tolerant":  # reads whatever its language reads as a number
        return int(text)
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError
    if FAULT == "wraps-numbers":  # 32 bits, without a look at the rest
        return (int(text) + 2**31) % 2**32 - 2**31
    if FAULT == "crashes-on-huge" and len(text) > 9:  # has numbers of 32 bits
        raise OverflowError(text)
    return int(text)


def obey(line, mark):
    """Does what was typed: a message, or None where the turn is done; "quit"."""
    if FAULT == "tolerant":
        line = line.strip()
    if line == ":q" or FAULT == "any-q-quits" and line.lower() in (":q", "q"):
        return "quit"
    try:
        if line.startswith("<<"):
            return rewind(number(line[2:]))
        if FAULT == "commas":  # takes them for spaces
            line = line.replace(",", " ")
        pieces = line.split() if FAULT == "tolerant" else line.split(" ")
        if FAULT == "ignores-the-rest":
            pieces = pieces[:2]
        if FAULT == "one-number" and len(pieces) == 1:
            pieces = pieces * 2
        row, column = [number(piece) for piece in pieces]
        if FAULT == "swaps":  # column before row
            row, column = column, row
        if FAULT == "one-digit" and max(row, column) > 9:
            raise ValueError
    except ValueError:
        if FAULT == "crashes-on-words":  # does not expect words
            raise
        if FAULT == "illegal-for-invalid":  # has one message for all
            return "Illegal play"
        if FAULT == "empty-passes" and not line:  # takes an empty line for a pass
            return None
        return "Invalid command"
    if not (0 <= row < SIZE and 0 <= column < SIZE):
        if FAULT == "crashes-off-board":
            raise IndexError((row, column))
        return "Illegal play"
    if (row, column) in BOARD and FAULT != "overwrites":
        return "Illegal play"
    global REWOUND
    REWOUND = 0
    BOARD[row, column] = mark
    PLAYED.append((row, column))
    return None


def rewind(count):
    global REWOUND
    limit = HISTORY + 1 if FAULT == "rewinds-one-more" else HISTORY
    if not 0 <= count < limit:
        return "Unable to rewind"
    if FAULT == "rewind-total":  # all rewinds in a row together; no fault
        if REWOUND + count >= HISTORY:
            return "Unable to rewind"
        REWOUND += count
    if count > len(PLAYED):
        if FAULT != "tolerant":
            return "Unable to rewind"
        count = len(PLAYED)
    for _ in range(count):
        at = PLAYED.pop()
        if FAULT != "keeps-marks":  # forgets to clear the board
            del BOARD[at]
    return None


def main():
    if FAULT == "hangs":
        time.sleep(60)
    if FAULT == "forks" and os.fork() == 0:  # leaves a child behind that holds its output
        time.sleep(60)
        os._exit(0)
    if FAULT == "reads-all":  # answers when it has everything
        lines = iter(sys.stdin.read().splitlines())
        read = lambda: next(lines, None)
    elif FAULT == "swallows":  # loses what comes before it asks, as a new Scanner for every turn does
        read = lambda: (os.read(0, 65536).decode().splitlines() or [None])[0]
    else:
        read = lambda: (lambda line: line.rstrip("\r\n") if line else None)(sys.stdin.readline())
    sys.stdin.reconfigure(errors="replace")
    turn, seat, winner, again, rewound = 1, 0, None, False, 0
    delimiter = "" if FAULT == "no-delimiter" else "===\n"  # forgets it
    while True:
        mark = PLAYERS[seat]
        if not (FAULT == "no-redraw" and again):  # asks again without the board
            say(f"Turn: {turn}")
            draw()
        again = False
        say(f"Enter your turn ({mark}): ", end="\n" if FAULT == "prompt-newline" else "")
        line = read()
        if line is None:
            if FAULT == "floods":  # asks again and again
                continue
            if FAULT == "ignores-end":  # waits for more
                time.sleep(60)
            if FAULT == "crashes-at-the-end":
                raise EOFError
            line = ":q"
        message = obey(line, mark)
        if FAULT == "debug-lines":  # left in from yesterday
            say("DEBUG read", line, "from", mark)
        if message == "quit":
            say(delimiter)
            if FAULT == "counts-quit":
                turn += 1
            break
        if message:
            again = True
            if FAULT == "message-later":  # the message behind the delimiter
                say("===\n")
                say(message)
            elif FAULT == "mute":  # says nothing
                say("===\n")
            elif FAULT == "no-redraw":
                say(message)
            elif FAULT == "no-newlines":  # the course's constants have none
                say(message, end="")
                say("===\n")
            else:
                say(message)
                say("===" if FAULT == "no-blank-lines" else delimiter)
            if FAULT == "errors-pass":  # the next player's turn after an error
                seat = (seat + 1) % len(PLAYERS)
            if FAULT == "errors-count":
                turn += 1
            continue
        say("===" if FAULT == "no-blank-lines" else delimiter)
        is_rewind = line.startswith("<<")
        if not (is_rewind and FAULT == "rewind-is-no-turn"):
            turn += 1
        if not (is_rewind and FAULT == "rewind-keeps-turn"):
            seat = (seat + 1) % len(PLAYERS)
        if is_rewind and FAULT == "rewind-begins-anew":  # the first player after a rewind
            seat = 0
        if not is_rewind and PLAYED:
            won = has_line(PLAYED[-1])
            full = len(BOARD) == SIZE * SIZE
            if FAULT == "full-is-draw" and full:
                won = False
            if won:
                winner = mark if FAULT != "names-first" else PLAYERS[0]
                if FAULT != "plays-on":
                    break
            if full and FAULT != "endless":
                break
            if FAULT == "endless" and full:
                winner = None
    say(f"Game over after {turn - 1} turns")
    draw()
    if winner is not None and FAULT != "no-winner":
        say(f"Winner is '{winner}'", end="" if FAULT == "no-newlines" else "\n")
    elif FAULT == "always-a-winner" and len(BOARD) == SIZE * SIZE:  # knows no draws
        say(f"Winner is '{PLAYERS[0]}'")
    if FAULT == "forks":
        sys.stdout.flush()
        os._exit(0)


main()
