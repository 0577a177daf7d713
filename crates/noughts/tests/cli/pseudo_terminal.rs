//! The program in a pseudo-terminal, provided by `script` of util-linux.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A terminal in which one command runs.
pub(crate) struct PseudoTerminal {
    script: Child,
    /// Everything that was shown.
    pub(crate) shown: String,
    /// The number of bytes that [`PseudoTerminal::until`] has passed.
    seen: usize,
}

/// Printed after the command, with its exit code.
const END: &str = "exit code ";

impl PseudoTerminal {
    /// Runs `noughts` with these words, as a shell reads them, in a terminal of 80 x 24.
    pub(crate) fn new(words: &str) -> PseudoTerminal {
        PseudoTerminal::with_size(words, (80, 24), Path::new("/dev/null/none"))
    }

    /// A terminal of this size, with this directory for kept seats.
    pub(crate) fn with_size(words: &str, size: (u16, u16), state: &Path) -> PseudoTerminal {
        PseudoTerminal::open(words, size, "-echo", state)
    }

    /// A terminal of 80 x 24 that shows what is typed.
    pub(crate) fn with_echo(words: &str, state: &Path) -> PseudoTerminal {
        PseudoTerminal::open(words, (80, 24), "echo", state)
    }

    fn open(words: &str, size: (u16, u16), echo: &str, state: &Path) -> PseudoTerminal {
        let (columns, rows) = size;
        let inside = format!(
            "stty rows {rows} cols {columns} {echo}; trap : INT; \
             '{}' {words}; echo {END}$?",
            env!("CARGO_BIN_EXE_noughts")
        );
        let script = Command::new("script")
            .args(["-qfc", &inside, "/dev/null"])
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .env("USER", "ann")
            .env("LC_ALL", "C.UTF-8")
            .env("XDG_STATE_HOME", state)
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script, of util-linux, provides a terminal");
        PseudoTerminal {
            script,
            shown: String::new(),
            seen: 0,
        }
    }

    /// Reads until `text` is shown. Returns everything that was shown since the last call, up to and including `text`.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let mut some = [0; 4096];
        loop {
            if let Some(at) = self.shown[self.seen..].find(text) {
                let end = self.seen + at + text.len();
                let passed = self.shown[self.seen..end].to_owned();
                self.seen = end;
                return passed;
            }
            let output = self.script.stdout.as_mut().unwrap();
            let count = output.read(&mut some).unwrap();
            assert!(count > 0, "no {text:?} in {}", &self.shown[self.seen..]);
            // A read may end within a character, which then becomes `�`. Every expected text arrives in one read.
            self.shown
                .push_str(&String::from_utf8_lossy(&some[..count]));
        }
    }

    /// Types a line and presses Enter.
    pub(crate) fn types(&mut self, line: &str) {
        self.press(&format!("{line}\n"));
    }

    /// Presses keys. Ctrl-C is `\x03`.
    pub(crate) fn press(&mut self, keys: &str) {
        let input = self.script.stdin.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Like [`PseudoTerminal::end`], but also returns everything that was shown.
    pub(crate) fn end_with_everything(mut self) -> (String, i32, String) {
        let rest = self.until(END);
        let code = self.until("\n").trim().parse().unwrap();
        let everything = self.shown[..self.shown.rfind(END).unwrap()].to_owned();
        (rest, code, everything)
    }

    /// Waits for the end. Returns what was shown since the last [`PseudoTerminal::until`], and the exit code.
    pub(crate) fn end(mut self) -> (String, i32) {
        let rest = self.until(END);
        let code = self.until("\n");
        let rest = rest.strip_suffix(END).unwrap().to_owned();
        (rest, code.trim().parse().unwrap())
    }
}

impl Drop for PseudoTerminal {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}
