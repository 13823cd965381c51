//! The person who leads a team match, as a value.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leader {
    Host,
    /// Of a lesson.
    Teacher,
}

impl Leader {
    pub(super) const fn of(is_lesson: bool) -> Self {
        if is_lesson { Self::Teacher } else { Self::Host }
    }
}
