//! The conformance kit: checks programs that students write, against the documents of their programming courses.
//!
//! - [`check_tcp`] checks a server of the TCP protocol; the kit is its client,
//! - [`check_client`] checks a client of the TCP protocol; the kit is its server,
//! - [`check_classic`] types scripted games into a program of the classic terminal game.
//!
//! Each function tries a list of rules. A rule has a claim and a source. The claim says what the program must
//! do. The source is the sentence of the course document that demands the rule. If the document does not
//! demand the rule, the source is the reason for the rule. The result is a [`Report`], which can be written
//! as text, HTML, JSON and JUnit XML.
//!
//! A program fails only if it breaks a rule that the course document demands ([`Weight::Demanded`]). Other rules are
//! only reported: *open questions*, which the course document leaves open ([`Weight::Open`]), and advice
//! ([`Weight::Advice`]).
//!
//! Whatever the program does, a check ends within a time limit, uses bounded memory and leaves no process behind.

mod board;
mod classic;
mod client;
mod frame;
mod framing;
mod process;
mod progress;
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
pub use progress::{Step, Tell};
pub use report::{Entry, Report, Tally};
pub use tcp::{TcpRule, TcpTask, check_tcp, tcp_rules};
pub use verdict::{Fact, Finding, Verdict, Weight};
