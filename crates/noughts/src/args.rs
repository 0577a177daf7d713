//! The command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, StyledStr, TypedValueParser};
use clap::{
    Arg, ArgAction, Args as Arguments, Command, CommandFactory, Parser, Subcommand, ValueEnum,
};
use clap_complete::Shell;
use noughts_rules::CATALOG;
use noughts_terminal::ROBOTS;

use crate::examples::with_examples;

/// Play every game of the tic-tac-toe family: in the terminal, in a browser, over the network
#[derive(Parser, Debug)]
#[command(
    name = "noughts",
    version,
    propagate_version = true,
    // In the classic game `-h` is the history; the function `command` adds help flags to the subcommands.
    disable_help_flag = true,
    disable_version_flag = true,
    args_conflicts_with_subcommands = true,
    override_usage = "noughts [OPTIONS]\n       noughts <COMMAND>",
    next_help_heading = "Options of the classic game (noughts without a command)",
    after_help = "In the classic game: ROW COLUMN plays (from 0), <<N takes back the last N marks, :q quits.\n\
                  `noughts COMMAND --help` explains a command."
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
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// The options of the classic game as text. The game parses the text. So `-h -1` is a value out of range, and
/// not an unknown option.
#[derive(Arguments, Debug)]
pub(crate) struct Classic {
    /// Size of the board, 3 to 255 [default: 3]
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) size: Option<String>,
    /// Length of a winning line, 3 to the board size [default: 3]
    #[arg(short, long, value_name = "W", allow_hyphen_values = true)]
    pub(crate) win: Option<String>,
    /// History size: a rewind takes back fewer marks than this; 1 to the number of cells less one [default: 1]
    #[arg(short = 'h', long, value_name = "H", allow_hyphen_values = true)]
    pub(crate) history: Option<String>,
    /// The players' symbols in turn order, 2 to 64; players with the same symbol are one side [default: xo]
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
    /// Seed for robots: the same number gives the same moves
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Task {
    /// Play with a menu that asks for row and column
    Menu(Menu),
    /// Play on nine boards: Multi or Ultimate
    Multi(Multi),
    /// Play on the full screen
    Tui(Tui),
    /// Run a game server
    Serve(Box<Serve>),
    /// Play over the TCP protocol
    Connect(Connect),
    /// Play on a server, alone or with others
    Play(Play),
    /// Show, rename or move your player at a server
    Player(Player),
    /// List, show, export and import stored games
    Games(Games),
    /// Write a store to a file, even while in use
    Backup(Backup),
    /// Load a backup into an empty store
    Restore(Restore),
    /// Copy a store into an empty one of any kind
    Migrate(Migrate),
    /// Operate a running server
    Admin(Admin),
    /// Test a server, client or classic program
    Check(Check),
    /// Find the best move, or the mistakes of a game
    Analyze(Analyze),
    /// Prove the value of a position
    Solve(Solve),
    /// Check a proof
    Verify(Verify),
    /// Count the move sequences of a given length
    Perft(Perft),
    /// Let robots play each other, and rate them
    Arena(Arena),
    /// Be an engine of the Gomocup protocol
    Engine(Engine),
    /// List the variants
    Variants,
    /// Print shell completions
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// The variant: an argument, or the option `--variant`.
#[derive(Arguments, Debug, Default)]
pub(crate) struct VariantName {
    /// The variant, such as 7x6k4+gravity; `noughts variants` lists more
    #[arg(value_name = "VARIANT")]
    variant: Option<String>,
    /// The same as VARIANT
    #[arg(long = "variant", value_name = "NAME", conflicts_with = "variant")]
    variant_option: Option<String>,
}

impl VariantName {
    pub(crate) fn get(&self) -> Option<&str> {
        let name = self.variant.as_ref().or(self.variant_option.as_ref());
        name.map(String::as_str)
    }
}

/// The position that `analyze` or `solve` works on.
#[derive(Arguments, Debug)]
pub(crate) struct Position {
    #[command(flatten)]
    pub(crate) variant: VariantName,
    /// The turns played so far, such as "1-1 0-0 <<1"
    #[arg(long, value_name = "TURNS")]
    pub(crate) moves: Option<String>,
    /// The position, such as "x.o/.x./..o o"
    #[arg(long, value_name = "POSITION", conflicts_with = "moves")]
    pub(crate) position: Option<String>,
    /// The game of a record: a file, - for standard input, or the link of a game; not with a variant
    #[arg(long, value_name = "FILE|LINK", conflicts_with_all = ["variant", "variant_option", "moves", "position"])]
    pub(crate) record: Option<String>,
}

#[derive(Arguments, Debug)]
pub(crate) struct Menu {
    #[command(flatten)]
    pub(crate) variant: VariantName,
    /// Size of the board, 3 to 255 [default: 3]
    #[arg(short, long, value_name = "N", allow_hyphen_values = true, conflicts_with_all = ["variant", "variant_option"])]
    pub(crate) size: Option<String>,
    /// Length of a winning line, 3 to the board size [default: 3]
    #[arg(short, long, value_name = "K", allow_hyphen_values = true, conflicts_with_all = ["variant", "variant_option"])]
    pub(crate) win: Option<String>,
    /// The strategy of the robot that plays x or o, such as o=level:3
    #[arg(long = "robot", value_name = "PLAYER[=STRATEGY]")]
    pub(crate) robots: Vec<String>,
    /// The strategy of both robots
    #[arg(long, value_name = "STRATEGY", default_value = "random")]
    pub(crate) strategy: String,
    /// Seed for robots: the same number gives the same moves
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

#[derive(Arguments, Debug)]
#[command(
    after_help = "In the game: a cell from 0 to 8 plays on the active board, BOARD-CELL on any open board; \
                  <<N takes back the last N plays, resign resigns, :q quits."
)]
pub(crate) struct Multi {
    #[command(flatten)]
    pub(crate) variant: VariantName,
    /// Let a robot play for x or o, such as o=level:3; the other is a person [strategy: minimax:7]
    #[arg(long = "robot", value_name = "PLAYER[=STRATEGY]", conflicts_with_all = ["x", "o"])]
    pub(crate) robots: Vec<String>,
    /// Who plays X: human, or a strategy [default: human]
    #[arg(long, value_name = "human|STRATEGY")]
    pub(crate) x: Option<String>,
    /// Who plays O: human, or a strategy [default: minimax:7]
    #[arg(long, value_name = "human|STRATEGY")]
    pub(crate) o: Option<String>,
    /// The board of the first play: random, any, or 0 to 8 [default: random]
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true)]
    pub(crate) start: Option<String>,
    /// multi: most boards win; ultimate: three boards in a line win
    #[arg(long, value_enum, default_value_t = NineBoards::Multi, conflicts_with_all = ["variant", "variant_option"])]
    pub(crate) rules: NineBoards,
    /// History size: a rewind takes back fewer plays than this, 0 to 80; 0: no rewind [default: 0]
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub(crate) history: Option<String>,
    /// Seed for robots and the random first board: the same number gives the same game
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
    #[command(flatten)]
    pub(crate) position: Position,
    /// Limit of time or of positions searched: 200ms, 2s, 500000n
    #[arg(long, value_name = "LIMIT", default_value = "1s")]
    pub(crate) time: String,
    /// Number of threads; with more than one the result may vary
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Arguments, Debug)]
#[command(after_help = "Exit code: 0 solved, 3 not solved before the limit or Ctrl-C.")]
pub(crate) struct Solve {
    #[command(flatten)]
    pub(crate) position: Position,
    /// Solve every line of FILE (- is standard input): a position, or moves such as "3 3 2"; prints JSON lines
    #[arg(long, value_name = "FILE", conflicts_with_all = ["moves", "position", "record", "checkpoint", "proof"])]
    pub(crate) positions: Option<String>,
    /// Find the number of plies to the end too (Connect Four: WxHk4+gravity)
    #[arg(long, conflicts_with_all = ["checkpoint", "proof"])]
    pub(crate) distance: bool,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// Size of the transposition table in megabytes; writing a proof needs more memory
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub(crate) memory: u32,
    /// Limit of time or of positions searched: 200ms, 2s, 500000n [default: none]
    #[arg(long, value_name = "LIMIT")]
    pub(crate) time: Option<String>,
    /// Save progress to this file, and continue from it if it exists
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<String>,
    /// Write a proof to this file
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
    after_help = "A player is a strategy, or \"engine:COMMAND\" for a program that speaks the Gomocup protocol. \
                  `search` without a limit uses --time or --nodes. Ctrl-C stops; with --out the same command \
                  continues."
)]
pub(crate) struct Arena {
    /// The players, at least as many as the variant has sides
    #[arg(required = true, num_args = 1.., value_name = "PLAYER")]
    pub(crate) players: Vec<String>,
    /// The variant
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: String,
    /// Games per pair of players, a multiple of the seats: each opening is played from every seat [default: 100,
    /// rounded up]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) games: Option<u32>,
    /// Time per move for search and programs, such as 100ms or 2s [default: 100ms]
    #[arg(long, value_name = "TIME", conflicts_with = "nodes")]
    pub(crate) time: Option<String>,
    /// Positions searched per move instead of time, so that games are reproducible
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<String>,
    /// Grace period before a program loses on time
    #[arg(long, value_name = "TIME", default_value = "500ms")]
    pub(crate) tolerance: String,
    /// Stop when a sequential test decides between these two Elo advantages of the first player, such as 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub(crate) sprt: Option<String>,
    /// The first player plays all others, who do not play each other
    #[arg(long)]
    pub(crate) gauntlet: bool,
    /// Openings, one per line, such as "7-7 8-8" [default: random balanced ones]
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: Option<String>,
    /// Seed for openings and robots [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
    /// Number of games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// Directory for records, tables and a plot; an interrupted match continues from it
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<String>,
}

