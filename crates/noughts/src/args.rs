//! The command line: what there is to ask for, as `--help` tells it.

use std::ffi::OsString;
use std::path::PathBuf;

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
    /// Play at a table of a server's HTTP API, a person or a robot, or watch there
    Play(Play),
    /// List, show, export and import the games of a store
    Games(Games),
    /// Judge somebody's server or client of the TCP protocol, or classic program
    Check(Check),
    /// Say what a position is worth and which move is best
    Analyze(Analyze),
    /// Prove what a position is worth with perfect play: win, draw or loss
    Solve(Solve),
    /// Check a proof that somebody else made
    Verify(Verify),
    /// Count the move sequences of a length, every one played
    Perft(Perft),
    /// Let strategies and programs play one another, and say who is how strong
    Arena(Arena),
    /// Play as a program under a manager: the Gomocup protocol on standard input and output
    Engine(Engine),
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
    /// How many threads look; with more than one it need not repeat itself
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
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
    /// Solve every line of FILE (- is standard input): a position, or moves such as "3 3 2"; prints JSON lines
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "checkpoint", "proof"])]
    pub(crate) positions: Option<String>,
    /// Find the number of plies to the end too (Connect Four: WxHk4+gravity)
    #[arg(long, conflicts_with_all = ["checkpoint", "proof"])]
    pub(crate) distance: bool,
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
#[command(
    after_help = "Players are strategies, search alone being one with the limit of --time or --nodes, and \
                  \"engine:COMMAND\", programs that speak the Gomocup protocol. Ctrl-C stops; with --out the \
                  same command goes on where it was."
)]
pub(crate) struct Arena {
    /// Who plays: as many as the game has sides, or more
    #[arg(required = true, num_args = 1.., value_name = "PLAYER")]
    pub(crate) players: Vec<String>,
    /// The game
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: String,
    /// How many games each two play; each opening is played from every seat
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) games: u32,
    /// How long search and programs may think about a move: 100ms, 2s [default: 100ms]
    #[arg(long, value_name = "TIME", conflicts_with = "nodes")]
    pub(crate) time: Option<String>,
    /// How many positions they may look at instead, so that games repeat themselves
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<String>,
    /// How much longer than its time a program is waited for
    #[arg(long, value_name = "TIME", default_value = "500ms")]
    pub(crate) tolerance: String,
    /// Stop when it is clear whether the first is better by ELO0 or by ELO1, such as 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub(crate) sprt: Option<String>,
    /// Everybody plays the first only, instead of everybody else
    #[arg(long)]
    pub(crate) gauntlet: bool,
    /// Openings, one a line, such as "7-7 8-8" [default: random ones that are balanced]
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: Option<String>,
    /// The same number, the same openings and choices [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
    /// How many games at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// A folder for records, tables and a plot, from which a contest goes on
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<String>,
}

