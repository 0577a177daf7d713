//! Every kind of frame compared with bytes that were written by hand, and properties of the decoder.

use noughts_wire::{
    Admission, Dialect, ErrorCode, FrameError, FromClient, FromServer, GameResult, Opcode, Text,
};
use proptest::prelude::*;

#[path = "session/picture.rs"]
mod picture;

use picture::bytes;

fn text(text: &str) -> Text {
    Text::new(text).expect("a text in Latin-1")
}

fn check_client(picture: &str, message: FromClient) {
    let frame = bytes(picture);
    let mut written = Vec::new();
    message.encode(&mut written);
    assert_eq!(written, frame, "{message:?}");
    for length in 0..frame.len() {
        assert_eq!(
            FromClient::decode(&frame[..length]),
            Ok(None),
            "{picture} cut at {length}"
        );
    }
    for behind in [&[][..], &[0], &[0xff; 300]] {
        let glued = [&frame[..], behind].concat();
        assert_eq!(
            FromClient::decode(&glued),
            Ok(Some((message.clone(), frame.len()))),
            "{picture}"
        );
    }
}

fn check_server(picture: &str, dialect: Dialect, message: FromServer) {
    let frame = bytes(picture);
    let mut written = Vec::new();
    message.encode(&mut written);
    assert_eq!(written, frame, "{message:?}");
    for length in 0..frame.len() {
        assert_eq!(
            FromServer::decode(&frame[..length], dialect),
            Ok(None),
            "{picture} cut at {length}"
        );
    }
    for behind in [&[][..], &[0], &[0xff; 300]] {
        let glued = [&frame[..], behind].concat();
        assert_eq!(
            FromServer::decode(&glued, dialect),
            Ok(Some((message.clone(), frame.len()))),
            "{picture}"
        );
    }
}

#[test]
fn client_frames_have_the_documented_bytes() {
    let id = 12345;
    check_client(
        "01 00003039 \"Ann\" 0000",
        FromClient::Hello {
            id,
            name: text("Ann"),
        },
    );
    check_client(
        "01 00000000 0000",
        FromClient::Hello {
            id: 0,
            name: text(""),
        },
    );
    check_client(
        "01 0001869f \"Núria\" 0000",
        FromClient::Hello {
            id: 99_999,
            name: text("Núria"),
        },
    );
    check_client("03 00003039", FromClient::Play { id });
    check_client(
        "05 00003039 \"1-0\"",
        FromClient::Action { id, cell: *b"1-0" },
    );
    check_client(
        "05 00003039 000000",
        FromClient::Action { id, cell: [0; 3] },
    );
    check_client(
        "08 00003039 01 \"Moviment Invalid\" 0000",
        FromClient::Error {
            id,
            code: 1,
            text: text("Moviment Invalid"),
        },
    );
}

#[test]
fn server_frames_have_the_documented_bytes() {
    let id = 12345;
    for dialect in [Dialect::Seed, Dialect::Later] {
        check_server("02 00003039", dialect, FromServer::Ready { id });
        check_server("02 ffffffff", dialect, FromServer::Ready { id: u32::MAX });
        for (digits, flag) in [
            ("00", Admission::Refused),
            ("01", Admission::First),
            ("02", Admission::Second),
        ] {
            check_server(
                &format!("04 00003039 {digits}"),
                dialect,
                FromServer::Admit { id, flag },
            );
        }
        check_server(
            "05 00003039 \"2-2\"",
            dialect,
            FromServer::Action { id, cell: *b"2-2" },
        );
        check_server(
            "08 00003039 09 \"Sessio Incorrecte\" 0000",
            dialect,
            FromServer::Error {
                id,
                code: 9,
                text: text("Sessio Incorrecte"),
            },
        );
    }
    for (digits, flag) in [
        ("00", GameResult::Lost),
        ("01", GameResult::Won),
        ("02", GameResult::Draw),
    ] {
        check_server(
            &format!("06 00003039 {digits}"),
            Dialect::Seed,
            FromServer::Result {
                id,
                cell: None,
                flag,
            },
        );
        check_server(
            &format!("06 00003039 \"---\" {digits}"),
            Dialect::Later,
            FromServer::Result {
                id,
                cell: Some(*b"---"),
                flag,
            },
        );
    }
    check_server(
        "06 00003039 \"0-2\" 00",
        Dialect::Later,
        FromServer::Result {
            id,
            cell: Some(*b"0-2"),
            flag: GameResult::Lost,
        },
    );
}

#[test]
fn error_frames_have_the_documented_bytes() {
    for (code, picture) in [
        (
            ErrorCode::UnknownMove,
            "08 00003039 00 \"Moviment Desconegut\" 0000",
        ),
        (
            ErrorCode::InvalidMove,
            "08 00003039 01 \"Moviment Invalid\" 0000",
        ),
        (
            ErrorCode::Unexpected,
            "08 00003039 02 \"Comanda Inesperada\" 0000",
        ),
        (
            ErrorCode::WrongSessionLater,
            "08 00003039 03 \"ID Sessio Incorrecte\" 0000",
        ),
        (
            ErrorCode::WrongSession,
            "08 00003039 09 \"Sessio Incorrecte\" 0000",
        ),
    ] {
        let mut written = Vec::new();
        code.encode(12345, &mut written);
        assert_eq!(written, bytes(picture));
    }
}

