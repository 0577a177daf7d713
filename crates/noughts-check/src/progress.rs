//! The progress of a check.

/// A step of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<'a> {
    /// The number of completed steps.
    pub done: usize,
    /// The total number of steps.
    pub total: usize,
    /// The rule, case or connection that comes next.
    pub name: &'a str,
}

/// Called before each step, from any thread.
pub type Tell<'a> = &'a (dyn Fn(Step<'_>) + Sync);
