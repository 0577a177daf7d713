import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A student's server in Java: one thread per client, fields written one by one. Usage: Server PORT */
public class Server {
    public static void main(String[] args) throws IOException {
        try (ServerSocket server = new ServerSocket(Integer.parseInt(args[0]))) {
            while (true) {
                Socket socket = server.accept();
                new Thread(new GameHandler(socket)).start();
            }
        }
    }

    static class GameHandler implements Runnable {
        private static final int[][] LINES = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
            {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
        private final Socket socket;
        private final Random random = new Random();
        private DataInputStream in;
        private DataOutputStream out;
        private int id;
        private char[] board;

        GameHandler(Socket socket) {
            this.socket = socket;
        }

        @Override
        public void run() {
            try (socket) {
                in = new DataInputStream(socket.getInputStream());
                out = new DataOutputStream(socket.getOutputStream());
                while (true) {
                    switch (in.readByte()) {
                        case 1 -> {
                            id = in.readInt();
                            readString();
                            out.writeByte(2);
                            out.writeInt(id);
                        }
                        case 3 -> {
                            boolean correct = in.readInt() == id;
                            if (correct) {
                                board = "         ".toCharArray();
                            }
                            out.writeByte(4);
                            out.writeInt(id);
                            out.writeByte(correct ? 1 : 0);
                        }
                        case 5 -> {
                            in.readInt();
                            byte[] cell = new byte[3];
                            in.readFully(cell);
                            action(cell);
                        }
                        case 8 -> {
                            in.readInt();
                            in.readByte();
                            readString();
                        }
                        default -> {
                            return;
                        }
                    }
                }
            } catch (IOException e) {
                System.out.println("Client disconnected");
            }
        }

        private String readString() throws IOException {
            StringBuilder text = new StringBuilder();
            byte last = 1;
            while (true) {
                byte next = in.readByte();
                if (last == 0 && next == 0) {
                    return text.substring(0, text.length() - 1);
                }
                text.append((char) (next & 0xff));
                last = next;
            }
        }

        private void error(int code, String message) throws IOException {
            out.writeByte(8);
            out.writeInt(id);
            out.writeByte(code);
            out.write(message.getBytes(StandardCharsets.ISO_8859_1));
            out.writeByte(0);
            out.writeByte(0);
        }

        private boolean won(char mark) {
            for (int[] line : LINES) {
                if (board[line[0]] == mark && board[line[1]] == mark && board[line[2]] == mark) {
                    return true;
                }
            }
            return false;
        }

        private void result(int flag) throws IOException {
            board = null;
            out.writeByte(6);
            out.writeInt(id);
            out.writeByte(flag);
        }

        private void action(byte[] cell) throws IOException {
            if (board == null) {
                error(9, "Sessio Incorrecte");
                return;
            }
            int row = cell[0] - '0';
            int column = cell[2] - '0';
            if (row < 0 || row > 2 || column < 0 || column > 2 || cell[1] != '-') {
                error(0, "Moviment Desconegut");
                return;
            }
            if (board[3 * row + column] != ' ') {
                error(1, "Moviment Invalid");
                return;
            }
            board[3 * row + column] = 'X';
            if (won('X')) {
                result(1);
                return;
            }
            List<Integer> free = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                if (board[i] == ' ') {
                    free.add(i);
                }
            }
            if (free.isEmpty()) {
                result(2);
                return;
            }
            int at = free.get(random.nextInt(free.size()));
            board[at] = 'O';
            if (won('O')) {
                result(0);
                return;
            }
            out.writeByte(5);
            out.writeInt(id);
            out.writeByte('0' + at / 3);
            out.writeByte('-');
            out.writeByte('0' + at % 3);
        }
    }
}