#[derive(Arguments, Debug)]
pub(crate) struct Engine {
    /// How to play [default: search, as long as the manager allows]
    pub(crate) strategy: Option<String>,
    /// Let it repeat itself: the same number, the same choices
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
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
    #[arg(
        long,
        env = "NOUGHTS_HTTP",
        value_name = "ADDR",
        default_value = "127.0.0.1:8080"
    )]
    pub(crate) http: String,
    /// Where to listen for games against the computer; none: nowhere, port 0: any free one
    #[arg(
        long,
        env = "NOUGHTS_TCP",
        value_name = "ADDR",
        default_value = "127.0.0.1:8081"
    )]
    pub(crate) tcp: String,
    /// How the computer plays there
    #[arg(
        long,
        env = "NOUGHTS_TCP_STRATEGY",
        value_name = "STRATEGY",
        default_value = "perfect"
    )]
    pub(crate) tcp_strategy: String,
    /// Where to listen for games between two
    #[arg(
        long,
        env = "NOUGHTS_TCP_PAIRS",
        value_name = "ADDR",
        default_value = "127.0.0.1:8082"
    )]
    pub(crate) tcp_pairs: String,
    /// Where games are kept: sqlite:FILE, postgres://USER@HOST/DATABASE, or memory: until the end
    #[arg(
        long,
        value_name = "URL",
        env = "NOUGHTS_STORE",
        // It may hold a password.
        hide_env_values = true,
        default_value = "sqlite:noughts.db"
    )]
    pub(crate) store: String,
    /// When a turn kept in a file is answered
    #[arg(long, value_enum, env = "NOUGHTS_SYNC", default_value_t = Sync::Full)]
    pub(crate) sync: Sync,
    /// Forget games when nothing has happened at them for so long, such as 90d [default: never]
    #[arg(long, value_name = "TIME", env = "NOUGHTS_FORGET_AFTER")]
    pub(crate) forget_after: Option<String>,
    /// How many requests per second one address may make at the HTTP door; 127.0.0.1 and ::1 are not limited,
    /// unless a proxy there names the client's address
    #[arg(
        long,
        env = "NOUGHTS_RATE",
        value_name = "N",
        default_value = "100",
        allow_hyphen_values = true
    )]
    pub(crate) rate: String,
    /// How many open tables one address may have
    #[arg(
        long,
        env = "NOUGHTS_TABLES",
        value_name = "N",
        default_value = "500",
        allow_hyphen_values = true
    )]
    pub(crate) tables: String,
    /// How many bytes of records one address may import per day
    #[arg(
        long,
        env = "NOUGHTS_IMPORT_BYTES_PER_DAY",
        value_name = "N",
        default_value = "20000000",
        allow_hyphen_values = true
    )]
    pub(crate) import_bytes_per_day: String,
    /// The address of a proxy that is believed about X-Forwarded-For, besides those on this machine
    #[arg(
        long,
        env = "NOUGHTS_PROXY",
        value_name = "ADDR",
        value_delimiter = ','
    )]
    pub(crate) proxy: Vec<String>,
    /// The origin of pages elsewhere that may use the API: scheme, name and port, as browsers send it
    #[arg(
        long,
        env = "NOUGHTS_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub(crate) origin: Vec<String>,
    /// How many may be connected at once, at all doors
    #[arg(
        long,
        env = "NOUGHTS_MAX_CONNECTIONS",
        value_name = "N",
        default_value = "10000",
        allow_hyphen_values = true
    )]
    pub(crate) max_connections: String,
    /// Maximum number of connections from one address, at all doors; 127.0.0.1, ::1 and --proxy addresses
    /// are not limited
    #[arg(
        long,
        env = "NOUGHTS_CONNECTIONS_PER_ADDRESS",
        value_name = "N",
        default_value = "512",
        allow_hyphen_values = true
    )]
    pub(crate) connections_per_address: String,
    /// How long somebody whose turn it is may say nothing
    #[arg(
        long,
        env = "NOUGHTS_IDLE",
        value_name = "TIME",
        default_value = "120s"
    )]
    pub(crate) idle: String,
    /// Misbehave at the TCP doors, for those who write clients (docs/conformance.md)
    #[arg(long, value_name = "KIND", hide = true)]
    pub(crate) misbehave: Option<String>,
    /// What is logged, on standard error
    #[arg(long, env = "NOUGHTS_LOG", value_enum, default_value_t = LogLevel::Info)]
    pub(crate) log: LogLevel,
    /// How it is logged
    #[arg(long, env = "NOUGHTS_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

#[derive(Arguments, Debug)]
#[command(after_help = "Without a command, the newest games are listed.")]
pub(crate) struct Games {
    /// Where games are kept: sqlite:FILE or postgres://USER@HOST/DATABASE
    #[arg(
        long,
        value_name = "URL",
        env = "NOUGHTS_STORE",
        // It may hold a password.
        hide_env_values = true,
        default_value = "sqlite:noughts.db",
        global = true
    )]
    pub(crate) store: String,
    #[command(subcommand)]
    pub(crate) what: Option<GamesTask>,
}

/// What to do with the games of a store.
#[derive(Subcommand, Debug)]
pub(crate) enum GamesTask {
    /// List games, newest first
    List(Listing),
    /// Show a game: who played, the board and how it ended
    Show {
        /// Which game
        id: String,
    },
    /// Write the records of games
    Export {
        /// Which games; without any, all that are over
        #[arg(value_name = "ID")]
        ids: Vec<String>,
    },
    /// Put records of finished games into the archive, and print their ids
    Import {
        /// Files of records, or - for standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<String>,
    },
}

/// Which games to list.
#[derive(Arguments, Debug)]
pub(crate) struct Listing {
    /// Only those of this variant
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,
    /// Only those in which somebody of this name sits or sat
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) player: Option<String>,
    /// Only those that stand so
    #[arg(long, value_enum)]
    pub(crate) status: Option<GameStatus>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = LISTED)]
    pub(crate) limit: usize,
}

const LISTED: usize = 20;

impl Default for Listing {
    fn default() -> Listing {
        Listing {
            variant: None,
            player: None,
            status: None,
            limit: LISTED,
        }
    }
}

/// How a game stands.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum GameStatus {
    /// A seat is open to everybody
    Waiting,
    Playing,
    Over,
}

impl From<GameStatus> for noughts_server::Status {
    fn from(status: GameStatus) -> noughts_server::Status {
        match status {
            GameStatus::Waiting => noughts_server::Status::Waiting,
            GameStatus::Playing => noughts_server::Status::Playing,
            GameStatus::Over => noughts_server::Status::Over,
        }
    }
}

