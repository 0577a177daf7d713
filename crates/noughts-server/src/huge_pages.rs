//! Transparent huge pages of Linux.

/// Turns off transparent huge pages for this process, where the system has them.
///
/// With huge pages, the first access to new memory makes the system clear 2 MB at once, which took 4.6 ms on a virtual
/// machine. All requests that wait for the same thread wait as long. With small pages, creating 400 tables of 255x255
/// took 75 ms instead of 210 to 270 ms of the system's time. The search of robots is as fast as before.
pub fn disable_huge_pages() {
    // If the system refuses, the server works too, with longer waits.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
