"""A student's classic game in Python, with argparse."""

import argparse
import re

parser = argparse.ArgumentParser(add_help=False)
parser.add_argument("-s", "--size", type=int, default=3)
parser.add_argument("-w", "--win", type=int, default=3)
parser.add_argument("-h", "--history", type=int, default=1)
parser.add_argument("-p", "--players", default="xo")
parser.add_argument("--help", action="help")
args = parser.parse_args()
if args.size < 3:
    parser.error("size must be >= 3")
if not 3 <= args.win <= args.size:
    parser.error("win must be in 3..size")
if not 0 < args.history < args.size ** 2:
    parser.error("history must be in 1..size*size-1")
if len(args.players) < 2:
    parser.error("at least two players")


class Board:
    def __init__(self, size):
        self.size = size
        self.cells = [[" "] * size for _ in range(size)]
        self.moves = []

    def show(self):
        print("-" * (2 * self.size + 1))
        for row in self.cells:
            print("|" + "|".join(row) + "|")
            print("-" * (2 * self.size + 1))

    def winner(self):
        for row in range(self.size):
            for column in range(self.size):
                symbol = self.cells[row][column]
                if symbol == " ":
                    continue
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    end_row, end_column = row + dr * (args.win - 1), column + dc * (args.win - 1)
                    if not (0 <= end_row < self.size and 0 <= end_column < self.size):
                        continue
                    if all(self.cells[row + dr * i][column + dc * i] == symbol for i in range(args.win)):
                        return symbol
        return None


def main():
    board = Board(args.size)
    turn = 1
    while True:
        symbol = args.players[(turn - 1) % len(args.players)]
        print(f"Turn: {turn}")
        board.show()
        try:
            line = input(f"Enter your turn ({symbol}): ")
        except EOFError:
            line = ":q"
        if line == ":q":
            print("===\n")
            break
        error = None
        play = re.fullmatch(r"(-?\d+) (-?\d+)", line)
        rewind = re.fullmatch(r"<<(-?\d+)", line)
        if play:
            row, column = int(play[1]), int(play[2])
            if not (0 <= row < args.size and 0 <= column < args.size) or board.cells[row][column] != " ":
                error = "Illegal play"
            else:
                board.cells[row][column] = symbol
                board.moves.append((row, column))
        elif rewind:
            count = int(rewind[1])
            if not 0 <= count < args.history or count > len(board.moves):
                error = "Unable to rewind"
            else:
                for _ in range(count):
                    row, column = board.moves.pop()
                    board.cells[row][column] = " "
        else:
            error = "Invalid command"
        if error:
            print(error)
        print("===\n")
        if error:
            continue
        turn += 1
        if board.winner() or len(board.moves) == args.size ** 2:
            break
    print(f"Game over after {turn - 1} turns")
    board.show()
    if board.winner():
        print(f"Winner is '{board.winner()}'")


main()