#[derive(Arguments, Debug)]
#[command(
    after_help = "Exit code: 0 everything demanded holds, 1 something demanded is broken, 2 nothing could be judged."
)]
pub(crate) struct Check {
    #[command(subcommand)]
    pub(crate) what: Judged,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Judged {
    /// Judge a server: play the protocol's rules against it, each in a connection of its own
    Tcp(CheckTcp),
    /// Judge a client: play the server's part, and look at what it sends
    Client(CheckClient),
    /// Judge a classic program: type scripted games into it, and compare what it shows
    Classic(CheckClassic),
}

/// How a verdict is told.
#[derive(Arguments, Debug)]
pub(crate) struct Telling {
    /// Print JSON instead of words
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write JUnit's XML to a file, as CI systems read it
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

#[derive(Arguments, Debug)]
pub(crate) struct CheckTcp {
    /// Where the server listens
    #[arg(value_name = "HOST:PORT")]
    pub(crate) address: String,
    /// Which dialect it should speak: the document's, the later one with id 0, or whatever it does
    #[arg(long, value_enum, default_value_t = SpokenDialect::Auto)]
    pub(crate) dialect: SpokenDialect,
    /// It is a server for two players, who are both played by the judge
    #[arg(long)]
    pub(crate) pairs: bool,
    /// How long one answer may take; everything together may take fifteen times that
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub(crate) timeout: String,
    #[command(flatten)]
    pub(crate) telling: Telling,
}

/// The dialects of the TCP protocol, or those that are spoken.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum SpokenDialect {
    Seed,
    Later,
    Auto,
}

#[derive(Arguments, Debug)]
#[command(
    after_help = "The client visits nine times. A COMMAND is started for every visit, with {host} and {port} in its words \
                  replaced; without one, start the client yourself each time you are told."
)]
pub(crate) struct CheckClient {
    /// Where to listen; port 0: any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: String,
    /// How long one frame may take; the client may take three times that to come [default: 5s with a COMMAND, else 60s]
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    #[command(flatten)]
    pub(crate) telling: Telling,
    /// How to start a client that plays by itself
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Arguments, Debug)]
pub(crate) struct CheckClassic {
    /// Games of your own instead of the kit's: every .txt file in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cases: Option<PathBuf>,
    /// Byte for byte, also where the document leaves it open
    #[arg(long)]
    pub(crate) strict: bool,
    /// How long one game may take
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub(crate) timeout: String,
    #[command(flatten)]
    pub(crate) telling: Telling,
    /// The program, such as java -jar application.jar
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
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

#[derive(Arguments, Debug)]
#[command(
    after_help = "With the address of a server a table is laid there; with that of a game the first open seat is taken, \
                  or the game is watched. In the game: 1-0 plays, <<N takes back, resign gives up, :q leaves."
)]
pub(crate) struct Play {
    /// The server, such as http://localhost:8080 or https://games.example.org, or a game there
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Trust the certificates of this PEM file too, besides those of the system
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<String>,
    /// Let a robot play for you
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) robot: Option<String>,
    /// Your name at the table [default: your user name, or the strategy]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    /// The seat to take, from 0 [default: the first that is open]
    #[arg(long, value_name = "N")]
    pub(crate) seat: Option<u8>,
    /// The token of a seat that is yours already
    #[arg(
        long,
        value_name = "TOKEN",
        requires = "seat",
        allow_hyphen_values = true
    )]
    pub(crate) token: Option<String>,
    /// For a new table: the game [default: 3x3k3]
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,
    /// For a new table: a strategy, link for whoever has the address, lobby for everybody [default: level:8]
    #[arg(long, value_name = "STRATEGY|link|lobby")]
    pub(crate) against: Option<String>,
    /// Let the robot repeat itself: the same number, the same choices
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

/// The two ways in which the TCP protocol is spoken.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Dialect {
    Seed,
    Later,
}

/// When a turn is answered.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Sync {
    /// When the disk has it: a power failure takes nothing that was answered
    Full,
    /// When the system has it: a power failure may take the last moments
    Normal,
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
    Args::command().mut_subcommands(|sub| with_help(sub, &help, &version))
}

/// The flags that clap would add by itself, in a command and those within it.
fn with_help(command: Command, help: &Arg, version: &Arg) -> Command {
    let has_short = command
        .get_arguments()
        .any(|arg| arg.get_short() == Some('h'));
    let own = match has_short {
        true => help.clone(),
        false => help.clone().short('h'),
    };
    // Freed, since clap adds its own where there is none of this name.
    command
        .disable_help_flag(true)
        .arg(own)
        .arg(version.clone())
        .mut_subcommands(|sub| with_help(sub, help, version))
}
