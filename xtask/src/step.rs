//! One command, as data: it can be shown, compared and run.

use std::fmt;

/// A program with its arguments and what is added to its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The program, looked up as a shell would.
    pub program: String,
    /// Its arguments, each passed as it is.
    pub arguments: Vec<String>,
    /// Variables set for it alone.
    pub environment: Vec<(String, String)>,
}

impl Step {
    /// A command as one would type it. Words are split at spaces and nothing is quoted; what may
    /// contain a space is added by [`Step::with`].
    pub fn new(line: &str) -> Step {
        let mut words = line.split_whitespace().map(str::to_owned);
        let program = words.next().expect("a step names its program");
        Step {
            program,
            arguments: words.collect(),
            environment: Vec::new(),
        }
    }

    /// The same with these arguments after the others.
    #[must_use]
    pub fn with<W: Into<String>>(mut self, arguments: impl IntoIterator<Item = W>) -> Step {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// The same with one variable set.
    #[must_use]
    pub fn set(mut self, variable: &str, value: &str) -> Step {
        self.environment
            .push((variable.to_owned(), value.to_owned()));
        self
    }
}

/// As it could be pasted into a shell.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (variable, value) in &self.environment {
            write!(f, "{variable}={} ", quoted(value))?;
        }
        write!(f, "{}", quoted(&self.program))?;
        self.arguments
            .iter()
            .try_for_each(|word| write!(f, " {}", quoted(word)))
    }
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains([' ', '\'', '"', '$', '*', ';', '&', '|']) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_shown_as_one_would_type_it() {
        for (step, shown) in [
            (Step::new("cargo fmt --all"), "cargo fmt --all"),
            (
                Step::new("cargo doc").set("RUSTDOCFLAGS", "-D warnings"),
                "RUSTDOCFLAGS='-D warnings' cargo doc",
            ),
            (Step::new("ls").with(["a b", "it's"]), r"ls 'a b' 'it'\''s'"),
        ] {
            assert_eq!(step.to_string(), shown);
        }
    }
}