#[derive(Arguments, Debug)]
pub(crate) struct Engine {
    /// The strategy [default: search, within the time that the manager allows]
    pub(crate) strategy: Option<String>,
    /// Seed: the same number gives the same moves
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

#[derive(Arguments, Debug)]
#[command(allow_missing_positional = true)]
pub(crate) struct Perft {
    #[command(flatten)]
    pub(crate) variant: VariantName,
    /// The length of the sequences
    #[arg(required = true)]
    pub(crate) depth: u32,
    /// Also print the count for each first move
    #[arg(long)]
    pub(crate) divide: bool,
}

#[derive(Arguments, Debug)]
pub(crate) struct Serve {
    /// Address for HTTP; none disables it, port 0 picks a free port
    #[arg(
        long,
        env = "NOUGHTS_HTTP",
        value_name = "ADDR",
        default_value = "127.0.0.1:8080"
    )]
    pub(crate) http: String,
    /// Address for TCP games against the computer; none disables it, port 0 picks a free port
    #[arg(
        long,
        env = "NOUGHTS_TCP",
        value_name = "ADDR",
        default_value = "127.0.0.1:8081"
    )]
    pub(crate) tcp: String,
    /// The computer's strategy in TCP games
    #[arg(
        long,
        env = "NOUGHTS_TCP_STRATEGY",
        value_name = "STRATEGY",
        default_value = "perfect"
    )]
    pub(crate) tcp_strategy: String,
    /// Address for TCP games between two clients; none disables it, port 0 picks a free port
    #[arg(
        long,
        env = "NOUGHTS_TCP_PAIRS",
        value_name = "ADDR",
        default_value = "127.0.0.1:8082"
    )]
    pub(crate) tcp_pairs: String,
    /// The server's certificate and those of its issuers (PEM): HTTP uses TLS
    #[arg(
        long,
        env = "NOUGHTS_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(
        long,
        env = "NOUGHTS_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub(crate) tls_key: Option<PathBuf>,
    /// Address for TCP games against the computer with TLS [default: none]
    #[arg(
        long,
        env = "NOUGHTS_TCP_TLS",
        value_name = "ADDR",
        requires = "tls_cert"
    )]
    pub(crate) tcp_tls: Option<String>,
    /// Address for TCP games between two clients with TLS [default: none]
    #[arg(
        long,
        env = "NOUGHTS_TCP_PAIRS_TLS",
        value_name = "ADDR",
        requires = "tls_cert"
    )]
    pub(crate) tcp_pairs_tls: Option<String>,
    /// Create a Unix socket for `noughts admin` here; only the user that runs the server can use it [default: none]
    #[arg(long, env = "NOUGHTS_ADMIN", value_name = "PATH")]
    pub(crate) admin: Option<PathBuf>,
    /// Where games are stored: sqlite:FILE, postgres://USER@HOST/DATABASE, or memory: (lost when the server stops)
    #[arg(
        long,
        value_name = "URL",
        env = "NOUGHTS_STORE",
        // The URL may contain a password.
        hide_env_values = true,
        default_value = "sqlite:noughts.db"
    )]
    pub(crate) store: String,
    /// With an SQLite file: when the server acknowledges a turn
    #[arg(long, value_enum, env = "NOUGHTS_SYNC", default_value_t = Sync::Full)]
    pub(crate) sync: Sync,
    /// Delete games without activity for this time, such as 90d [default: never]
    #[arg(long, value_name = "TIME", env = "NOUGHTS_FORGET_AFTER")]
    pub(crate) forget_after: Option<String>,
    /// Maximum HTTP requests per second from one address; 127.0.0.1 and ::1 are not limited, unless a proxy
    /// there names the client's address
    #[arg(
        long,
        env = "NOUGHTS_RATE",
        value_name = "N",
        default_value = "100",
        allow_hyphen_values = true
    )]
    pub(crate) rate: String,
    /// Maximum number of unfinished tables created from one address
    #[arg(
        long,
        env = "NOUGHTS_TABLES",
        value_name = "N",
        default_value = "500",
        allow_hyphen_values = true
    )]
    pub(crate) tables: String,
    /// Maximum bytes per day that one address may add to the store, with imported records and games between robots
    #[arg(
        long,
        env = "NOUGHTS_IMPORT_BYTES_PER_DAY",
        value_name = "N",
        default_value = "20000000",
        allow_hyphen_values = true
    )]
    pub(crate) import_bytes_per_day: String,
    /// Address of a proxy whose X-Forwarded-For is trusted, besides proxies on this machine
    #[arg(
        long,
        env = "NOUGHTS_PROXY",
        value_name = "ADDR",
        value_delimiter = ','
    )]
    pub(crate) proxy: Vec<String>,
    /// Origin of other pages that may use the API: scheme, name and port, as browsers send it
    #[arg(
        long,
        env = "NOUGHTS_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub(crate) origin: Vec<String>,
    /// Maximum number of connections, over all listeners
    #[arg(
        long,
        env = "NOUGHTS_MAX_CONNECTIONS",
        value_name = "N",
        default_value = "10000",
        allow_hyphen_values = true
    )]
    pub(crate) max_connections: String,
    /// Maximum number of open connections from one address, over all listeners; not for 127.0.0.1, ::1 and trusted
    /// proxies
    #[arg(
        long,
        env = "NOUGHTS_CONNECTIONS_PER_ADDRESS",
        value_name = "N",
        default_value = "512",
        allow_hyphen_values = true
    )]
    pub(crate) connections_per_address: String,
    /// Disconnect a TCP client that does not move within this time
    #[arg(
        long,
        env = "NOUGHTS_IDLE",
        value_name = "TIME",
        default_value = "120s"
    )]
    pub(crate) idle: String,
    /// Misbehave on the TCP listeners, to test clients (docs/conformance.md)
    #[arg(long, value_name = "KIND", hide = true)]
    pub(crate) misbehave: Option<String>,
    /// What is logged to standard error
    #[arg(long, env = "NOUGHTS_LOG", value_enum, default_value_t = LogLevel::Info)]
    pub(crate) log: LogLevel,
    /// The format of the log
    #[arg(long, env = "NOUGHTS_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

