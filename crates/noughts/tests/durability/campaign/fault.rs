//! The faults of a campaign.

/// Something that goes wrong, once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    NodeKilled,
    NodeKilledWhileStarting,
    NodeFrozen,
    DiskFull,
    NodeKilledOnFullDisk,
    DiskHangs,
    ClockJump,
    DatabaseKilled,
    DatabaseProcessKilled,
    DatabaseFrozen,
    NodeCutOff,
    AllNodesCutOff,
    NodeCutOffAndKilled,
    ConnectionsClosed,
    StoreSlow,
    RepliesLost,
    HintsLost,
}

/// Faults of one node with an SQLite file.
pub(super) const WITH_SQLITE: [Fault; 6] = [
    Fault::NodeKilled,
    Fault::NodeKilledWhileStarting,
    Fault::NodeFrozen,
    Fault::DiskFull,
    Fault::NodeKilledOnFullDisk,
    Fault::DiskHangs,
];

/// Faults of several nodes with PostgreSQL.
pub(super) const WITH_POSTGRES: [Fault; 14] = [
    Fault::NodeKilled,
    Fault::NodeKilledWhileStarting,
    Fault::NodeFrozen,
    Fault::ClockJump,
    Fault::DatabaseKilled,
    Fault::DatabaseProcessKilled,
    Fault::DatabaseFrozen,
    Fault::NodeCutOff,
    Fault::AllNodesCutOff,
    Fault::NodeCutOffAndKilled,
    Fault::ConnectionsClosed,
    Fault::StoreSlow,
    Fault::RepliesLost,
    Fault::HintsLost,
];

impl Fault {
    /// Its name in the report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Fault::NodeKilled => "node killed",
            Fault::NodeKilledWhileStarting => "node killed, and killed again while it starts",
            Fault::NodeFrozen => "node frozen",
            Fault::DiskFull => "disk full",
            Fault::NodeKilledOnFullDisk => "disk full, node killed",
            Fault::DiskHangs => "disk hangs",
            Fault::ClockJump => "node killed, its system clock jumps",
            Fault::DatabaseKilled => "PostgreSQL killed",
            Fault::DatabaseProcessKilled => "one process of PostgreSQL killed",
            Fault::DatabaseFrozen => "PostgreSQL frozen",
            Fault::NodeCutOff => "one node cut off from the store",
            Fault::AllNodesCutOff => "all nodes cut off from the store",
            Fault::NodeCutOffAndKilled => "node cut off from the store, then killed",
            Fault::ConnectionsClosed => "connections to the store closed and refused",
            Fault::StoreSlow => "store slow",
            Fault::RepliesLost => "replies of the store lost",
            Fault::HintsLost => "hints of other nodes lost",
        }
    }
}
