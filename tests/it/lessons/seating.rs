//! Seating: sizes in words, and many lessons of classes of every size with absent pupils.
//!
//! The chance is that of `support::chance`: the same in every run but the longer one.

use std::collections::{BTreeMap, BTreeSet};

use perplex::texts;
use perplex_games::perplexichess::{BoardNo, Size};
use perplex_games::rules::Side;
use perplex_matches::classroom::seating::{
    Earlier, Fit, Past, Person, Proposal, Seating, Task, seat, stand_in, task_of,
};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::dice::Dice;
use perplex_matches::team::event::{Duties, Duty, MemberId, Terms};
use perplex_matches::team::lineup::Team;
use perplex_matches::team::{Command, Match, Refusal, Who, create};
use perplex_matches::time::Time;

use crate::support::chance::seed;

const LESSONS: u32 = 10;
/// One pupil of so many is absent.
const ABSENT: usize = 7;

#[test]
fn the_size_that_fits_is_proposed_in_words() {
    let proposed: Vec<(usize, u8, Fit)> = [2, 6, 7, 8, 12, 13, 14, 17, 18, 30]
        .into_iter()
        .map(|people| {
            let best = Proposal::best(people);
            (people, best.size.boards(), best.fit)
        })
        .collect();
    assert_eq!(
        proposed,
        [
            (2, 3, Fit::Short(6)),
            (6, 3, Fit::Short(2)),
            (7, 3, Fit::Short(1)),
            (8, 3, Fit::Full),
            (12, 3, Fit::Full),
            (13, 5, Fit::NoAgent),
            (14, 5, Fit::Full),
            (17, 5, Fit::Full),
            (18, 7, Fit::Full),
            (30, 7, Fit::Full),
        ]
    );
    for (size, people, words) in [
        (
            Size::Small,
            1,
            "3 boards: best for 8 to 12 people, and possible from two on.",
        ),
        (
            Size::Small,
            7,
            "3 boards, teams of 3 and 4: short-handed by one, so one member has two duties.",
        ),
        (
            Size::Medium,
            8,
            "5 boards, two teams of 4: short-handed by 4, so some have several duties.",
        ),
        (
            Size::Small,
            13,
            "3 boards: one too many, who finds no place and looks on.",
        ),
        (
            Size::Medium,
            13,
            "5 boards, teams of 6 and 7: every duty has a member, but a team has no agent to step in.",
        ),
        (
            Size::Medium,
            14,
            "5 boards, two teams of 7: everybody has a duty or is an agent.",
        ),
    ] {
        assert_eq!(texts::team::proposal(&Proposal::of(size, people)), words);
    }
}

/// Checks a lesson: teams of the same number or nearly so, every duty filled by a member of the team, and no pupil
/// with two duties while another has none.
fn check(size: Size, there: &[Person], seating: &Seating, what: &str) {
    let teams = [Side::First, Side::Second].map(|side| {
        let of_side = |(id, s): (&MemberId, &Option<Side>)| (*s == Some(side)).then_some(*id);
        seating
            .sides
            .iter()
            .filter_map(of_side)
            .collect::<BTreeSet<_>>()
    });
    let sizes = [teams[0].len(), teams[1].len()];
    assert!(
        sizes[0].abs_diff(sizes[1]) <= 1,
        "{what}: teams of {sizes:?}"
    );
    assert_eq!(
        sizes[0] + sizes[1],
        there.len(),
        "{what}: a pupil has no team"
    );
    for (team, duties) in teams.iter().zip(&seating.duties) {
        assert_eq!(duties.boards.len(), usize::from(size.boards()), "{what}");
        assert!(duties.vacant().is_empty(), "{what}: vacant in {duties}");
        let mut counts: BTreeMap<MemberId, usize> = team.iter().map(|id| (*id, 0)).collect();
        for duty in duties.all() {
            let holder = duties.holder(duty).expect("a member");
            *counts
                .get_mut(&holder)
                .unwrap_or_else(|| panic!("{what}: {holder} of another team")) += 1;
        }
        let most = counts.values().max().copied().unwrap_or(0);
        let least = counts.values().min().copied().unwrap_or(0);
        assert!(most <= 1 || least >= most - 1, "{what}: {duties}");
    }
}