#[derive(Arguments, Debug)]
#[command(after_help = "Without a command: list the newest games.")]
pub(crate) struct Games {
    /// Where games are stored: sqlite:FILE or postgres://USER@HOST/DATABASE
    #[arg(
        long,
        value_name = "URL",
        env = "NOUGHTS_STORE",
        // The URL may contain a password.
        hide_env_values = true,
        default_value = "sqlite:noughts.db",
        global = true
    )]
    pub(crate) store: String,
    #[command(subcommand)]
    pub(crate) what: Option<GamesTask>,
}

#[derive(Arguments, Debug)]
pub(crate) struct Admin {
    /// The socket that `noughts serve --admin` created
    #[arg(
        long,
        value_name = "PATH",
        env = "NOUGHTS_ADMIN",
        default_value = "noughts-admin.sock",
        global = true
    )]
    pub(crate) socket: PathBuf,
    #[command(subcommand)]
    pub(crate) what: AdminTask,
}

#[derive(Subcommand, Debug)]
pub(crate) enum AdminTask {
    /// Show connections, tables, computations and memory
    Load,
    /// List games, newest first, without unlisted games
    Games {
        /// all, waiting, playing or over
        #[arg(long, default_value = "all")]
        status: String,
        /// Maximum number of games
        #[arg(
            long,
            value_name = "N",
            default_value = "20",
            allow_hyphen_values = true
        )]
        limit: String,
    },
    /// Show a game
    Game {
        /// The id of the game
        id: String,
    },
    /// End a game without a result
    EndGame {
        /// The id of the game
        id: String,
    },
    /// Delete a game with its log
    DeleteGame {
        /// The id of the game
        id: String,
    },
    /// List registered players, by id
    Players {
        /// Maximum number of players
        #[arg(
            long,
            value_name = "N",
            default_value = "20",
            allow_hyphen_values = true
        )]
        limit: String,
    },
    /// Show a player and its games
    Player {
        /// The id of the player
        id: String,
    },
    /// Delete a player; its running games end without a result
    DeletePlayer {
        /// The id of the player
        id: String,
    },
    /// List the bans
    Bans,
    /// Ban an address or a network, at all servers that share the store
    Ban {
        /// An address, or a network such as 192.0.2.0/24 or 2001:db8::/32
        network: String,
        /// How long the ban lasts, such as 30m, 12h or 7d
        #[arg(long = "for", value_name = "TIME", required_unless_present = "until")]
        time: Option<String>,
        /// The first day without the ban, in UTC, such as 2026-12-31
        #[arg(long, value_name = "DATE", conflicts_with = "time")]
        until: Option<String>,
        /// The reason, for other operators
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Remove a ban
    Unban {
        /// The network, as `bans` shows it
        network: String,
    },
    /// Set the message that GET /api/announcement returns; without a text: remove it
    Announce {
        /// The message
        text: Option<String>,
    },
    /// Refuse new tables and quick matches, before a restart
    Drain {
        /// Accept new tables and quick matches again
        #[arg(long)]
        off: bool,
    },
}

