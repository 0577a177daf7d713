//! How far a check is.

/// What a check does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<'a> {
    /// How many steps are done.
    pub done: usize,
    /// How many steps there are.
    pub total: usize,
    /// The rule, case or connection that comes next.
    pub name: &'a str,
}

/// Gets each step before it is taken, from any thread.
pub type Tell<'a> = &'a (dyn Fn(Step<'_>) + Sync);