/// One lesson: those who are `there` are seated anew; checks and remembers the result.
fn lesson_of(there: &[u16], earlier: &mut Earlier<u16>, dice: &mut Dice, what: &str) {
    let people: Vec<Person> = there
        .iter()
        .map(|pupil| Person {
            id: MemberId(*pupil),
            side: None,
            past: earlier.past(pupil),
        })
        .collect();
    let size = Proposal::best(people.len()).size;
    let seating = seat(
        size,
        &people,
        [0, 1].map(|_| Duties::none(size)),
        |one, other| earlier.together(&one.0, &other.0),
        u64::try_from(dice.below(usize::MAX)).expect("a number"),
    );
    check(size, &people, &seating, what);
    let tasks: Vec<(u16, Side, Task)> = seating
        .sides
        .iter()
        .filter_map(|(id, side)| Some((*id, (*side)?)))
        .map(|(id, side)| (id.0, side, task_of(&seating.duties[side.index()], id)))
        .collect();
    earlier.add(&tasks);
}

/// Ten lessons of a class. The bounds, for any two pupils a and b, where b has missed m of the lessons:
///
/// - a was grand strategist at most 1 + m times more often than b;
/// - a had a duty at all (was no mere agent) at most 2 + m times more often than b;
/// - and each pupil who missed nothing has been strategist, if the lessons were enough for all (two a lesson).
#[test]
fn over_ten_lessons_duties_are_fairly_spread() {
    let seed = seed();
    let mut dice = Dice::new(seed);
    for pupils in 6..=40_u16 {
        let mut earlier: Earlier<u16> = Earlier::default();
        let mut missed: BTreeMap<u16, u32> = (1..=pupils).map(|pupil| (pupil, 0)).collect();
        for lesson in 1..=LESSONS {
            let mut there: Vec<u16> = (1..=pupils).collect();
            there.retain(|_| dice.below(ABSENT) != 0);
            if there.len() < 2 {
                there = vec![1, 2];
            }
            for pupil in 1..=pupils {
                if !there.contains(&pupil) {
                    *missed.entry(pupil).or_default() += 1;
                }
            }
            let what = format!("{pupils} pupils, lesson {lesson}, {} there", there.len());
            lesson_of(&there, &mut earlier, &mut dice, &what);
        }
        let pasts: BTreeMap<u16, Past> = (1..=pupils).map(|p| (p, earlier.past(&p))).collect();
        for (a, past) in &pasts {
            assert_eq!(past.lessons() + missed[a], LESSONS, "{pupils} pupils: {a}");
            for (b, other) in &pasts {
                let what = || {
                    format!(
                        "{pupils} pupils: {a} {past:?}, {b} {other:?}, missed {}",
                        missed[b]
                    )
                };
                assert!(
                    past.strategist <= other.strategist + 1 + missed[b],
                    "{}",
                    what()
                );
                assert!(
                    past.active() <= other.active() + 2 + missed[b],
                    "{}",
                    what()
                );
            }
            if missed[a] == 0 && usize::from(pupils) <= 2 * LESSONS as usize {
                assert!(
                    past.strategist > 0,
                    "{pupils} pupils: {a} was never strategist"
                );
            }
        }
    }
}

/// New company: over ten lessons of a full class no two pupils are together nearly always.
#[test]
fn teams_are_mixed() {
    let mut dice = Dice::new(seed());
    // By chance alone, in about every third class some two of thirty would be together ten times.
    for (pupils, bound) in [(8_u16, 7), (14, 8), (20, 9), (30, 9)] {
        let mut earlier: Earlier<u16> = Earlier::default();
        for _ in 0..LESSONS {
            let there: Vec<u16> = (1..=pupils).collect();
            lesson_of(&there, &mut earlier, &mut dice, &format!("{pupils} pupils"));
        }
        let most = (1..=pupils)
            .flat_map(|one| (1..one).map(move |other| (one, other)))
            .map(|(one, other)| earlier.together(&one, &other))
            .max()
            .unwrap_or(0);
        println!("{pupils} pupils: the same two at most {most} times of {LESSONS} together");
        assert!(
            most <= bound,
            "{pupils} pupils: two were together {most} times"
        );
    }
}