#[derive(Arguments, Debug)]
pub(crate) struct Backup {
    /// The file to create; it contains secrets, and only its owner can read it
    pub(crate) file: PathBuf,
    /// The store to back up: sqlite:FILE or postgres://USER@HOST/DATABASE
    #[arg(
        long,
        value_name = "URL",
        env = "NOUGHTS_STORE",
        hide_env_values = true,
        default_value = "sqlite:noughts.db"
    )]
    pub(crate) store: String,
}

#[derive(Arguments, Debug)]
pub(crate) struct Restore {
    /// The backup
    pub(crate) file: PathBuf,
    /// A new or empty store: sqlite:FILE or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL")]
    pub(crate) store: String,
}

#[derive(Arguments, Debug)]
pub(crate) struct Migrate {
    /// The store to copy: sqlite:FILE or postgres://USER@HOST/DATABASE; no server may use it
    #[arg(long, value_name = "URL")]
    pub(crate) from: String,
    /// A new or empty store: sqlite:FILE or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
}

#[derive(Subcommand, Debug)]
pub(crate) enum GamesTask {
    /// List games, newest first
    List(Listing),
    /// Show a game: players, board and result
    Show {
        /// The id of the game
        id: String,
    },
    /// Print the records of games
    Export {
        /// The ids of the games [default: all finished games]
        #[arg(value_name = "ID")]
        ids: Vec<String>,
    },
    /// Import records of finished games, and print their ids
    Import {
        /// Files of records, or - for standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<String>,
    },
}

