//! Streams that end, fail or time out.

use std::io::{self, ErrorKind, Read, Write};

use noughts_wire::{Cell, Client, ClientError, Event, Greeting, Name, ProtocolError, Stage};

use crate::picture::bytes;

/// A stream whose reads return the entries of `reads`, beginning with the last one. After them the stream has ended.
struct Script {
    reads: Vec<Result<Vec<u8>, ErrorKind>>,
    write_fails: Option<ErrorKind>,
    written: Vec<u8>,
}

fn client(reads: &[Result<&str, ErrorKind>]) -> Client<Script> {
    let reads = reads.iter().rev().map(|read| read.map(bytes)).collect();
    Client::new(Script {
        reads,
        write_fails: None,
        written: Vec::new(),
    })
}

impl Read for Script {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(read) = self.reads.pop() else {
            return Ok(0);
        };
        let bytes = read?;
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.write_fails {
            Some(kind) => Err(kind.into()),
            None => self.written.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const READY: &str = "02 00003039";
const ADMIT: &str = "04 00003039 01";
const ACTION: &str = "05 00003039 \"0-0\"";

/// Sends HELLO, PLAY and two moves, and stops early at an unexpected event.
fn go(client: &mut Client<Script>) -> Result<Event, ClientError> {
    let mut event = client.hello(&Name::default(), Greeting::Seed(12_345))?;
    for cell in [Cell::new(1, 1), Cell::new(2, 2)].into_iter().flatten() {
        event = match event {
            Event::Ready { .. } => client.play()?,
            other => other,
        };
        event = match event {
            Event::Admitted { first: true } | Event::Played(_) => client.act(cell)?,
            other => other,
        };
    }
    Ok(event)
}

#[test]
fn disconnection_at_any_time_is_an_event() {
    let frames = [READY, ADMIT, ACTION];
    for count in 0..=frames.len() {
        for kind in [
            None,
            Some(ErrorKind::ConnectionReset),
            Some(ErrorKind::UnexpectedEof),
            Some(ErrorKind::BrokenPipe),
        ] {
            let mut reads: Vec<_> = frames[..count].iter().copied().map(Ok).collect();
            reads.extend(kind.map(Err));
            let mut client = client(&reads);
            assert_eq!(go(&mut client).expect("a value"), Event::Left);
            assert_eq!(client.session().stage(), Stage::Ended);
            assert!(matches!(client.play(), Err(ClientError::WrongStage(_))));
        }
    }
    // Also in the middle of a frame.
    assert_eq!(
        go(&mut client(&[Ok("02 0000")])).expect("a value"),
        Event::Left
    );
    assert_eq!(client(&[]).wait().expect("a value"), Event::Left);
}

#[test]
fn failed_write_is_reported_as_a_disconnection() {
    let mut client = client(&[]);
    client.stream_mut().write_fails = Some(ErrorKind::BrokenPipe);
    assert_eq!(
        client
            .hello(&Name::default(), Greeting::Later)
            .expect("a value"),
        Event::Left
    );
}

#[test]
fn no_bytes_are_lost_by_a_timeout() {
    let mut client = client(&[
        Ok("02 00"),
        Err(ErrorKind::WouldBlock),
        Err(ErrorKind::Interrupted),
        Ok("0030"),
        Ok("39"),
    ]);
    let late = client
        .hello(&Name::default(), Greeting::Seed(12_345))
        .expect_err("a timeout");
    assert!(
        matches!(&late, ClientError::Stream(error) if error.kind() == ErrorKind::WouldBlock),
        "{late}"
    );
    assert_eq!(
        client.wait().expect("the rest"),
        Event::Ready { id: 12_345 }
    );
}

#[test]
fn impossible_cell_is_answered_with_an_error_and_ends_the_session() {
    for (cell, code, error) in [
        (
            "1-1",
            "08 00003039 01 \"Moviment Invalid\" 0000",
            Cell::new(1, 1).map(ProtocolError::Occupied),
        ),
        (
            "3-0",
            "08 00003039 00 \"Moviment Desconegut\" 0000",
            Some(ProtocolError::NotACell(*b"3-0")),
        ),
    ] {
        let action = format!("05 00003039 \"{cell}\"");
        let mut client = client(&[Ok(READY), Ok(ADMIT), Ok(&action)]);
        assert_eq!(
            go(&mut client).expect("a value"),
            Event::Broken(error.expect("a cell"))
        );
        assert!(client.stream().written.ends_with(&bytes(code)));
    }
}

#[test]
fn frames_in_one_read_are_separate_events() {
    let glued = format!("{READY} {ADMIT} {ACTION}");
    let mut client = client(&[Ok(&glued)]);
    // A server that answers too early: ADMIT comes before PLAY.
    assert_eq!(
        client
            .hello(&Name::default(), Greeting::Seed(12_345))
            .expect("a value"),
        Event::Ready { id: 12_345 }
    );
    assert_eq!(
        client.play().expect("a value"),
        Event::Admitted { first: true }
    );
    assert_eq!(
        client
            .act(Cell::new(2, 2).expect("a cell"))
            .expect("a value"),
        Event::Played(Cell::new(0, 0).expect("a cell"))
    );
    assert_eq!(client.wait().expect("a value"), Event::Left);
}
