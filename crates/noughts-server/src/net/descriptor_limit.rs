//! How many connections the system lets this process have.

/// Asks for as many file descriptors as the system lets the process have without further rights,
/// and says how many that are; `None` where nobody knows.
///
/// Every connection is one, and the usual limit of 1 024 is meant for programs that have files.
#[cfg(unix)]
pub fn raise_descriptor_limit() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

/// Nobody knows.
#[cfg(not(unix))]
pub fn raise_descriptor_limit() -> Option<u64> {
    None
}