#[derive(Arguments, Debug)]
pub(crate) struct Listing {
    /// Only games of this variant
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,
    /// Only games of the registered player with this id, or with exactly this name at an anonymous seat
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) player: Option<String>,
    /// Only games with this status
    #[arg(long, value_enum)]
    pub(crate) status: Option<GameStatus>,
    /// Maximum number of games
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

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum GameStatus {
    /// A seat is open, and lists show the table
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
    after_help = "Exit code: 0 no demanded rule is broken, 1 a demanded rule is broken, 2 the program could not be checked."
)]
pub(crate) struct Check {
    #[command(subcommand)]
    pub(crate) what: Judged,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Judged {
    /// Check a server of the TCP protocol
    Tcp(CheckTcp),
    /// Check a client of the TCP protocol
    Client(CheckClient),
    /// Check a program of the classic terminal game
    Classic(CheckClassic),
}

/// The form of the report.
#[derive(Arguments, Debug)]
pub(crate) struct ReportOptions {
    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the report as JUnit XML, for CI systems
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Also write the report as one HTML page, to hand out
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show only what the document of your course demands, not open questions and advice
    #[arg(long)]
    pub(crate) quiet_differences: bool,
}

#[derive(Arguments, Debug)]
pub(crate) struct CheckTcp {
    /// Where the server listens [default with a COMMAND: a free port]
    #[arg(value_name = "HOST:PORT")]
    pub(crate) address: Option<String>,
    /// The dialect to check: seed (of the course's document), later (id 0), or auto (each one that the server uses)
    #[arg(long, value_enum, default_value_t = DialectOption::Auto)]
    pub(crate) dialect: DialectOption,
    /// The server lets two clients play against each other; the kit plays both
    #[arg(long)]
    pub(crate) pairs: bool,
    /// Time for one answer; the whole check takes at most fifteen times as long
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub(crate) timeout: String,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
    /// How to start the server, with {host} and {port} replaced; it is started again when it ends
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// Which dialects of the TCP protocol to check. `Auto` means the dialects that the server uses.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum DialectOption {
    Seed,
    Later,
    Auto,
}

#[derive(Arguments, Debug)]
#[command(
    after_help = "The client connects nine times. COMMAND is started for each connection, with {host} and {port} replaced; \
                  without it, start the client yourself each time the kit asks for it."
)]
pub(crate) struct CheckClient {
    /// Where the kit listens; port 0 chooses a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: String,
    /// Time for one frame; the client has three times as long to connect [default: 5s with a COMMAND, otherwise 60s]
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// Type this file into the client when it starts
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Type TEXT whenever the client shows PROMPT; {row} and {column} stand for a free cell (repeatable)
    #[arg(long, value_name = "PROMPT=TEXT")]
    pub(crate) answers: Vec<String>,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
    /// How to start the client
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Arguments, Debug)]
pub(crate) struct CheckClassic {
    /// Use the .txt files of this directory as test games instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub(crate) cases: Option<PathBuf>,
    /// Compare byte for byte, even where the document of your course allows several outputs
    #[arg(long)]
    pub(crate) strict: bool,
    /// Time for one game
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub(crate) timeout: String,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
    /// The program to test, such as java -jar application.jar
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// The options as text. The game checks them.
#[derive(Arguments, Debug)]
#[command(
    after_help = "In the game: ROW COLUMN plays (from 0), :q leaves. Here -h means the host; use --help for help."
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
    /// Use TLS; -p gives the port of a TLS listener
    #[arg(long, requires = "port")]
    pub(crate) tls: bool,
    /// With --tls: trust the certificates of this PEM file too, besides those of the system
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub(crate) cacert: Option<PathBuf>,
    /// Your name [default: your user name]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    /// Let a robot play for you
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) robot: Option<String>,
    /// Number of games that the robot plays [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true, requires = "robot")]
    pub(crate) games: Option<String>,
    /// The dialect: in 'seed' the client chooses the session id, in 'later' the server chooses it
    #[arg(long, value_enum, default_value_t = Dialect::Seed)]
    pub(crate) dialect: Dialect,
    /// Seed for the robot and the session id: the same number gives the same moves
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