#[test]
fn string_ends_at_the_first_two_zeros() {
    let name = |picture: &str| match FromClient::decode(&bytes(picture)) {
        Ok(Some((FromClient::Hello { name, .. }, length))) => (name.as_bytes().to_vec(), length),
        other => panic!("{picture}: {other:?}"),
    };
    // A single zero is part of the string. After two zeros, a third belongs to the next frame.
    assert_eq!(
        name("01 00003039 \"a\" 00 \"b\" 0000"),
        (b"a\0b".to_vec(), 10)
    );
    assert_eq!(name("01 00003039 00 \"b\" 0000"), (b"\0b".to_vec(), 9));
    assert_eq!(name("01 00003039 \"a\" 000000"), (b"a".to_vec(), 8));
}

#[test]
fn strings_have_at_most_255_bytes() {
    for (start, refusal) in [
        ("01 00003039", FrameError::NameTooLong { id: 12345 }),
        ("08 00003039 07", FrameError::TextTooLong { id: 12345 }),
    ] {
        let start = bytes(start);
        let longest = [&start[..], &[b'a'; 255], &[0, 0]].concat();
        assert!(
            matches!(FromClient::decode(&longest), Ok(Some((_, length))) if length == longest.len())
        );
        let longer = [&start[..], &[b'a'; 256], &[0, 0]].concat();
        // The error comes as soon as the string cannot end within 255 bytes, and not earlier.
        for length in 0..longer.len() {
            let expected = if length < start.len() + 257 {
                Ok(None)
            } else {
                Err(refusal)
            };
            assert_eq!(FromClient::decode(&longer[..length]), expected, "{length}");
        }
    }
}

#[test]
fn long_name_is_refused_before_its_end() {
    let refusal = FrameError::NameTooLong { id: 0x0101_0101 };
    assert_eq!(FromClient::decode(&vec![1; 1 << 20]), Err(refusal));
}

#[test]
fn invalid_frames_are_refused_with_the_reason() {
    for byte in (0..=255u8).filter(|byte| ![1, 2, 3, 4, 5, 6, 8].contains(byte)) {
        assert_eq!(
            FromClient::decode(&[byte]),
            Err(FrameError::UnknownOpcode(byte))
        );
        assert_eq!(
            FromServer::decode(&[byte], Dialect::Seed),
            Err(FrameError::UnknownOpcode(byte))
        );
    }
    for opcode in [Opcode::Ready, Opcode::Admit, Opcode::Result] {
        assert_eq!(
            FromClient::decode(&[opcode.to_byte()]),
            Err(FrameError::WrongDirection(opcode))
        );
    }
    for opcode in [Opcode::Hello, Opcode::Play] {
        assert_eq!(
            FromServer::decode(&[opcode.to_byte()], Dialect::Later),
            Err(FrameError::WrongDirection(opcode))
        );
    }
    let flag = |picture: &str, dialect| FromServer::decode(&bytes(picture), dialect);
    assert_eq!(
        flag("04 00003039 03", Dialect::Seed),
        Err(FrameError::UnknownAdmission(3))
    );
    assert_eq!(
        flag("06 00003039 31", Dialect::Seed),
        Err(FrameError::UnknownResult(0x31))
    );
    assert_eq!(
        flag("06 00003039 \"---\" ff", Dialect::Later),
        Err(FrameError::UnknownResult(0xff))
    );
}

/// Random bytes. Values that occur in frames are more likely than others, so that some cases begin with a frame.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        0..10u8,
        Just(0),
        Just(0),
        any::<u8>(),
        b'0'..=b'2',
        Just(b'-')
    ];
    prop::collection::vec(byte, 0..600)
}

proptest! {
    #[test]
    fn decoded_messages_encode_to_the_same_bytes(bytes in likely_bytes()) {
        if let Ok(Some((message, length))) = FromClient::decode(&bytes) {
            let mut written = Vec::new();
            message.encode(&mut written);
            prop_assert_eq!(&written[..], &bytes[..length]);
        }
        for dialect in [Dialect::Seed, Dialect::Later] {
            if let Ok(Some((message, length))) = FromServer::decode(&bytes, dialect) {
                let mut written = Vec::new();
                message.encode(&mut written);
                prop_assert_eq!(&written[..], &bytes[..length]);
            }
        }
    }

    #[test]
    fn more_bytes_never_change_a_decoded_message(bytes in likely_bytes(), cut in 0usize..600) {
        let cut = cut.min(bytes.len());
        let before = FromClient::decode(&bytes[..cut]);
        if before != Ok(None) {
            prop_assert_eq!(before, FromClient::decode(&bytes));
        }
        for dialect in [Dialect::Seed, Dialect::Later] {
            let before = FromServer::decode(&bytes[..cut], dialect);
            if before != Ok(None) {
                prop_assert_eq!(before, FromServer::decode(&bytes, dialect));
            }
        }
    }
}
