//! The system's limit for the open files and sockets of this process.

/// Raises the limit for file descriptors to the hard limit, if the system permits it. Returns the limit that applies
/// afterwards; `None` if the number of descriptors is unlimited.
///
/// Every connection needs a descriptor, and the usual soft limit is 1 024.
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

/// Does nothing on this system, and returns `None`.
#[cfg(not(unix))]
pub fn raise_descriptor_limit() -> Option<u64> {
    None
}