/// The URL of the server that `noughts serve` runs by default.
pub(crate) const LOCAL_SERVER: &str = "http://127.0.0.1:8080";

#[derive(Arguments, Debug)]
#[command(
    after_help = "Without options, on a terminal, a menu offers everything the server has. A game's link takes its first \
                  open seat, returns to your seat, or watches. In the game ? lists what can be typed, :q leaves."
)]
pub(crate) struct Play {
    /// The server or the link of a game there (http:// or https://), and the variant of a new game, such as
    /// 7x6k4+gravity [default: the server on this machine, 3x3k3]
    #[arg(value_name = "URL|VARIANT", num_args = 0..=2)]
    pub(crate) places: Vec<String>,
    /// The variant of a new game, the same as VARIANT
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// The opponent: a strategy, link (anyone who has the link), lobby (a listed table) or anyone (the next player
    /// who wants the same game) [default: level:4]
    #[arg(long, value_name = "STRATEGY|link|lobby|anyone")]
    pub(crate) against: Option<String>,
    /// The clock of a new game: 3+2 (minutes per player, seconds per move), 30s or 3d (per move) [default: none]
    #[arg(long, value_name = "CLOCK", allow_hyphen_values = true)]
    pub(crate) clock: Option<String>,
    /// Your name at this server, also for later games [default: the last one, your user name, or the strategy]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    /// Take a seat without your player: only this terminal can continue the game
    #[arg(long)]
    pub(crate) anonymous: bool,
    /// The seat to take, from 0 [default: the first open one]
    #[arg(long, value_name = "N")]
    pub(crate) seat: Option<u8>,
    /// Continue a game that you left
    #[arg(long, conflicts_with_all = ["variant", "against", "clock", "seat", "token", "watch", "list"])]
    pub(crate) resume: bool,
    /// List the tables that wait for an opponent and the games that can be watched
    #[arg(long, conflicts_with_all = ["variant", "against", "clock", "seat", "token", "watch", "robot"])]
    pub(crate) list: bool,
    /// Watch the game of a link, even if it has an open seat
    #[arg(long, conflicts_with_all = ["variant", "against", "clock", "seat", "token", "robot"])]
    pub(crate) watch: bool,
    /// Let a robot play for you
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) robot: Option<String>,
    /// The token of a seat that you already hold
    #[arg(
        long,
        value_name = "TOKEN",
        requires = "seat",
        allow_hyphen_values = true
    )]
    pub(crate) token: Option<String>,
    /// Trust the certificates of this PEM file too, besides those of the system
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<String>,
    /// Seed for the robot: the same number gives the same moves
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

