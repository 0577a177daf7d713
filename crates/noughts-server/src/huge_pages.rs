//! Transparent huge pages of Linux.

/// Turns off transparent huge pages for this process, where the system has them.
///
/// With huge pages, the first access to new memory makes the system clear 2 MB in one step. This took 4.6 ms
/// on a virtual machine, and all other requests on the same thread had to wait. With small pages, creating
/// 400 tables of 255x255 took 75 ms of system time instead of 210 to 270 ms. The search of robots is as fast
/// as with huge pages.
pub fn disable_huge_pages() {
    // If this call fails, the server still works, but with longer waits.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
