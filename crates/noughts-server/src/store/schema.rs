//! Which schema a database has: steps that only go forward.

use super::StoreError;

/// What is still to be done to a database, or why this program can't use it.
pub(super) fn steps_from<'s>(
    version: i64,
    steps: &'s [&'static str],
) -> Result<&'s [&'static str], StoreError> {
    let done = usize::try_from(version).ok();
    done.and_then(|done| steps.get(done..)).ok_or_else(|| {
        StoreError(format!(
            "it was made by a newer noughts: its schema is {version}, and this program knows those up to {}",
            steps.len()
        ))
    })
}
