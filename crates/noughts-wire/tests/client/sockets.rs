//! The client over real sockets, with a server that disconnects during a game.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use noughts_wire::{Cell, Client, Event, Greeting, Name, Stage};

use crate::stream::Computer;

/// Serves one connection, and closes it after this many frames.
fn serve(listener: &TcpListener, frames: usize) {
    let (mut stream, _) = listener.accept().expect("a client");
    let mut computer = Computer::new(4_096);
    for _ in 0..frames {
        let mut bytes = [0; 512];
        let count = stream.read(&mut bytes).expect("a frame");
        computer.write_all(&bytes[..count]).expect("a whole frame");
        let count = computer.read(&mut bytes).expect("an answer");
        stream
            .write_all(&bytes[..count])
            .expect("the client listens");
    }
}

/// Sends HELLO, PLAY and moves until an unexpected event. Returns the event and the number of frames sent.
fn go(client: &mut Client<TcpStream>) -> (Event, usize) {
    let name = Name::new("Ann").expect("a name");
    let mut event = client.hello(&name, Greeting::Later).expect("an event");
    let mut cells = [8, 7, 6, 5].into_iter().filter_map(Cell::from_index);
    for frames in 1.. {
        event = match (event, client.session().stage()) {
            (Event::Ready { .. }, Stage::Ready) => client.play().expect("an event"),
            (Event::Admitted { .. } | Event::Played(_), Stage::ItsTurn) => {
                client.act(cells.next().expect("a cell")).expect("an event")
            }
            (event, _) => return (event, frames),
        };
    }
    unreachable!("the loop returns")
}

#[test]
fn server_may_disconnect_after_any_frame() {
    for frames in 0..5 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let server = thread::spawn(move || serve(&listener, frames));
        let mut client = Client::new(TcpStream::connect(address).expect("a server"));
        assert_eq!(go(&mut client), (Event::Left, frames + 1));
        assert_eq!(client.session().stage(), Stage::Ended);
        server.join().expect("the server ends without a panic");
    }
}
