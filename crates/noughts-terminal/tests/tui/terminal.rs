//! A real terminal, lent by `script`: it is as it was when the session is over, however that was.
