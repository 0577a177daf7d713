//! Frames in hexadecimal and in words, for reports.

use noughts_wire::{
    Admission, Cell, Dialect, ErrorCode, FrameError, FromClient, FromServer, GameResult, NO_CELL,
    Text,
};

/// Maximum number of bytes of a frame that are shown.
const MAX_SHOWN: usize = 64;

/// Formats bytes in hexadecimal: `05 00 00 30 39 …`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(MAX_SHOWN)];
    let pairs: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > MAX_SHOWN { " …" } else { "" };
    pairs.join(" ") + more
}

/// Describes a client's frames in words.
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
            "{}, followed by {}",
            client_words(&bytes[..length]),
            client_words(&bytes[length..])
        ),
        Ok(None) => incomplete_words(bytes),
        Err(error) => frame_error_words(error, bytes),
    }
}

/// Describes a server's frames in words.
pub(crate) fn server_words(bytes: &[u8], dialect: Dialect) -> String {
    match FromServer::decode(bytes, dialect) {
        Ok(Some((message, length))) if length == bytes.len() => message_words(&message),
        Ok(Some((message, length))) => format!(
            "{}, followed by {}",
            message_words(&message),
            server_words(&bytes[length..], dialect)
        ),
        Ok(None) => incomplete_words(bytes),
        Err(error) => frame_error_words(error, bytes),
    }
}

fn incomplete_words(bytes: &[u8]) -> String {
    match bytes.first() {
        None => "nothing".to_owned(),
        Some(first) => {
            let (frame, count) = (opcode_words(*first), bytes.len());
            format!("the start of {frame}: {count} bytes")
        }
    }
}

fn message_words(message: &FromServer) -> String {
    match message {
        FromServer::Ready { id } => format!("READY, id {id}"),
        FromServer::Admit { id, flag } => format!("ADMIT, id {id}, flag {}", admit_words(*flag)),
        FromServer::Action { id, cell } => format!("ACTION, id {id}, cell {}", cell_words(*cell)),
        FromServer::Result { id, cell, flag } => {
            let cell = cell.map_or(String::new(), |cell| format!(", cell {}", cell_words(cell)));
            format!("RESULT, id {id}{cell}, flag {}", result_words(*flag))
        }
        FromServer::Error { id, code, text } => error_words(*id, *code, text),
    }
}

pub(crate) fn cell_words(cell: [u8; 3]) -> String {
    let text: String = cell.iter().map(|byte| char::from(*byte)).collect();
    match Cell::try_from(cell).ok() {
        Some(_) => text,
        None if cell == NO_CELL => "--- (none)".to_owned(),
        None if text.chars().all(|sign| sign.is_ascii_graphic()) => {
            format!("\"{text}\" (not a cell)")
        }
        None => format!("with the bytes {} (not a cell)", hex(&cell)),
    }
}

fn admit_words(flag: Admission) -> &'static str {
    match flag {
        Admission::Refused => "0 (not admitted)",
        Admission::First => "1 (admitted)",
        Admission::Second => "2 (admitted, moves second)",
    }
}

pub(crate) fn result_words(flag: GameResult) -> &'static str {
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

/// Returns a space and the meaning of an error code in parentheses. Returns an empty text if the code is unknown.
pub(crate) fn code_words(code: u8) -> String {
    match ErrorCode::try_from(code).ok() {
        Some(complaint) => format!(" ({complaint})"),
        None => String::new(),
    }
}

fn quoted(text: &Text) -> String {
    format!("\"{}\"", text.to_string().escape_debug())
}

fn opcode_words(opcode: u8) -> String {
    match noughts_wire::Opcode::try_from(opcode).ok() {
        Some(opcode) => opcode.to_string(),
        None => format!("a frame with the unknown opcode {opcode}"),
    }
}

/// Explains why bytes are not a frame.
pub(crate) fn frame_error_words(error: FrameError, bytes: &[u8]) -> String {
    match error {
        FrameError::UnknownOpcode(byte) => {
            let text = bytes
                .iter()
                .take(40)
                .take_while(|byte| !byte.is_ascii_control());
            let text: String = text.map(|byte| char::from(*byte)).collect();
            let text = match text.len() > 3 && text.is_ascii() {
                true => format!(" (the bytes begin with the text \"{text}\")"),
                false => String::new(),
            };
            format!(
                "the first byte is {byte}, which is not an opcode: opcodes are 1, 2, 3, 4, 5, 6 and 8{text}"
            )
        }
        FrameError::WrongDirection(opcode) => {
            format!("{opcode}, which only the other side may send")
        }
        FrameError::NameTooLong { .. } => {
            "HELLO whose name has more than 255 bytes, or does not end with two zero bytes"
                .to_owned()
        }
        FrameError::TextTooLong { .. } => {
            "ERROR whose text has more than 255 bytes, or does not end with two zero bytes"
                .to_owned()
        }
        FrameError::UnknownAdmission(byte) => crate::framing::flag_words(4, 5, byte),
        FrameError::UnknownResult(byte) => {
            let place = bytes
                .iter()
                .skip(5)
                .position(|one| *one == byte)
                .map_or(5, |at| at + 5);
            crate::framing::flag_words(6, place, byte)
        }
    }
}
