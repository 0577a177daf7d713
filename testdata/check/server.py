#!/usr/bin/env python3
"""A server of the course's TCP protocol, for `noughts check tcp` to judge: right, or with one fault.

    server.py [FAULT…] [--pairs]
    server.py FAULT --port PORT

opens a port for each fault (none: the right one) and prints `FAULT PORT` for each; with --port it serves one fault
there and prints nothing but stack traces. A fault is described
where it is made, below; `server.verdicts` says which rules each of them breaks.
"""

import itertools
import os
import random
import socket
import struct
import sys
import threading
import time
import traceback

HELLO, READY, PLAY, ADMIT, ACTION, RESULT, ERROR = 1, 2, 3, 4, 5, 6, 8
TEXTS = {0: b"Moviment Desconegut", 1: b"Moviment Invalid", 2: b"Comanda Inesperada",
         3: b"ID Sessio Incorrecte", 9: b"Sessio Incorrecte"}
CELLS = [f"{row}-{column}".encode() for row in range(3) for column in range(3)]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Gone(Exception):
    """The client has left, or must."""


def won(board, mark):
    return any(all(board[at] == mark for at in line) for line in LINES)


class Session:
    """One connection."""

    def __init__(self, connection, server):
        self.connection, self.server, self.fault = connection, server, server.fault
        self.id, self.later, self.board = 0, False, None
        self.errors = 0
        self.place = "new"
        self.table, self.mark = None, b"x"
        self.writing = threading.Lock()

    # Bytes

    def read(self, count):
        data = b""
        while len(data) < count:
            if self.fault == "one-read":  # believes that a frame comes in one piece
                data, self.piece = self.piece[:count], self.piece[count:]
                return data + bytes(count - len(data))
            more = self.connection.recv(count - len(data))
            if not more:
                if self.fault == "dies-when-left-in-a-frame" and (data or self.place == "frame"):
                    self.server.die()
                raise Gone
            data += more
        return data

    def read_int(self):
        return struct.unpack(">I", self.read(4))[0]

    def read_text(self, limit=255):
        text = b""
        while not text.endswith(b"\0\0"):
            text += self.read(1)
            if self.fault == "one-zero" and text.endswith(b"\0"):  # stops at the first zero
                return text[:-1]
            if len(text) > limit + 2 and self.fault != "otherwise":
                self.error(9, self.id)
                raise Gone
        return text[:-2]

    def send(self, opcode, ident, rest=b""):
        if self.fault == "slow":  # thinks about everything
            time.sleep(0.52)
        if self.fault == "little-endian":  # writes its numbers the wrong way round
            frame = struct.pack("<BI", opcode, ident) + rest
        else:
            frame = struct.pack(">BI", opcode, ident) + rest
        with self.writing:
            self.connection.sendall(frame)

    def error(self, code, ident=None):
        ident = self.id if ident is None else ident
        self.errors += 1
        text = TEXTS[code]
        if self.fault == "otherwise":
            code, text = {2: (9, text), 9: (2, text), 3: (2, text)}.get(code, (code, b"no"))
        if self.fault == "error-id":  # does not fill in the id
            ident = 0
        end = b"\0" if self.fault == "error-one-zero" else b"\0\0"  # ends texts with one zero
        self.send(ERROR, ident, bytes([code]) + text + end)
        if self.errors >= 50 and self.fault != "otherwise":
            raise Gone

    # The conversation

    def run(self):
        try:
            if self.fault == "garbage":  # greets in another language
                self.connection.sendall(b"Welcome!\n")
            while True:
                self.frame()
        except ConnectionResetError:
            if self.fault == "dies-when-left-unread":
                self.server.die()
        except (Gone, OSError, UnicodeError):
            if self.fault == "trace-when-left":  # prints what it does not expect
                traceback.print_exc()
        finally:
            if self.table:
                self.table.left(self)
            self.connection.close()

    def frame(self):
        if self.fault == "one-read":
            self.piece = self.connection.recv(1024)
            if not self.piece:
                raise Gone
        try:
            opcode = self.read(1)[0]
        except Gone:
            if self.fault == "dies-when-left-at-once" and self.place == "new":
                self.server.die()
            if self.fault == "dies-when-left-after-ready" and self.place == "ready":
                self.server.die()
            if self.fault == "dies-when-left-in-a-game" and self.place == "playing":
                self.server.die()
            if self.fault == "exits-when-left-in-a-game" and self.place == "playing":
                os._exit(1)
            raise
        if self.server.dead:
            raise Gone
        if self.fault == "reads-under-a-lock":  # makes everybody wait for a slow client
            with self.server.reading:
                return self.rest_of_frame(opcode)
        self.rest_of_frame(opcode)

    def drop_rest(self):
        if self.fault == "drops-the-rest":  # believes that nothing follows a frame
            self.connection.setblocking(False)
            try:
                self.connection.recv(1024)
            except BlockingIOError:
                pass
            self.connection.setblocking(True)

    def rest_of_frame(self, opcode):
        if self.fault == "silent":  # reads, and says nothing
            return
        if opcode == HELLO:
            ident = self.read_int()
            place, self.place = self.place, "frame"
            name = self.read_text()
            self.place = place
            self.drop_rest()
            self.hello(ident, name)
        elif opcode == PLAY:
            ident = self.read_int()
            self.drop_rest()
            self.play(ident)
        elif opcode == ACTION:
            self.action(self.read_int(), self.read(3))
        elif opcode == ERROR:
            self.read(5)
            self.read_text()
            if self.fault == "otherwise":
                self.error(2)
        elif self.fault != "otherwise":
            self.error(2, 0)
            raise Gone

    def hello(self, ident, name):
        if self.fault == "utf8-names":  # reads names as UTF-8
            name.decode("utf-8")
        if self.place != "new":
            return self.error(2)
        if self.fault == "otherwise":
            if not name or len(name) > 100 or b"\0" in name:
                return self.error(9, ident)
        elif ident != 0 and not 10000 <= ident <= 99999:
            return self.error(9, ident)
        self.later = ident == 0
        self.id = random.randint(10000, 99999) if self.later else ident
        if self.server.late_ready(self):
            return
        if self.fault == "small-ids" and self.later:  # counts its sessions
            self.id = 7
        self.place = "ready"
        self.send(READY, self.id + (1 if self.fault == "ready-id" else 0))  # is off by one
        if self.fault == "ready-twice":  # stutters
            self.send(READY, self.id)

    def play(self, ident):
        if self.place != "ready":
            return self.error(2, ident if self.place == "new" else self.id)
        if ident != self.id and self.fault != "any-id":  # does not compare
            self.send(ADMIT, self.id, b"\0")
            if self.fault == "otherwise":
                raise Gone
            return
        if self.server.pairs:
            return self.server.seat(self)
        if self.fault != "no-reset" or self.board is None:  # goes on with the old board
            self.board = [None] * 9
        self.place = "playing"
        self.send(ADMIT, self.id, self.flag(0 if self.fault == "never-admits" else 1))

    def action(self, ident, cell):
        if self.place != "playing":
            return self.error(2)
        if ident != self.id:
            return self.error(3 if self.later else 9)
        if cell not in CELLS:
            if self.fault == "trace-on-mistake":  # answers rightly, and prints what it has caught
                try:
                    CELLS.index(cell)
                except ValueError:
                    traceback.print_exc()
            digits = cell[:1].isdigit() and cell[1:2] == b"-" and cell[2:].isdigit()
            if self.fault == "off-board-is-taken" and digits:  # has one error for both
                return self.error(1)
            if self.fault == "letters-are-taken" and not digits:  # the same for what is no number
                return self.error(1)
            self.error(0)
            return self.after_error()
        at = CELLS.index(cell)
        if self.table:
            return self.table.action(self, at)
        taken = self.board[at]
        if taken and self.fault == "overwrites":  # does not look whether a cell is free
            taken = None
        if taken == b"x" and self.fault == "overwrites-own":
            taken = None
        if taken == b"o" and self.fault == "overwrites-others":
            taken = None
        if taken:
            self.error(1)
            return self.after_error()
        self.errors = 0
        self.board[at] = b"x"
        if self.fault == "mute":  # has no answer
            return
        if self.fault == "stops-answering" and sum(map(bool, self.board)) > 2:  # answers one move
            return
        if won(self.board, b"x") and self.fault != "misses-wins":  # plays on
            return self.result(1)
        if all(self.board):
            return self.result(2)
        if self.fault == "ends-early" and sum(map(bool, self.board)) >= 5:  # has enough
            return self.result(2)
        self.answer(at)

    def after_error(self):
        if self.fault == "error-moves":  # makes its own move after a mistake
            self.answer()
        if self.fault == "error-ends-game":  # plays no more after a mistake
            self.place = "ready"

    def answer(self, last=0):
        free = [at for at in range(9) if not self.board[at]]
        at = random.choice(free)
        self.board[at] = b"o"
        over = won(self.board, b"o")
        if over and self.fault != "action-then-result":  # also shows the move that wins
            return self.result(0, CELLS[at])
        cell = CELLS[at]
        if self.fault == "numbers-for-cells":  # sends the numbers and not their digits
            cell = bytes([at // 3]) + b"-" + bytes([at % 3])
        if self.fault == "marks-taken":  # marks where the client did
            cell = CELLS[last]
        self.send(ACTION, 0 if self.fault == "action-id" else self.id, self.position(cell))
        if over:
            self.result(0, CELLS[at])

    def result(self, flag, cell=b"---"):
        self.place = "ready"
        if self.fault == "swaps-results" and flag < 2:  # thinks that 0 is the client
            flag = 1 - flag
        if self.fault == "no-draws" and flag == 2:  # knows winners and losers alone
            flag = 0
        if self.fault == "never-names-cells":
            cell = b"---"
        if self.fault == "draw-names-cell" and flag == 2:  # names a cell where nobody needs one
            cell = CELLS[8]
        self.send(RESULT, self.id, self.result_body(flag, cell))

    # Frames of the wrong size

    def flag(self, flag):
        return b"%d" % flag if self.fault == "flag-characters" else bytes([flag])  # digits for numbers

    def position(self, cell):
        if self.fault == "action-zeros":  # ends the position like a string
            return cell + b"\0\0"
        if self.fault == "wide-cells":  # two bytes for each character
            return b"".join(b"\0" + cell[at:at + 1] for at in range(3))
        return cell

    def result_body(self, flag, cell):
        flag = self.flag(flag)
        if self.fault == "long-results":  # the later dialect's RESULT in the document's
            return cell + flag
        if self.fault == "flag-first":  # a cell that nobody asked for
            return flag + cell
        if self.fault == "short-results":  # the document's RESULT in the later dialect
            return flag
        return (cell if self.later else b"") + flag


class Table:
    """Two sessions, and a board between them."""

    def __init__(self, first, second):
        self.seats = [first, second]
        self.fault = first.fault
        self.lock = threading.Lock()
        self.board = [None] * 9
        self.turn = 0
        for mark, seat in zip([b"x", b"o"], self.seats):
            seat.table, seat.mark, seat.place = self, mark, "playing"
        flags = [1, 1] if self.fault == "both-begin" else [1, 2]  # tells nobody who is second
        if self.fault == "admits-one":  # forgets the other
            first.send(ADMIT, first.id, b"\1")
            return
        for flag, seat in zip(flags, self.seats):
            seat.send(ADMIT, seat.id, seat.flag(flag))

    def is_on(self):
        return all(seat.table is self for seat in self.seats)

    def other(self, seat):
        return self.seats[1 - self.seats.index(seat)]

    def action(self, seat, at):
        with self.lock:
            other = self.other(seat)
            if self.seats[self.turn] is not seat:
                return seat.error(2)
            if self.board[at] and self.fault != "pair-overwrites":
                seat.error(1)
                if self.fault == "tells-mistakes":  # passes everything on
                    other.send(ACTION, other.id, CELLS[at])
                return
            self.board[at] = seat.mark
            self.turn = 1 - self.turn
            over, full = won(self.board, seat.mark), all(self.board)
            if over or full:
                flags = [1, 0] if over else [2, 2]
                if over and self.fault == "both-win":  # takes the winner's flag for both
                    flags = [1, 1]
                if not over and self.fault == "draw-is-loss":
                    flags = [0, 0]
                for one, flag, cell in zip([seat, other], flags, [b"---", CELLS[at]]):
                    one.table, one.place = None, "ready"
                    if self.fault == "once-only":  # has room for one game
                        one.place = "over"
                    one.send(RESULT, one.id, one.result_body(flag, cell))
                return
            if self.fault != "no-relay":  # keeps it to itself
                ident = seat.id if self.fault == "otherwise" else other.id
                other.send(ACTION, ident, CELLS[(at + 1) % 9 if self.fault == "wrong-relay" else at])

    def left(self, seat):
        with self.lock:
            other, seat.table = self.other(seat), None
            if other.table is self and self.fault != "otherwise":
                other.table, other.place = None, "ready"
                try:
                    other.send(RESULT, other.id, (b"---" if other.later else b"") + b"\1")
                except OSError:
                    pass


class Server:
    def __init__(self, fault, pairs, port=0):
        self.fault, self.pairs = fault, pairs
        self.waiting, self.table, self.dead = None, None, False
        self.greeted = None
        self.lock, self.reading = threading.Lock(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]

    def run(self):
        for _ in itertools.count():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            session = Session(connection, self)
            if self.fault == "one-at-a-time":  # has no threads
                session.run()
            else:
                threading.Thread(target=session.run, daemon=True).start()

    def die(self):
        self.dead = True
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def late_ready(self, session):
        """A server for two may greet both when the second has connected. No fault."""
        if self.fault != "ready-late":
            return False
        with self.lock:
            session.place = "ready"
            first, self.greeted = self.greeted, None
            if first is None or first.connection.fileno() < 0:
                self.greeted = session
                return True
            for one in (first, session):
                one.send(READY, one.id)
        return True

    def seat(self, session):
        with self.lock:
            waiting, self.waiting = self.waiting, None
            gone = waiting and waiting.connection.fileno() < 0
            if gone and self.fault == "pairs-with-the-gone":  # forgets nobody
                waiting.connection = session.connection.dup()
                gone = False
            if waiting and not gone:
                last, self.table = self.table, Table(waiting, session)
                if self.fault == "one-table" and last and last.is_on():  # has one board
                    self.table.board = last.board
            else:
                session.place = "waiting"
                self.waiting = session


def main():
    words = sys.argv[1:]
    if "--port" in words:
        return Server(words[0], False, int(words[-1])).run()
    pairs = "--pairs" in words
    faults = [word for word in words if word != "--pairs"] or ["none"]
    for fault in faults:
        server = Server(fault, pairs)
        threading.Thread(target=server.run, daemon=True).start()
        print(fault, server.port, flush=True)
    # Ends with whoever started it.
    sys.stdin.read()


main()