impl Play {
    /// Returns the URL of a server or of a game on a server, and the variant if the command line names a
    /// variant. Returns an error if the command line names two URLs or two variants, or a variant with an
    /// option that starts no game.
    pub(crate) fn place(&self) -> Result<(String, Option<String>), String> {
        let is_url = |word: &&String| word.contains(['/', ':', '.']) || *word == "localhost";
        let (urls, variants): (Vec<&String>, Vec<&String>) = self.places.iter().partition(is_url);
        let variants: Vec<&String> = variants.into_iter().chain(&self.variant).collect();
        if let [_, second, ..] = urls[..] {
            return Err(format!(
                "{second:?} is a second address: one server or link is enough"
            ));
        }
        if let [_, second, ..] = variants[..] {
            return Err(format!(
                "{second:?} is a second variant: one is enough; the address of a server begins with http://"
            ));
        }
        let options = [
            (self.resume, "--resume"),
            (self.list, "--list"),
            (self.watch, "--watch"),
        ];
        let option = options.into_iter().find(|(is_given, _)| *is_given);
        if let (Some(variant), Some((_, option))) = (variants.first(), option) {
            return Err(format!(
                "{variant:?} is a variant, which is only for new games: leave it out with {option}; the address of a \
                 server begins with http://"
            ));
        }
        let url = urls.first().map_or(LOCAL_SERVER, |url| url.as_str());
        Ok((url.to_owned(), variants.first().map(ToString::to_string)))
    }
}

#[derive(Arguments, Debug)]
#[command(
    after_help = "`noughts play` creates the player of a server when you first play there. Its secret is kept in \
                  noughts/players below $XDG_STATE_HOME (~/.local/state); a copy of that file is the backup."
)]
pub(crate) struct Player {
    /// The server
    #[arg(long, value_name = "URL", default_value = LOCAL_SERVER, global = true)]
    pub(crate) server: String,
    /// Trust the certificates of this PEM file too, besides those of the system
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) cacert: Option<String>,
    #[command(subcommand)]
    pub(crate) what: Option<PlayerTask>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum PlayerTask {
    /// Show your player: name, id, running games, and the file with the secret
    Show,
    /// Change your name
    Rename {
        /// The new name, 1 to 64 visible characters
        #[arg(allow_hyphen_values = true)]
        name: String,
    },
    /// Print a code that lets another device play as you
    Link,
    /// Play as the player of another device, with its code
    Accept {
        /// The code that `noughts player link` printed there
        code: String,
        /// Forget the player of this device
        #[arg(long)]
        replace: bool,
    },
    /// Delete your player, and resign its running games
    Delete {
        /// Confirm that the player is to be deleted
        #[arg(long)]
        yes: bool,
    },
}

/// The dialects of the TCP protocol.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Dialect {
    Seed,
    Later,
}

/// When the server acknowledges a turn.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Sync {
    /// When the turn is on the disk: a power failure loses nothing that was acknowledged
    Full,
    /// When the operating system has the turn: a power failure may lose the last turns
    Normal,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum LogLevel {
    Off,
    Error,
    Warn,
    /// One line per connection and per game
    Info,
    Debug,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// The options as text. The game checks them.
#[derive(Arguments, Debug)]
#[command(after_help = "In the game, ? shows every key.")]
pub(crate) struct Tui {
    #[command(flatten)]
    pub(crate) variant: VariantName,
    /// Let a robot play for a symbol or a seat (from 0), such as o or o=random; people take the rest
    /// [strategy: level:4]
    #[arg(long = "robot", value_name = "PLAYER[=STRATEGY]", conflicts_with_all = ["seat", "x", "o", "load"])]
    pub(crate) robots: Vec<String>,
    /// The holder of the next seat, in turn order: human, "human NAME" or a strategy; robots take the rest
    #[arg(long, value_name = "WHO", conflicts_with = "load")]
    pub(crate) seat: Vec<String>,
    /// Like --seat, for the first seat
    #[arg(long, value_name = "WHO", conflicts_with_all = ["seat", "load"])]
    pub(crate) x: Option<String>,
    /// Like --seat, for the second seat
    #[arg(long, value_name = "WHO", conflicts_with_all = ["seat", "load"])]
    pub(crate) o: Option<String>,
    /// History size: a rewind takes back fewer marks than this; 0: no rewind [default: 0]
    #[arg(
        long,
        value_name = "H",
        allow_hyphen_values = true,
        conflicts_with = "load"
    )]
    pub(crate) history: Option<String>,
    /// On nine boards, the board of the first play: random, any, or 0 to 8 [default: random; for ultimate: any]
    #[arg(
        long,
        value_name = "BOARD",
        allow_hyphen_values = true,
        conflicts_with = "load"
    )]
    pub(crate) start: Option<String>,
    /// Load a game from a record
    #[arg(long, value_name = "FILE", alias = "record", conflicts_with_all = ["variant", "variant_option"])]
    pub(crate) load: Option<String>,
    /// Seed for robots: the same number gives the same moves
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
}

