//! The conformance kit: a judge for programs of others.
//!
//! [`check_tcp`] plays the client against somebody's server of the TCP protocol, [`check_client`] the
//! server against somebody's client, [`check_classic`] types scripted games into somebody's classic
//! program. Each tries a list of rules, every rule with its claim and the paragraph of the document that
//! demands it, and gives a [`Report`]: in words, as JSON, and as JUnit's XML.
//!
//! A rule has a [`Weight`]: what the document demands fails who breaks it; what it leaves open, and what is
//! only good manners, is reported and fails nobody.
//!
//! Whatever the judged program does, a verdict comes within the time that was given, nothing grows without
//! bound, and nothing that was started is left running.

mod board;
mod classic;
mod client;
mod frame;
mod process;
mod random;
mod receive_buffer;
mod report;
mod tcp;
mod verdict;

pub use classic::{Aim, Case, CaseError, ClassicTask, check_classic, classic_cases, read_cases};
pub use client::{CLIENT_RULES, ClientRule, ClientTask, check_client};
pub use process::RunningPrograms;
pub use report::{Entry, Report, Tally};
pub use tcp::{TcpRule, TcpTask, check_tcp, tcp_rules};
pub use verdict::{Fact, Finding, Verdict, Weight};
