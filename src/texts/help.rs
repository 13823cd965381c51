//! The walk-through of a duty in words, step by step. Its pictures are in `web/team/parts/help.rs`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Strategist,
    Boardman,
    Agent,
    Host,
    Teacher,
}

/// The description of a picture of a board.
pub const EXAMPLE: &str = "A board as an example";

pub struct Step {
    pub about: &'static str,
    pub text: &'static str,
}

const STRATEGIST: &[Step] = &[
    Step {
        about: "You lead your team",
        text: "You see all boards of your team at once. Tap a board to make it large. “Same size” makes them all the \
         same size again. Letters and digits beside a board name its squares: 3:e4 is e4 on board 3.",
    },
    Step {
        about: "Take a piece to another board",
        text: "Drag one of your pieces to another board, or press “Choose a piece”. It lands on the same square, which \
         must be empty there. Kings stay at home. You may do this at any time, as often as you like.",
    },
    Step {
        about: "Give duties",
        text: "Under “People” you can give a member of your team another duty. The two members then swap.",
    },
    Step {
        about: "Listen to your team",
        text: "Talk with everybody. If more than half of the others vote for another member, that member leads the team \
         at once.",
    },
];

const BOARDMAN: &[Step] = &[
    Step {
        about: "This is your board",
        text: "You alone of your team play here. Take your time: the other boards do not wait for you. \
         Your board has a star.",
    },
    Step {
        about: "Move a piece",
        text: "Tap a piece, then the square where it should go. Look at it, then press “Play”. You can drag the piece, \
         too, or use the arrow keys and Enter.",
    },
    Step {
        about: "Or change a rule",
        text: "Instead of moving you may change how one kind of piece moves. Under “Change a rule” tap a card: your board \
         shows what it does. “Play it”, and it counts at once, for both sides. Or tap a kind of piece and make a rule of your \
         own; “Keep it as a card” saves it for later. Here knights may step one square, too.",
    },
    Step {
        about: "Pieces can travel",
        text: "Your grand strategist can bring you a piece from another board, or take one of yours away. Ask for help in \
         the talk of your team.",
    },
    Step {
        about: "How it ends",
        text: "If the king cannot escape, that is checkmate, and the board is won. Both kings go off it; its other pieces can \
         still travel. When the time is up, the side with more \
         pieces wins a board. The team with more boards wins the match.",
    },
];

const AGENT: &[Step] = &[
    Step {
        about: "You are your team’s eyes",
        text: "Agents play no board, but they see them all. Look for good moves, for dangers, and for pieces that are free \
         to travel.",
    },
    Step {
        about: "Show what you see",
        text: "Write 3:e4 in the talk, and a reader who taps it sees the square e4 on board 3. \
         Write a name, and its owner is shown a card.",
    },
    Step {
        about: "Plan and bargain",
        text: "You can talk in secret with some of your team, and in public with the other team: make plans, make deals, \
         change your mind. Stay kind.",
    },
    Step {
        about: "Be ready",
        text: "Your grand strategist can give you a board at any time. And you have a secret vote: under “People” your \
         team can elect another member to lead.",
    },
];

const WHILE_THEY_PLAY: Step = Step {
    about: "While they play",
    text: "Open the control panel: what needs you stands at the top, raised hands too. “Eyes up!” stops the play and says so on every screen. \
         You can take a turn back, replace a member in two clicks, change the time, and hold the talk to ready-made \
         phrases. When two players do not agree whether a rule in words holds, you decide.",
};

const TEACHER: &[Step] = &[
    Step {
        about: "Bring everybody in",
        text: "Show the code: “Open the projector page” makes it as large as the wall. Pupils type it, or point a camera at \
         the picture, and pick their names. They appear on this page as they come.",
    },
    Step {
        about: "Give everybody a place",
        text: "“Seat everyone” makes two teams and gives out the duties, so that over some lessons everybody has each of them. \
         To change a place drag the name, or tap it and then “Here”.",
    },
    Step {
        about: "Start",
        text: "The settings say which rule cards pupils are offered; on the page of your class you can make your own. “Start” \
         begins the match on all screens. A pupil who comes late types the code and joins the smaller team. Pupils \
         need not know chess well: everybody gets a walk-through like this one.",
    },
    WHILE_THEY_PLAY,
    Step {
        about: "When the bell rings",
        text: "“End for today” keeps the match for the next lesson. When it is over there are a report to print, the replay \
         of every move, and the progress of the class.",
    },
];

const HOST: &[Step] = &[
    Step {
        about: "Bring everybody in",
        text: "Show the code for joining on the wall, or share the link. The names appear on this page as people come.",
    },
    Step {
        about: "Give everybody a duty",
        text: "The teams can choose by themselves, you can do it, or the program deals the duties out.",
    },
    Step {
        about: "Start",
        text: "Press “Start the match”. If people are missing you can start short-handed: then some of them play two \
         boards. Players need not know chess well: everybody gets a walk-through like this one. If nothing comes of it, \
         you can call the match off.",
    },
    WHILE_THEY_PLAY,
    Step {
        about: "On the wall, and afterwards",
        text: "The projector’s link shows all boards on a big screen. Afterwards the whole match can be played back, and \
         printed as a record.",
    },
];

impl Topic {
    pub const fn steps(self) -> &'static [Step] {
        match self {
            Self::Strategist => STRATEGIST,
            Self::Boardman => BOARDMAN,
            Self::Agent => AGENT,
            Self::Host => HOST,
            Self::Teacher => TEACHER,
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::Strategist => "You are the grand strategist",
            Self::Boardman => "You are a boardman: a board is yours",
            Self::Agent => "You are an agent",
            Self::Host => "You are the host",
            Self::Teacher => "You lead this lesson",
        }
    }
}
