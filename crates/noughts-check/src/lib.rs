//! The conformance kit: checks programs written by others against the documents of two programming courses.
//!
//! - [`check_tcp`] is the client of a server of the TCP protocol,
//! - [`check_client`] is the server of a client,
//! - [`check_classic`] types scripted games into a program of the classic terminal game.
//!
//! Each tries a list of rules, every rule with its claim and the sentence of the document that demands it,
//! and returns a [`Report`]: as text, HTML, JSON and JUnit XML.
//!
//! Only broken rules that the document demands ([`Weight::Demanded`]) make a program fail. What the document
//! does not decide, and advice, is reported.
//!
//! Whatever the program does, a check ends within its time, uses bounded memory and leaves no process behind.

mod board;
mod classic;
mod client;
mod frame;
mod framing;
mod process;
mod random;
mod receive_buffer;
mod report;
mod tcp;
mod verdict;

pub use classic::{
    Case, CaseError, ClassicTask, Expectation, RECURRING_RULES, RecurringRule, check_classic,
    classic_cases, read_cases,
};
pub use client::{Answer, CLIENT_RULES, ClientRule, ClientTask, check_client};
pub use noughts_process::ProcessSet;
pub use report::{Entry, Report, Tally};
pub use tcp::{TcpRule, TcpTask, check_tcp, tcp_rules};
pub use verdict::{Fact, Finding, Verdict, Weight};
