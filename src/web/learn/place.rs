use perplex_games::lesson::Lesson;
use perplex_games::registry;

/// A step of a lesson, as addresses and titles say it.
pub struct Place {
    pub lesson: &'static Lesson,
    /// The number of the step, from 1, and of all steps.
    pub number: usize,
    pub of: usize,
}

impl Place {
    fn address(&self, number: usize) -> String {
        format!("/learn/{}/{number}", self.lesson.key)
    }

    pub fn here(&self) -> String {
        self.address(self.number)
    }

    pub fn back(&self) -> Option<String> {
        (self.number > 1).then(|| self.address(self.number - 1))
    }

    pub fn next(&self) -> Option<String> {
        (self.number < self.of).then(|| self.address(self.number + 1))
    }

    /// The game or the duty.
    pub fn name(&self) -> &'static str {
        match (self.lesson.duty, registry::find(self.lesson.game)) {
            ("", Some(entry)) => entry.card.name,
            (duty, _) => duty,
        }
    }

    /// The page with all the rules.
    pub fn rules(&self) -> String {
        match self.lesson.duty {
            "" => format!("/games/{}", self.lesson.game),
            _ => "/games/perplexichess".to_owned(),
        }
    }
}
