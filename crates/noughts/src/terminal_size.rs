//! The size of the terminal.

use std::io;

/// The columns and lines of the terminal. `None` if they are unknown, for example because standard output is not a
/// terminal.
pub(crate) fn terminal_size() -> Option<(u16, u16)> {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
    }
    #[cfg(not(unix))]
    {
        let _ = io::stdout();
        None
    }
}
