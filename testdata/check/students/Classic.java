import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Scanner;

/** A student's classic game in Java: messages as constants, options as a command-line library reads them. */
public class Classic {
    static class Messages {
        static final String TURN_COUNTER = "Turn: %d%n";
        static final String TURN_PROMPT = "Enter your turn (%s): ";
        static final String TURN_DELIMITER = "===%n%n";
        static final String ERROR_INVALID_COMMAND = "Invalid command";
        static final String ERROR_ILLEGAL_PLAY = "Illegal play";
        static final String ERROR_REWIND = "Unable to rewind";
        static final String GAME_OVER = "Game over after %d turns%n";
        static final String GAME_WINNER = "Winner is '%s'";
    }

    private static final String[][] OPTIONS = {{"-s", "--size"}, {"-w", "--win"}, {"-h", "--history"},
        {"-p", "--players"}};

    private final int size;
    private final int win;
    private final int history;
    private final String players;
    private final char[][] board;
    private final Deque<int[]> played = new ArrayDeque<>();

    Classic(Map<String, String> options) {
        size = Integer.parseInt(options.getOrDefault("-s", "3"));
        win = Integer.parseInt(options.getOrDefault("-w", "3"));
        history = Integer.parseInt(options.getOrDefault("-h", "1"));
        players = options.getOrDefault("-p", "xo");
        if (size < 3 || win < 3 || win > size || history < 1 || history >= size * size || players.length() < 2) {
            throw new IllegalArgumentException("an option does not meet its condition");
        }
        board = new char[size][size];
    }

    public static void main(String[] args) {
        Map<String, String> options = new HashMap<>();
        try {
            for (int i = 0; i < args.length; i += 2) {
                if (args[i].equals("--help")) {
                    System.out.println("Usage: application [-s SIZE] [-w WIN] [-h HISTORY] [-p PLAYERS]");
                    return;
                }
                options.put(name(args[i]), args[i + 1]);
            }
            new Classic(options).play();
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            System.err.println("Error: " + e.getMessage());
            System.exit(1);
        }
    }

    private static String name(String option) {
        for (String[] names : OPTIONS) {
            if (names[0].equals(option) || names[1].equals(option)) {
                return names[0];
            }
        }
        throw new IllegalArgumentException("unknown option " + option);
    }

    private void play() {
        Scanner scanner = new Scanner(System.in);
        int turn = 1;
        boolean over = false;
        while (!over) {
            char symbol = players.charAt((turn - 1) % players.length());
            System.out.printf(Messages.TURN_COUNTER, turn);
            show();
            System.out.printf(Messages.TURN_PROMPT, symbol);
            System.out.flush();
            String line = scanner.hasNextLine() ? scanner.nextLine() : ":q";
            if (line.equals(":q")) {
                System.out.printf(Messages.TURN_DELIMITER);
                break;
            }
            String error = execute(line, symbol);
            if (error != null) {
                System.out.printf(error);
            } else {
                turn++;
                over = winner() != 0 || played.size() == size * size;
            }
            System.out.printf(Messages.TURN_DELIMITER);
        }
        System.out.printf(Messages.GAME_OVER, turn - 1);
        show();
        if (winner() != 0) {
            System.out.printf(Messages.GAME_WINNER, winner());
        }
    }

    private String execute(String line, char symbol) {
        try {
            if (line.startsWith("<<")) {
                return rewind(Integer.parseInt(line.substring(2)));
            }
            String[] words = line.split(" ", -1);
            if (words.length != 2) {
                return Messages.ERROR_INVALID_COMMAND;
            }
            int row = Integer.parseInt(words[0]);
            int column = Integer.parseInt(words[1]);
            if (row < 0 || row >= size || column < 0 || column >= size || board[row][column] != 0) {
                return Messages.ERROR_ILLEGAL_PLAY;
            }
            board[row][column] = symbol;
            played.push(new int[] {row, column});
            return null;
        } catch (NumberFormatException e) {
            return Messages.ERROR_INVALID_COMMAND;
        }
    }

    private String rewind(int count) {
        if (count < 0 || count >= history || count > played.size()) {
            return Messages.ERROR_REWIND;
        }
        for (int i = 0; i < count; i++) {
            int[] cell = played.pop();
            board[cell[0]][cell[1]] = 0;
        }
        return null;
    }

    private void show() {
        String rule = "-".repeat(2 * size + 1);
        System.out.println(rule);
        for (char[] row : board) {
            StringBuilder line = new StringBuilder("|");
            for (char cell : row) {
                line.append(cell == 0 ? ' ' : cell).append('|');
            }
            System.out.println(line);
            System.out.println(rule);
        }
    }

    private char winner() {
        int[][] directions = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (int row = 0; row < size; row++) {
            for (int column = 0; column < size; column++) {
                for (int[] direction : directions) {
                    int count = 0;
                    int r = row;
                    int c = column;
                    while (r >= 0 && r < size && c >= 0 && c < size && board[r][c] != 0
                        && board[r][c] == board[row][column]) {
                        count++;
                        r += direction[0];
                        c += direction[1];
                    }
                    if (count >= win) {
                        return board[row][column];
                    }
                }
            }
        }
        return 0;
    }
}
