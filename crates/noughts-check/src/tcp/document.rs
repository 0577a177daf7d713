//! The sentences of the course's document "Tic-tac-toe" (in Catalan) that demand the rules, each with a
//! translation.

macro_rules! quote {
    ($place:literal, $catalan:literal, $english:literal) => {
        concat!($place, ": «", $catalan, "» (", $english, ")")
    };
}

pub(crate) const READY: &str = quote!(
    "[1] Inici de sessió",
    "El servidor contestarà una comanda READY amb el mateix idSessio.",
    "The server answers with a READY command with the same idSessio. Figure 2"
);
pub(crate) const HELLO: &str = quote!(
    "[1] Inici de sessió",
    "La partida la inicia el client amb una comanda HELLO.",
    "The client starts the game with a HELLO command. Figure 1"
);
pub(crate) const FIVE_DIGITS: &str = quote!(
    "[1] Inici de sessió",
    "El client genera el idSessio usant la funció Random() i serà de cinc dígits. El idSessio no pot començar per zero.",
    "The client generates the idSessio with the function Random(), of five digits. It cannot start with zero."
);
pub(crate) const SESSION_ERROR: &str = quote!(
    "[1] Inici de sessió",
    "Si per algun motiu no es pogués iniciar la sessió de joc, el servidor enviarà un ERROR",
    "If the session cannot be started for some reason, the server sends an ERROR"
);
pub(crate) const PLAY: &str = quote!(
    "[2] Procés de joc",
    "A continuació el client pot començar la partida amb un PLAY, passant el idSessio confirmat anteriorment.",
    "Then the client can start the game with a PLAY, with the idSessio that was confirmed before. Figure 3"
);
pub(crate) const ADMIT: &str = quote!(
    "[2] Procés de joc",
    "contestarà amb un ADMIT juntament amb un flag que prendrà valor 1 si és correcte o amb un 0 si no ho és.",
    "it answers with an ADMIT and a flag that is 1 if the idSessio is correct, or 0 if it is not. Figure 4"
);
pub(crate) const ACTION: &str = quote!(
    "[2] Procés de joc",
    "A continuació el client enviarà el seu moviment ACTION juntament amb quina posició està marcant",
    "Then the client sends its move ACTION with the position that it marks. Figure 5"
);
pub(crate) const POSITION: &str = quote!(
    "[2] Procés de joc",
    "el primer indica la fila, un guió \"-\" de separació i seguidament un byte que indica la columna. Aquests indicadors aniran del 0 a 2",
    "the first byte is the row, then a hyphen \"-\", then a byte for the column; they go from 0 to 2. Figure 5"
);
pub(crate) const UNKNOWN_MOVE: &str = quote!(
    "[2] Procés de joc",
    "En cas que el moviment no existeixi es retornarà un ERROR de Moviment Desconegut.",
    "If the move does not exist, an ERROR Moviment Desconegut is returned. Its code is 0"
);
pub(crate) const INVALID_MOVE: &str = quote!(
    "[2] Procés de joc",
    "En cas que el moviment no sigui vàlid (perquè la cel·la que s'ha seleccionat ja està emplenada), retornarà un ERROR de Moviment Invalid.",
    "If the move is not valid, because the selected cell is already filled, it returns an ERROR Moviment Invalid. Its code is 1"
);
pub(crate) const ACTION_OR_RESULT: &str = quote!(
    "[2] Procés de joc",
    "En cas contrari, el servidor enviarà o un altre ACTION o, en cas d'arribar a un final de partida, un RESULT",
    "Otherwise the server sends either another ACTION or, if the end of the game is reached, a RESULT"
);
pub(crate) const RESULT: &str = quote!(
    "[2] Procés de joc",
    "Result és un flag on \"1\" vol dir que guanya el client i un \"0\" vol dir que guanya el Servidor. Un \"2\" significa empat.",
    "Result is a flag: 1 means that the client wins, 0 that the server wins, 2 is a draw. Figure 6"
);
pub(crate) const PLAY_AGAIN: &str = quote!(
    "[2] Procés de joc",
    "Un cop s'hagi acabat una partida, es podrà tornar a jugar una nova partida en la mateixa sessió, per fer això caldrà enviar el missatge PLAY.",
    "When a game is over, a new one can be played in the same session by sending PLAY."
);
pub(crate) const DISCONNECTION: &str = quote!(
    "[3] Forçar un final",
    "la desconnexió d'un client s'ha de gestionar \"en tot moment\", tant a Servidor com a Client, i no veure cap stacktrace d'error.",
    "the disconnection of a client must be handled at every moment, in the server and in the client, and no stack trace may be seen."
);
pub(crate) const STRINGS: &str = quote!(
    "Detalls dels missatges",
    "Els camps de tipus string variable representen cadenes de bytes codificats en un byte de JAVA. Per saber quan hem de deixar de llegir, posarem dos bytes 0",
    "Fields of type string variable are strings of one byte per character; two zero bytes mark their end. Figure 1"
);
pub(crate) const FIGURES: &str = quote!(
    "Detalls dels missatges, figures 1 to 8",
    "La capçalera d'un missatge conté el codi d'operació associat i els paràmetres necessaris.",
    "A message consists of its opcode and the necessary parameters; the figures give their sizes"
);
pub(crate) const FLAG: &str = quote!(
    "Detalls dels missatges, figures 4 and 6",
    "flag és un byte en format xarxa on 0 vol dir no admès i 1 vol dir admès.",
    "the flag is one byte in network format: 0 means not admitted, 1 admitted"
);
pub(crate) const IDS: &str = quote!(
    "[2] Procés de joc",
    "ADMIT (idSessio, flag), ACTION (idSessio, posició), RESULT (idSessio, result)",
    "each of these frames carries the idSessio. Figures 4, 5 and 6"
);
pub(crate) const ERROR: &str = quote!(
    "[2] Procés de joc",
    "ERROR (idSessio, errCodi, errMsg)",
    "ERROR carries the idSessio, a code and a text. Figure 8"
);
pub(crate) const THREADS: &str = quote!(
    "Extensions, Multi-threading",
    "el servidor s'haurà de canviar per a suportar múltiples clients simultàniament, és a dir, jugar diferents partides a la vegada.",
    "the server must support several clients at the same time, that is, play different games at once."
);
pub(crate) const PAIRS: &str = quote!(
    "Extensions, Mode 2 jugadors",
    "També s'haurà de poder fer que juguin dos jugadors (dos clients), fent el servidor de proxy entre els dos jugadors.",
    "Two players (two clients) must be able to play, with the server as a proxy between them."
);
pub(crate) const LATER: &str = "the later dialect, which public programs use; it is not in the document (docs/protocol.md, Two dialects)";