/// The groups of commands in the help. Commands that are not in this list follow at the end.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Play",
        &["tui", "play", "player", "menu", "multi", "connect"],
    ),
    (
        "Run a server",
        &["serve", "games", "backup", "restore", "migrate", "admin"],
    ),
    ("Analyse", &["analyze", "solve", "verify", "perft"]),
    ("Compare and test programs", &["arena", "engine", "check"]),
];

/// Builds the parser of the command line. `-h` means history in the classic game, host in `connect`, and help
/// in every other subcommand.
pub(crate) fn command() -> Command {
    let help = Arg::new("help")
        .long("help")
        .help("Print help")
        .help_heading(None)
        .action(ArgAction::Help);
    let version = Arg::new("version")
        .short('V')
        .long("version")
        .help("Print version")
        .help_heading(None)
        .action(ArgAction::Version);
    let all = Args::command().mut_subcommands(|sub| with_help(sub, &help, &version));
    let template = help_template(&all);
    all.help_template(template)
}

/// Like [`command`], with examples and completions. The examples and completions take memory, and only the
/// help, the manual page and shells need them.
pub(crate) fn documented_command() -> Command {
    with_suggestions(command().mut_subcommands(with_examples))
}

/// Adds the help and version flags to a command and its subcommands.
fn with_help(command: Command, help: &Arg, version: &Arg) -> Command {
    let has_short = command
        .get_arguments()
        .any(|arg| arg.get_short() == Some('h'));
    let own = match has_short {
        true => help.clone(),
        false => help
            .clone()
            .short('h')
            .help("Print help; --help prints more"),
    };
    // Without `disable_help_flag`, clap adds its own help flag.
    command
        .disable_help_flag(true)
        .arg(own)
        .arg(version.clone())
        .mut_subcommands(|sub| with_help(sub, help, version))
}

/// Lets shells complete variants and strategies, in a command and its subcommands.
fn with_suggestions(command: Command) -> Command {
    let suggest = |arg: Arg, names: Vec<&'static str>| {
        let parser = Suggestions(names);
        arg.value_parser(parser).hide_possible_values(true)
    };
    let strategies = || ROBOTS.iter().copied();
    command
        .mut_args(|arg| {
            let values: Vec<&str> = arg
                .get_value_names()
                .unwrap_or_default()
                .iter()
                .map(clap::builder::Str::as_str)
                .collect();
            match (arg.get_id().as_str(), &values[..]) {
                ("variant" | "variant_option" | "places", _) => {
                    suggest(arg, CATALOG.iter().map(|entry| entry.name).collect())
                }
                ("against", _) => suggest(
                    arg,
                    strategies().chain(["link", "lobby", "anyone"]).collect(),
                ),
                (_, ["human|STRATEGY" | "WHO"]) => {
                    suggest(arg, strategies().chain(["human"]).collect())
                }
                ("strategy" | "tcp_strategy", _) | (_, ["STRATEGY" | "PLAYER"]) => {
                    suggest(arg, strategies().collect())
                }
                _ => arg,
            }
        })
        .mut_subcommands(with_suggestions)
}

/// A value parser that accepts any text and offers these names as completions.
#[derive(Clone)]
struct Suggestions(Vec<&'static str>);

impl TypedValueParser for Suggestions {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}

/// The help of the program, with its commands in groups.
fn help_template(command: &Command) -> StyledStr {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n\
         {header}First steps:{header:#}\n  \
         {literal}noughts{literal:#}        play the classic game here\n  \
         {literal}noughts tui{literal:#}    play the computer on the full screen\n  \
         {literal}noughts serve{literal:#}  run a server at {LOCAL_SERVER}\n  \
         {literal}noughts play{literal:#}   play there, also with friends\n"
    );
    let is_listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others = command.get_subcommands().map(Command::get_name);
    let others: Vec<&str> = others.filter(|name| !is_listed(name)).collect();
    let groups = GROUPS.iter().map(|(title, names)| (*title, names.to_vec()));
    for (title, names) in groups.chain([("Other", others)]) {
        text += &format!("\n{header}{title}:{header:#}\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text += &format!("  {literal}{name:<12}{literal:#} {about}\n");
        }
    }
    StyledStr::from(text + "\n{options}\n{after-help}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_description() {
        documented_command().debug_assert();
    }

    #[test]
    fn groups_name_existing_commands() {
        let all = command();
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(all.find_subcommand(name).is_some(), "{name}");
        }
    }
}
