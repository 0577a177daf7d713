"""A student's server in Python: one thread per client, fields read and written one by one.

    server.py PORT
"""

import random
import socket
import sys
import threading

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


class ComUtils:
    def __init__(self, sock):
        self.sock = sock

    def read(self, n):
        data = b""
        while len(data) < n:
            part = self.sock.recv(n - len(data))
            if part == b"":
                raise ConnectionError("client disconnected")
            data += part
        return data

    def read_int32(self):
        return int.from_bytes(self.read(4), "big")

    def read_string(self):
        text = b""
        while text[-2:] != b"\0\0":
            text += self.read(1)
        return text[:-2].decode("latin-1")

    def write_byte(self, value):
        self.sock.sendall(bytes([value]))

    def write_int32(self, value):
        self.sock.sendall(value.to_bytes(4, "big"))

    def write_string(self, text):
        self.sock.sendall(text.encode("latin-1"))
        self.sock.sendall(b"\0\0")


class GameHandler(threading.Thread):
    def __init__(self, sock):
        super().__init__(daemon=True)
        self.com = ComUtils(sock)
        self.sock = sock
        self.id = None
        self.board = None

    def run(self):
        try:
            while True:
                opcode = self.com.read(1)[0]
                if opcode == 1:
                    self.id = self.com.read_int32()
                    self.com.read_string()
                    self.com.write_byte(2)
                    self.com.write_int32(self.id)
                elif opcode == 3:
                    correct = self.com.read_int32() == self.id
                    if correct:
                        self.board = [" "] * 9
                    self.com.write_byte(4)
                    self.com.write_int32(self.id or 0)
                    self.com.write_byte(1 if correct else 0)
                elif opcode == 5:
                    self.com.read_int32()
                    self.action(self.com.read(3).decode("latin-1"))
                elif opcode == 8:
                    self.com.read(5)
                    self.com.read_string()
                else:
                    break
        except OSError:
            pass
        self.sock.close()

    def error(self, code, text):
        self.com.write_byte(8)
        self.com.write_int32(self.id or 0)
        self.com.write_byte(code)
        self.com.write_string(text)

    def won(self, mark):
        return any(all(self.board[int(at)] == mark for at in line) for line in LINES)

    def result(self, flag):
        self.board = None
        self.com.write_byte(6)
        self.com.write_int32(self.id)
        self.com.write_byte(flag)

    def action(self, cell):
        if self.board is None:
            return self.error(9, "Sessio Incorrecte")
        if cell[0] not in "012" or cell[1] != "-" or cell[2] not in "012":
            return self.error(0, "Moviment Desconegut")
        at = 3 * int(cell[0]) + int(cell[2])
        if self.board[at] != " ":
            return self.error(1, "Moviment Invalid")
        self.board[at] = "X"
        if self.won("X"):
            return self.result(1)
        free = [i for i in range(9) if self.board[i] == " "]
        if not free:
            return self.result(2)
        at = random.choice(free)
        self.board[at] = "O"
        if self.won("O"):
            return self.result(0)
        if len(free) == 1:
            return self.result(2)
        self.com.write_byte(5)
        self.com.write_int32(self.id)
        self.sock.sendall(f"{at // 3}-{at % 3}".encode())


listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    GameHandler(listener.accept()[0]).start()