/// Settled choices stay: chosen teams, and duties that were given.
#[test]
fn what_the_teacher_settled_stays() {
    let person = |id, side| Person {
        id: MemberId(id),
        side,
        past: Past::default(),
    };
    let mut people: Vec<Person> = (1..=9).map(|id| person(id, None)).collect();
    for index in [0, 1, 2, 3] {
        people[index].side = Some(Side::Second);
    }
    let mut duties = [0, 1].map(|_| Duties::none(Size::Small));
    duties[1].set(Duty::Board(BoardNo(2)), Some(MemberId(3)));
    for chance in 0..50 {
        let seating = seat(Size::Small, &people, duties.clone(), |_, _| 0, chance);
        check(Size::Small, &people, &seating, "settled");
        for id in 1..=4 {
            assert_eq!(seating.sides[&MemberId(id)], Some(Side::Second));
        }
        let holder = seating.duties[1].holder(Duty::Board(BoardNo(2)));
        assert_eq!(holder, Some(MemberId(3)));
    }
    // Too many: some have no team, and the teams are full.
    let crowd: Vec<Person> = (1..=15).map(|id| person(id, None)).collect();
    let seating = seat(
        Size::Small,
        &crowd,
        [0, 1].map(|_| Duties::none(Size::Small)),
        |_, _| 0,
        1,
    );
    let on = |side| seating.sides.values().filter(|s| **s == side).count();
    assert_eq!(
        [on(Some(Side::First)), on(Some(Side::Second)), on(None)],
        [6, 6, 3]
    );
    assert_eq!(Team::most(Size::Small), Some(6));
}

#[test]
fn absent_pupils_are_stood_in_for() {
    let team: Vec<Person> = (1..=6)
        .map(|id| Person {
            id: MemberId(id),
            side: None,
            // The last pupil has been agent most.
            past: Past {
                agent: u32::from(id),
                ..Past::default()
            },
        })
        .collect();
    let mut duties = Duties::none(Size::Small);
    for (duty, holder) in duties.all().into_iter().zip(1..) {
        duties.set(duty, Some(MemberId(holder)));
    }
    assert_eq!(duties.to_string(), "1 2 3 4");
    let after = stand_in(&team, &duties, &[MemberId(3)], 5);
    assert_eq!(after.to_string(), "1 2 6 4");
    let after = stand_in(&team, &duties, &[MemberId(3), MemberId(6), MemberId(5)], 5);
    assert!(after.vacant().is_empty());
    assert!(
        after.holder(Duty::Board(BoardNo(2))) != Some(MemberId(1)),
        "the strategist last: {after}"
    );
    let all: Vec<MemberId> = team.iter().map(|person| person.id).collect();
    assert_eq!(stand_in(&team, &duties, &all, 5), duties);
}

/// Another size may be too small for the teams: then nothing begins.
#[test]
fn no_match_begins_with_too_many_in_a_team() {
    let terms = Terms::of(Size::Medium);
    let host = Who {
        host: true,
        member: None,
    };
    let mut state = Match::replay(&create(terms, Time(0)).expect("a match")).expect("a state");
    let mut act = |command: &Command| {
        let events = state.decide(&host, command, Time(0), 7)?;
        for event in &events {
            state.apply(event).expect("it follows");
        }
        Ok::<_, Refusal>(())
    };
    for number in 1..=14 {
        let side = if number % 2 == 0 {
            Side::First
        } else {
            Side::Second
        };
        let join = Command::Join(MemberId(number), Some(side));
        act(&join).expect("joined");
    }
    let small = Terms {
        size: Size::Small,
        ..terms
    };
    act(&Command::Settle(small)).expect("settled");
    let refused = act(&Command::Start { short: true }).expect_err("too many");
    assert_eq!(refused, Refusal::TooManyPeople(Size::Small));
    act(&Command::Settle(terms)).expect("settled");
    act(&Command::Start { short: false }).expect_err("no one has a duty");
    act(&Command::Deal).expect("dealt");
    act(&Command::Start { short: false }).expect("it begins");
}
