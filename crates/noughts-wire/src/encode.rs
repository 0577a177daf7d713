//! Encoding: messages to bytes. Each function appends one whole frame, so that the caller can send it with one write.

use crate::error_code::ErrorCode;
use crate::message::{FromClient, FromServer};
use crate::opcode::Opcode;

impl FromClient {
    /// Appends the frame. [`FromClient::decode`] reads it back.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            FromClient::Hello { id, name } => {
                begin(Opcode::Hello, *id, out);
                string(name.as_bytes(), out);
            }
            FromClient::Play { id } => begin(Opcode::Play, *id, out),
            FromClient::Action { id, cell } => {
                begin(Opcode::Action, *id, out);
                out.extend(cell);
            }
            FromClient::Error { id, code, text } => error(*id, *code, text.as_bytes(), out),
        }
    }
}

impl FromServer {
    /// Appends the frame. [`FromServer::decode`] reads it back. For a RESULT, the decoder needs the dialect `later`
    /// if the frame has a cell, otherwise the dialect `seed`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            FromServer::Ready { id } => begin(Opcode::Ready, *id, out),
            FromServer::Admit { id, flag } => {
                begin(Opcode::Admit, *id, out);
                out.push(*flag as u8);
            }
            FromServer::Action { id, cell } => {
                begin(Opcode::Action, *id, out);
                out.extend(cell);
            }
            FromServer::Result { id, cell, flag } => {
                begin(Opcode::Result, *id, out);
                out.extend(cell.iter().flatten());
                out.push(*flag as u8);
            }
            FromServer::Error { id, code, text } => error(*id, *code, text.as_bytes(), out),
        }
    }
}

impl ErrorCode {
    /// Appends an ERROR frame with this code and its text. Clients and servers send the same bytes.
    pub fn encode(self, id: u32, out: &mut Vec<u8>) {
        error(id, self.code(), self.text().as_bytes(), out);
    }
}

fn begin(opcode: Opcode, id: u32, out: &mut Vec<u8>) {
    out.push(opcode.to_byte());
    out.extend(id.to_be_bytes());
}

fn error(id: u32, code: u8, text: &[u8], out: &mut Vec<u8>) {
    begin(Opcode::Error, id, out);
    out.push(code);
    string(text, out);
}

fn string(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(bytes);
    out.extend([0, 0]);
}
