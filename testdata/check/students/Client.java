import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** A student's client in Java that plays by itself. Usage: Client HOST PORT */
public class Client {
    private final DataInputStream in;
    private final DataOutputStream out;
    private final int id = 10000 + new Random().nextInt(90000);

    Client(Socket socket) throws IOException {
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    public static void main(String[] args) {
        try (Socket socket = new Socket(args[0], Integer.parseInt(args[1]))) {
            new Client(socket).run();
        } catch (IOException e) {
            System.out.println("The server has disconnected");
        }
    }

    private void run() throws IOException {
        out.writeByte(1);
        out.writeInt(id);
        out.write("Núria".getBytes(StandardCharsets.ISO_8859_1));
        out.writeByte(0);
        out.writeByte(0);
        if (in.readByte() != 2) {
            return;
        }
        in.readInt();
        while (play()) {
            System.out.println("Another game");
        }
    }

    private boolean play() throws IOException {
        out.writeByte(3);
        out.writeInt(id);
        if (in.readByte() != 4) {
            return false;
        }
        in.readInt();
        if (in.readByte() == 0) {
            return false;
        }
        boolean[] taken = new boolean[9];
        while (true) {
            int at = 0;
            while (taken[at]) {
                at++;
            }
            taken[at] = true;
            out.writeByte(5);
            out.writeInt(id);
            out.writeByte('0' + at / 3);
            out.writeByte('-');
            out.writeByte('0' + at % 3);
            byte opcode = in.readByte();
            in.readInt();
            if (opcode == 6) {
                System.out.println("Result " + in.readByte());
                return true;
            } else if (opcode == 8) {
                System.out.println("Error " + in.readByte());
                int zeros = 0;
                while (zeros < 2) {
                    zeros = in.readByte() == 0 ? zeros + 1 : 0;
                }
            } else {
                int row = in.readByte() - '0';
                in.readByte();
                int column = in.readByte() - '0';
                if (row < 0 || row > 2 || column < 0 || column > 2 || taken[3 * row + column]) {
                    return false;
                }
                taken[3 * row + column] = true;
            }
        }
    }
}
