//! Frames in hexadecimal and in words.

use noughts_wire::{
    Admission, Cell, Dialect, ErrorCode, FrameError, FromClient, FromServer, GameResult, NO_CELL,
    Text,
};

/// At most so many bytes are shown of anything.
const MOST_SHOWN: usize = 64;

/// `05 00 00 30 39 …`
pub(crate) fn hex(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(MOST_SHOWN)];
    let pairs: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > MOST_SHOWN { " …" } else { "" };
    pairs.join(" ") + more
}

/// What a client said, in words.
pub(crate) fn client_words(bytes: &[u8]) -> String {
    match FromClient::decode(bytes) {
        Ok(Some((message, length))) if length == bytes.len() => match message {
            FromClient::Hello { id, name } => format!("HELLO, id {id}, name {}", quoted(&name)),
            FromClient::Play { id } => format!("PLAY, id {id}"),
            FromClient::Action { id, cell } => {
                format!("ACTION, id {id}, cell {}", cell_words(cell))
            }
            FromClient::Error { id, code, text } => error_words(id, code, &text),
        },
        Ok(Some((_, length))) => format!(
            "{}, and at once {}",
            client_words(&bytes[..length]),
            client_words(&bytes[length..])
        ),
        Ok(None) if bytes.is_empty() => "nothing".to_owned(),
        Ok(None) => format!("{}, not complete", begun_words(bytes[0])),
        Err(malformed) => malformed_words(malformed),
    }
}

/// What a server said, in words.
pub(crate) fn server_words(bytes: &[u8], dialect: Dialect) -> String {
    match FromServer::decode(bytes, dialect) {
        Ok(Some((message, length))) if length == bytes.len() => message_words(&message),
        Ok(Some((message, length))) => format!(
            "{}, and at once {}",
            message_words(&message),
            server_words(&bytes[length..], dialect)
        ),
        Ok(None) if bytes.is_empty() => "nothing".to_owned(),
        Ok(None) => format!("{}, not complete", begun_words(bytes[0])),
        Err(malformed) => malformed_words(malformed),
    }
}

fn message_words(message: &FromServer) -> String {
    match message {
        FromServer::Ready { id } => format!("READY, id {id}"),
        FromServer::Admit { id, flag } => format!("ADMIT, id {id}, flag {}", admit_words(*flag)),
        FromServer::Action { id, cell } => format!("ACTION, id {id}, cell {}", cell_words(*cell)),
        FromServer::Result { id, cell, flag } => {
            let cell = cell.map_or(String::new(), |cell| format!(", cell {}", cell_words(cell)));
            format!("RESULT, id {id}{cell}, flag {}", verdict_words(*flag))
        }
        FromServer::Error { id, code, text } => error_words(*id, *code, text),
    }
}

pub(crate) fn cell_words(cell: [u8; 3]) -> String {
    let text: String = cell.iter().map(|byte| char::from(*byte)).collect();
    match Cell::try_from(cell).ok() {
        Some(_) => text,
        None if cell == NO_CELL => "--- (none)".to_owned(),
        None => format!("\"{}\" (not a cell)", text.escape_debug()),
    }
}

fn admit_words(flag: Admission) -> &'static str {
    match flag {
        Admission::Refused => "0 (not admitted)",
        Admission::First => "1 (admitted)",
        Admission::Second => "2 (admitted, moves second)",
    }
}

pub(crate) fn verdict_words(flag: GameResult) -> &'static str {
    match flag {
        GameResult::Lost => "0 (the client lost)",
        GameResult::Won => "1 (the client won)",
        GameResult::Draw => "2 (a draw)",
    }
}

fn error_words(id: u32, code: u8, text: &Text) -> String {
    format!(
        "ERROR, id {id}, code {code}{}, text {}",
        code_words(code),
        quoted(text)
    )
}

/// What the document means by a code.
pub(crate) fn code_words(code: u8) -> String {
    match ErrorCode::try_from(code).ok() {
        Some(complaint) => format!(" ({complaint})"),
        None => String::new(),
    }
}

fn quoted(text: &Text) -> String {
    format!("\"{}\"", text.to_string().escape_debug())
}

fn begun_words(opcode: u8) -> String {
    match noughts_wire::Opcode::try_from(opcode).ok() {
        Some(opcode) => opcode.to_string(),
        None => format!("a frame with the unknown opcode {opcode}"),
    }
}

pub(crate) fn malformed_words(malformed: FrameError) -> String {
    match malformed {
        FrameError::UnknownOpcode(byte) => {
            format!("no frame: its first byte is {byte}, and opcodes are 1, 2, 3, 4, 5, 6 and 8")
        }
        FrameError::WrongDirection(opcode) => {
            format!("{opcode}, which only the other end may send")
        }
        FrameError::NameTooLong { .. } => {
            "HELLO with a name of more than 255 bytes, or without the two zero bytes that end it"
                .to_owned()
        }
        FrameError::TextTooLong { .. } => {
            "ERROR with a text of more than 255 bytes, or without the two zero bytes that end it"
                .to_owned()
        }
        FrameError::UnknownAdmission(byte) => {
            format!("ADMIT with the flag {byte}, and there are 0 and 1, and 2 between two players")
        }
        FrameError::UnknownResult(byte) => {
            format!("RESULT with the flag {byte}, and there are 0, 1 and 2")
        }
    }
}
