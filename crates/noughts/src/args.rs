//! The command line: what there is to ask for, as `--help` tells it.

use clap::{
    Arg, ArgAction, Args as Arguments, Command, CommandFactory, Parser, Subcommand, ValueEnum,
};
use clap_complete::Shell;

/// Every game of the tic-tac-toe family. Without a command, the classic game in the terminal.
#[derive(Parser, Debug)]
#[command(
    name = "noughts",
    version,
    propagate_version = true,
    // Freed for the history; `command` gives it back to the subcommands.
    disable_help_flag = true,
    disable_version_flag = true,
    args_conflicts_with_subcommands = true,
    after_help = "In the game: ROW COLUMN plays (from 0), <<N takes back the last N marks, :q quits."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) classic: Classic,
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
    /// Print version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// The options of the classic game, kept as they were typed: `-h -1` is a value out of range, and
/// not an option nobody knows.
#[derive(Arguments, Debug)]
pub(crate) struct Classic {
    /// Size of the board, 3 to 255 [default: 3]
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) size: Option<String>,
    /// Marks in a line that win, 3 to the size [default: 3]
    #[arg(short, long, value_name = "W", allow_hyphen_values = true)]
    pub(crate) win: Option<String>,
    /// A rewind takes back fewer marks than this, 1 to the number of cells less one [default: 1]
    #[arg(short = 'h', long, value_name = "H", allow_hyphen_values = true)]
    pub(crate) history: Option<String>,
    /// The players' symbols in turn order, 2 to 64; equal ones are one side [default: xo]
    #[arg(short, long, value_name = "SYMBOLS", allow_hyphen_values = true)]
    pub(crate) players: Option<String>,
    /// Any variant on one board instead of -s and -w, such as 7x6k4+gravity
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, conflicts_with_all = ["size", "win"])]
    pub(crate) variant: Option<String>,
    /// Let a robot play for a symbol or a seat (from 0), such as o or o=random [strategy: level:8]
    #[arg(
        long = "robot",
        value_name = "PLAYER[=STRATEGY]",
        allow_hyphen_values = true
    )]
    pub(crate) robots: Vec<String>,
    /// Let robots repeat themselves: the same number, the same choices
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Task {
    /// Play with a menu: human or robot against human or robot, asked for row and column
    Menu(Menu),
    /// Play on nine boards: Multi or Ultimate, human or machine on either side
    Multi(Multi),
    /// Play full-screen, with keyboard and mouse
    Tui(Tui),
    /// Serve others: an HTTP API, and the TCP protocol against the computer and between two
    Serve(Serve),
    /// Play at a server of the TCP protocol, a person or a robot
    Connect(Connect),
    /// Say what a position is worth and which move is best
    Analyze(Analyze),
    /// Prove what a position is worth with perfect play: win, draw or loss
    Solve(Solve),
    /// Check a proof that somebody else made
    Verify(Verify),
    /// Count the move sequences of a length, every one played
    Perft(Perft),
    /// List what can be played
    Variants,
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Arguments, Debug)]
pub(crate) struct Menu {
    /// Size of the board, 3 to 255 [default: 3]
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) size: Option<String>,
    /// Marks in a line that win, 3 to the size [default: 3]
    #[arg(short, long, value_name = "K", allow_hyphen_values = true)]
    pub(crate) win: Option<String>,
    /// How robots play
    #[arg(long, value_name = "STRATEGY", default_value = "random")]
    pub(crate) strategy: String,
    /// Let robots repeat themselves: the same number, the same choices
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

#[derive(Arguments, Debug)]
#[command(
    after_help = "In the game: a cell from 0 to 8 plays on the board that must be played on, BOARD-CELL on any; \
                  <<N takes back the last N plays, resign gives up, :q quits."
)]
pub(crate) struct Multi {
    /// Who plays X: human, or a strategy [default: human]
    #[arg(long, value_name = "human|STRATEGY")]
    pub(crate) x: Option<String>,
    /// Who plays O: human, or a strategy [default: minimax:7]
    #[arg(long, value_name = "human|STRATEGY")]
    pub(crate) o: Option<String>,
    /// The board of the first play: random, any, or 0 to 8 [default: random]
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true)]
    pub(crate) start: Option<String>,
    /// Which game: most boards win, or three in a line
    #[arg(long, value_enum, default_value_t = NineBoards::Multi)]
    pub(crate) rules: NineBoards,
    /// A rewind takes back fewer plays than this, 0 to 80; 0: there is none [default: 0]
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub(crate) history: Option<String>,
    /// Let robots, and the random first board, repeat themselves: the same number, the same choices
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

/// The games on nine boards.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum NineBoards {
    Multi,
    Ultimate,
}

#[derive(Arguments, Debug)]
pub(crate) struct Analyze {
    /// The game, such as 7x7k4 or multi@4; with --record it is the record's
    #[arg(required_unless_present = "record")]
    pub(crate) variant: Option<String>,
    /// The turns that were played, such as "1-1 0-0 <<1"
    #[arg(long, value_name = "TURNS", conflicts_with = "record")]
    pub(crate) moves: Option<String>,
    /// A record to read, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "variant")]
    pub(crate) record: Option<String>,
    /// How long to think, or how many positions to look at: 200ms, 2s, 500000n
    #[arg(long, value_name = "LIMIT", default_value = "1s")]
    pub(crate) time: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Arguments, Debug)]
