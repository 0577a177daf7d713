//! The progress of a check.

/// A step of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<'a> {
    /// The number of steps that started before this one.
    pub done: usize,
    /// The total number of steps.
    pub total: usize,
    /// The rule, case or connection that comes next.
    pub name: &'a str,
}

/// A function that the check calls before each step, from any thread.
pub type Tell<'a> = &'a (dyn Fn(Step<'_>) + Sync);
