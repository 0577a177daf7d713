"""A student's client in Python. It asks for the name and for every move.

    client.py HOST PORT
"""

import random
import socket
import sys


class ServerLeft(Exception):
    pass


def read(n):
    data = b""
    while len(data) < n:
        part = sock.recv(n - len(data))
        if part == b"":
            raise ServerLeft()
        data += part
    return data


def read_int32():
    return int.from_bytes(read(4), "big")


def read_string():
    text = b""
    while text[-2:] != b"\0\0":
        text += read(1)
    return text[:-2].decode("latin-1")


def write(*fields):
    for field in fields:
        sock.sendall(field)


def play(ident):
    write(bytes([3]), ident.to_bytes(4, "big"))
    if read(1)[0] != 4:
        return False
    read_int32()
    if read(1)[0] != 1:
        print("Not admitted")
        return False
    while True:
        row = input("Row (0-2): ")
        column = input("Column (0-2): ")
        write(bytes([5]), ident.to_bytes(4, "big"), f"{row}-{column}".encode())
        opcode = read(1)[0]
        read_int32()
        if opcode == 5:
            print("Server plays", read(3).decode())
        elif opcode == 6:
            print(["You lose", "You win", "Draw"][read(1)[0]])
            return True
        elif opcode == 8:
            print("Error", read(1)[0], read_string())


name = input("Name: ")
sock = socket.create_connection((sys.argv[1], int(sys.argv[2])))
try:
    session = random.randint(10000, 99999)
    write(bytes([1]), session.to_bytes(4, "big"), name.encode("latin-1"), b"\0\0")
    if read(1)[0] == 2:
        read_int32()
        play(session)
except (ServerLeft, OSError):
    print("The server has disconnected")