#[command(
    after_help = "Exits with 0 when it is solved and with 3 when the limit, or Ctrl-C, came first."
)]
pub(crate) struct Solve {
    /// The game, such as 5x5k4; for two sides, on up to 256 cells
    pub(crate) variant: String,
    /// The position, such as "x.o/.x./..o o" [default: the first]
    #[arg(long, value_name = "POSITION")]
    pub(crate) position: Option<String>,
    /// How many threads look
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// How many megabytes it may remember, and with a proof more
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub(crate) memory: u32,
    /// How long it may take, or how many positions it may look at: 200ms, 2s, 500000n
    #[arg(long, value_name = "LIMIT")]
    pub(crate) time: Option<String>,
    /// Go on from this file if it is there, and keep there what is known
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<String>,
    /// Write a proof
    #[arg(long, value_name = "FILE")]
    pub(crate) proof: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Arguments, Debug)]
pub(crate) struct Verify {
    /// The proof, or - for standard input
    pub(crate) file: String,
}

#[derive(Arguments, Debug)]
pub(crate) struct Perft {
    /// The game, such as 3x3k3 or multi
    pub(crate) variant: String,
    /// How many moves
    pub(crate) depth: u32,
    /// Also the count behind each first move
    #[arg(long)]
    pub(crate) divide: bool,
}

#[derive(Arguments, Debug)]
pub(crate) struct Serve {
    /// Where to listen for HTTP; none: nowhere, port 0: any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub(crate) http: String,
    /// Where to listen for games against the computer; none: nowhere, port 0: any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8081")]
    pub(crate) tcp: String,
    /// How the computer plays there
    #[arg(long, value_name = "STRATEGY", default_value = "perfect")]
    pub(crate) tcp_strategy: String,
    /// Where to listen for games between two
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8082")]
    pub(crate) tcp_pairs: String,
    /// Where games are kept: memory:
    #[arg(long, value_name = "URL", default_value = "memory:")]
    pub(crate) store: String,
    /// How many may be connected at once
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_connections: usize,
    /// How long somebody whose turn it is may say nothing
    #[arg(long, value_name = "TIME", default_value = "120s")]
    pub(crate) idle: String,
    /// What is logged, on standard error
    #[arg(long, value_enum, default_value_t = LogLevel::Info)]
    pub(crate) log: LogLevel,
    /// How it is logged
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

/// Kept as typed, like the classic game's: the door says what is wrong with them.
#[derive(Arguments, Debug)]
#[command(
    after_help = "In the game: ROW COLUMN plays (from 0), :q leaves. -h is the host here; --help is help."
)]
pub(crate) struct Connect {
    /// The server's name or address
    #[arg(
        short = 'h',
        long,
        value_name = "HOST",
        default_value = "127.0.0.1",
        allow_hyphen_values = true
    )]
    pub(crate) host: String,
    /// The server's port [default: 8081, with --pairs 8082]
    #[arg(short, long, value_name = "PORT", allow_hyphen_values = true)]
    pub(crate) port: Option<String>,
    /// Play with another client instead of the server
    #[arg(long)]
    pub(crate) pairs: bool,
    /// Your name, as the server hears it [default: your user name]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    /// Let a robot play for you
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) robot: Option<String>,
    /// How many games the robot plays [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true, requires = "robot")]
    pub(crate) games: Option<String>,
    /// How to speak: with an id of our own, or one made by the server, as later programs do
    #[arg(long, value_enum, default_value_t = Dialect::Seed)]
    pub(crate) dialect: Dialect,
    /// Let the robot, and the id, repeat themselves: the same number, the same choices
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

/// The two ways in which the TCP protocol is spoken.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Dialect {
    Seed,
    Later,
}

/// How much is logged.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum LogLevel {
    Off,
    Error,
    Warn,
    /// A line for each connection and each game
    Info,
    Debug,
}

/// In which form.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Kept as typed, like the classic game's: the door says what is wrong with them.
#[derive(Arguments, Debug)]
#[command(after_help = "In the game, ? shows every key.")]
pub(crate) struct Tui {
    /// The game, such as 7x6k4+gravity; without it the first screen asks
    #[arg(conflicts_with = "load")]
    pub(crate) variant: Option<String>,
    /// Who holds the next seat, in turn order: human, "human NAME" or a strategy; robots take the rest
    #[arg(long, value_name = "WHO", conflicts_with = "load")]
    pub(crate) seat: Vec<String>,
    /// The same for the first seat
    #[arg(long, value_name = "WHO", conflicts_with_all = ["seat", "load"])]
    pub(crate) x: Option<String>,
    /// The same for the second seat
    #[arg(long, value_name = "WHO", conflicts_with_all = ["seat", "load"])]
    pub(crate) o: Option<String>,
    /// A rewind takes back fewer marks than this; 0: no rewind [default: 0]
    #[arg(
        long,
        value_name = "H",
        allow_hyphen_values = true,
        conflicts_with = "load"
    )]
    pub(crate) history: Option<String>,
    /// On nine boards, the board of the first play: random, any, or 0 to 8 [default: random, ultimate: any]
    #[arg(
        long,
        value_name = "BOARD",
        allow_hyphen_values = true,
        conflicts_with = "load"
    )]
    pub(crate) start: Option<String>,
    /// Load a game from a record
    #[arg(long, value_name = "FILE")]
    pub(crate) load: Option<String>,
    /// Robots repeat themselves under the same seed
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

/// The whole command line. `-h` is the history in the classic game, the host in `connect`, and help in
/// every other subcommand.
pub(crate) fn command() -> Command {
    let help = Arg::new("help")
        .long("help")
        .help("Print help")
        .action(ArgAction::Help);
    let version = Arg::new("version")
        .long("version")
        .help("Print version")
        .action(ArgAction::Version);
    Args::command().mut_subcommands(|sub| {
        let has_short = sub.get_arguments().any(|arg| arg.get_short() == Some('h'));
        let help = match has_short {
            true => help.clone(),
            false => help.clone().short('h'),
        };
        // Freed, since clap adds its own where there is none of this name.
        sub.disable_help_flag(true).arg(help).arg(version.clone())
    })
}
