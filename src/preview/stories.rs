//! The people whose mails are looked at, and what they do.

use std::sync::Arc;

use perplex_games::perplexichess::{Board, BoardNo, Size};
use perplex_games::player::Level;
use perplex_games::registry::{Entry, GAMES};
use perplex_games::rules::Side;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::correspondence::{Command, Match};
use perplex_matches::id::MatchId;
use perplex_matches::team;
use perplex_matches::team::event::{Duty, MemberId};
use perplex_matches::time::hours;
use totp_rs::{Builder, Secret};

use super::{Preview, told};
use crate::app::accounts::SignUp;
use crate::app::correspondence::{NewMatch, Opponent, invitation_link};
use crate::app::mail_kind::MailKind;
use crate::app::team::TeamAccess;
use crate::app::{AppError, Viewer, Visitor};

const PASSWORD: &str = "seven quiet otters";
/// People who play; the first makes the matches.
const PLAYERS: [&str; 8] = ["Ada", "Ben", "Cleo", "Dov", "Elif", "Finn", "Grace", "Hana"];
/// Number of positions that a turn is chosen from.
const LOOKS: u32 = 20;
/// The duties in each team of the team match.
const DUTIES: [Duty; 4] = [
    Duty::Strategist,
    Duty::Board(BoardNo(1)),
    Duty::Board(BoardNo(2)),
    Duty::Board(BoardNo(3)),
];
/// The host of the team match.
const HOST: &str = "Olga";
const STRANGER: &str = "stranger@example.org";

/// The kinds in the order in which they are listed.
pub fn kinds() -> Vec<&'static str> {
    let kinds = MailKind::ALL.into_iter().map(MailKind::key);
    kinds.chain(["together"]).collect()
}

fn browser() -> Visitor {
    Visitor {
        address: "192.0.2.7".to_owned(),
        agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0".to_owned(),
        ..Visitor::default()
    }
}

fn address(name: &str) -> String {
    format!("{}@example.org", name.to_lowercase())
}

fn form(name: &str) -> SignUp {
    SignUp {
        name: name.to_owned(),
        email: address(name),
        password: PASSWORD.to_owned(),
        zone: "Europe/Berlin".to_owned(),
        ..SignUp::default()
    }
}

/// The next turn of the computer.
fn next(state: &Match) -> Result<Command, String> {
    let mut looks = 0;
    let mut stop = move || {
        looks += 1;
        looks > LOOKS
    };
    let ply = state.turns.len();
    let turn = state.game.suggest(Level::Hard, ply as u64, &mut stop);
    Ok(Command::Play {
        ply,
        turn: turn.ok_or("no turn is left")?,
        offer: false,
    })
}

impl Preview {
    /// Lets people do all that mails tell of.
    pub async fn fill(&mut self) -> Result<(), String> {
        let mut players = Vec::new();
        for name in PLAYERS {
            self.app
                .create_account(form(name), false)
                .await
                .map_err(told)?;
            players.push(self.sign_in(name).await?);
        }
        self.wait(hours(2));
        self.accounts(&players).await?;
        for entry in GAMES {
            for variant in entry.card.variants {
                self.correspondence_match(entry, variant.key, &players)
                    .await?;
            }
        }
        self.several(&players).await?;
        self.over_days(&players).await
    }

    async fn sign_in(&self, name: &str) -> Result<Viewer, String> {
        let token = self.app.sign_in(name, PASSWORD, &browser()).await;
        self.viewer(&token.map_err(told)?).await
    }

    async fn viewer(&self, token: &str) -> Result<Viewer, String> {
        let viewer = self.app.viewer(token).await.map_err(told)?;
        viewer.ok_or_else(|| "the session has ended".to_owned())
    }

    /// Mails about accounts, and of a class.
    async fn accounts(&mut self, players: &[Viewer]) -> Result<(), String> {
        let app = self.app.clone();
        let (visitor, owner) = (browser(), &players[7]);
        app.sign_up(form("Ivan"), &visitor).await.map_err(told)?;
        self.pass(hours(1)).await?;
        let known = SignUp {
            email: address(&owner.name),
            ..form("Juna")
        };
        app.sign_up(known, &visitor).await.map_err(told)?;
        self.pass(hours(1)).await?;
        app.request_reset(&address(&owner.name), &visitor)
            .await
            .map_err(told)?;
        self.pass(hours(1)).await?;
        app.request_email(owner, "new@example.org", PASSWORD)
            .await
            .map_err(told)?;
        self.pass(hours(1)).await?;
        let owner = self.sign_in(&owner.name).await?;
        self.pass(hours(1)).await?;
        for is_removed in [false, true] {
            let setup = app.set_up_second_factor(&owner, "").map_err(told)?;
            let secret = Secret::try_from_base32(&setup.secret).map_err(told)?;
            let shown = Builder::new().with_secret(secret).build().map_err(told)?;
            let now = u64::try_from(app.now().0 / 1_000_000).unwrap_or(0);
            let code = shown.generate(now).to_string();
            let owner = self.sign_in(&owner.name).await?;
            let on = app.switch_second_factor_on(&owner, PASSWORD, &setup, &code, &visitor);
            let (token, codes) = on.await.map_err(told)?;
            self.pass(hours(1)).await?;
            if is_removed {
                app.remove_second_factor_by_name(&owner.name)
                    .await
                    .map_err(told)?;
            } else {
                let [first, second, ..] = &codes[..] else {
                    return Err("there are no recovery codes".to_owned());
                };
                let wanted = app.sign_in(&owner.name, PASSWORD, &visitor).await;
                if let Err(AppError::CodeWanted(proof)) = wanted {
                    let used = app.sign_in_with_code(&proof, first, &visitor).await;
                    used.map_err(told)?;
                }
                self.pass(hours(1)).await?;
                let owner = self.viewer(&token).await?;
                app.switch_second_factor_off(&owner, PASSWORD, second, &visitor)
                    .await
                    .map_err(told)?;
            }
            self.pass(hours(1)).await?;
        }
        let owner = self.sign_in(&owner.name).await?;
        app.set_password(&owner, PASSWORD, "eight quiet otters", &visitor)
            .await
            .map_err(told)?;
        self.pass(hours(1)).await?;
        let teacher = self.sign_in(&players[0].name).await?;
        let class = app.create_class(&teacher, "6b", true, "Milo\nNoor");
        let class = class.await.map_err(told)?;
        app.offer_class(&teacher, &class, &players[1].name)
            .await
            .map_err(told)?;
        self.pass(hours(1)).await
    }

    async fn challenge(
        &mut self,
        maker: &Viewer,
        entry: &Entry,
        variant: &str,
        opponent: Opponent,
    ) -> Result<MatchId, String> {
        let wanted = NewMatch {
            terms: Terms {
                game: entry.card.key.to_owned(),
                variant: variant.to_owned(),
                days: 3,
                open: false,
            },
            wish: None,
            opponent,
        };
        let id = self.app.create(maker, wanted).await.map_err(told)?;
        let about = match variant {
            "" => entry.card.key.to_owned(),
            variant => format!("{}-{variant}", entry.card.key),
        };
        self.matches.insert(id.clone(), about);
        Ok(id)
    }

    async fn act(&self, who: &Viewer, id: &MatchId, command: Command) -> Result<(), String> {
        let done = self.app.act(who, id, None, command, "").await;
        done.map(drop).map_err(told)
    }

    async fn join(&mut self, who: &Viewer, id: &MatchId) -> Result<(), String> {
        let join = Command::Join {
            wish: None,
            by_link: false,
        };
        self.act(who, id, join).await
    }

    /// The match, with the player to move and another who is not on their side.
    async fn stands<'a>(
        &self,
        players: &'a [Viewer],
        id: &MatchId,
    ) -> Result<(Arc<Match>, &'a Viewer, &'a Viewer), String> {
        let view = self
            .app
            .load_correspondence_match(Some(&players[0]), id, None)
            .await
            .map_err(told)?;
        let state = view.state;
        let find = |is_meant: &dyn Fn(&Viewer) -> bool| {
            let found = players.iter().find(|player| is_meant(player));
            found.ok_or("nobody is to move")
        };
        let mover = find(&|player| state.player_to_move() == Some(&player.id))?;
        let side = state.side_of(&mover.id);
        let other = find(&|player| {
            let theirs = state.side_of(&player.id);
            theirs.is_some() && theirs != side
        })?;
        Ok((state, mover, other))
    }

    async fn play(&self, players: &[Viewer], id: &MatchId, note: &str) -> Result<(), String> {
        let (state, mover, _) = self.stands(players, id).await?;
        let turn = next(&state)?;
        let done = self.app.act(mover, id, None, turn, note).await;
        done.map(drop).map_err(told)
    }

    /// A correspondence match with all that can happen, and others that come to nothing.
    async fn correspondence_match(
        &mut self,
        entry: &'static Entry,
        variant: &str,
        players: &[Viewer],
    ) -> Result<(), String> {
        let app = self.app.clone();
        let seats = entry.setup(variant).map_or(0, |game| game.seats().len());
        let (maker, ben) = (&players[0], &players[1]);
        let by_mail = Opponent::ByMail(STRANGER.to_owned());
        let id = self.challenge(maker, entry, variant, by_mail).await?;
        self.pass(hours(1)).await?;
        let link = invitation_link(&app.key, &id, STRANGER);
        let (_, invited) = link.rsplit_once('/').unwrap_or_default();
        app.decline_invitation(None, &id, invited)
            .await
            .map_err(told)?;
        self.pass(hours(1)).await?;
        let named = || Opponent::Named(ben.name.clone());
        let id = self.challenge(maker, entry, variant, named()).await?;
        self.pass(hours(1)).await?;
        self.act(ben, &id, Command::Refuse).await?;
        self.pass(hours(1)).await?;

        let id = self.challenge(maker, entry, variant, named()).await?;
        for other in &players[2..seats.max(2)] {
            app.invite(maker, &id, &other.name).await.map_err(told)?;
        }
        self.pass(hours(1)).await?;
        if seats > 2 {
            self.join(ben, &id).await?;
            self.pass(hours(1)).await?;
            self.act(ben, &id, Command::Leave).await?;
            self.pass(hours(1)).await?;
            app.invite(maker, &id, &ben.name).await.map_err(told)?;
            self.pass(hours(1)).await?;
        }
        for other in &players[1..seats] {
            self.join(other, &id).await?;
        }
        self.pass(hours(1)).await?;
        for note in ["", "", "", "Good luck, and have fun!\nI am away next week."] {
            self.play(players, &id, note).await?;
            self.pass(hours(1)).await?;
        }
        let (state, mover, other) = self.stands(players, &id).await?;
        let rule = Command::Play {
            ply: state.turns.len(),
            turn: "rule N written \"Knights bow before they leap.\"".to_owned(),
            offer: false,
        };
        // Only where rules change.
        if self.act(mover, &id, rule).await.is_ok() {
            self.pass(hours(1)).await?;
            let accept = Command::Play {
                ply: state.turns.len() + 1,
                turn: "accept".to_owned(),
                offer: false,
            };
            self.act(other, &id, accept).await?;
            self.pass(hours(1)).await?;
        }
        let (_, mover, other) = self.stands(players, &id).await?;
        self.act(other, &id, Command::Offer).await?;
        self.pass(hours(1)).await?;
        self.act(mover, &id, Command::Decline).await?;
        self.pass(hours(1)).await?;
        app.say(other, &id, "Nice to play you again!")
            .await
            .map_err(told)?;
        self.pass(hours(4)).await?;
        self.pass(hours(54)).await?;
        self.pass(hours(8)).await?;
        self.act(mover, &id, Command::Resign).await?;
        self.pass(hours(1)).await
    }

    /// Turns in several matches, which are told in one mail.
    async fn several(&mut self, players: &[Viewer]) -> Result<(), String> {
        let (maker, ben) = (&players[0], &players[1]);
        let mut ids = Vec::new();
        for entry in GAMES {
            let opponent = Opponent::Named(ben.name.clone());
            let id = self.challenge(maker, entry, "", opponent).await?;
            self.join(ben, &id).await?;
            self.pass(hours(1)).await?;
            ids.push(id);
        }
        for id in &ids {
            self.play(players, id, "").await?;
        }
        self.pass(hours(1)).await
    }

    async fn act_in_team(
        &self,
        who: &TeamAccess,
        id: &MatchId,
        command: team::Command,
    ) -> Result<(), String> {
        let done = self.app.act_in_team(who, id, command).await;
        done.map(drop).map_err(told)
    }

    async fn play_in_team(
        &self,
        who: &TeamAccess,
        id: &MatchId,
        board: u8,
        turn: &str,
    ) -> Result<(), String> {
        let view = self.app.load_team_match(who, id, None).await;
        let state = view.map_err(told)?.state.clone();
        let board = BoardNo(board);
        let seen = state.boards.board(board).map_or(0, Board::version);
        let command = team::Command::Play {
            board,
            seen,
            turn: turn.to_owned(),
            offer: false,
        };
        self.act_in_team(who, id, command).await
    }

    /// A team match over days.
    async fn over_days(&mut self, players: &[Viewer]) -> Result<(), String> {
        let app = self.app.clone();
        app.create_account(form(HOST), false).await.map_err(told)?;
        let account = self.sign_in(HOST).await?;
        let terms = team::event::Terms::of(Size::Small);
        let id = app.create_team(&account, "Chess club", terms).await;
        let id = id.map_err(told)?;
        self.matches.insert(id.clone(), "team".to_owned());
        let host = TeamAccess {
            account: Some(account),
            ..TeamAccess::default()
        };
        let ada = TeamAccess {
            account: Some(players[0].clone()),
            ..TeamAccess::default()
        };
        for to in [STRANGER, &players[0].name] {
            app.invite_to_team(&host, &id, to).await.map_err(told)?;
            self.pass(hours(1)).await?;
        }
        app.decline_team(&ada, &id).await.map_err(told)?;
        self.pass(hours(1)).await?;
        let link = app.team_join_link(&id, 0);
        let mut people = Vec::new();
        for (place, (number, player)) in (1..).zip(players).enumerate() {
            let visit = TeamAccess {
                account: Some(player.clone()),
                link: link.rsplit('/').next().map(str::to_owned),
                ..TeamAccess::default()
            };
            let side = if place < 4 { Side::First } else { Side::Second };
            let join = team::Command::Join(MemberId(0), Some(side));
            self.act_in_team(&visit, &id, join).await?;
            let duty = DUTIES[place % DUTIES.len()];
            let arrange = team::Command::Arrange(side, duty, Some(MemberId(number)));
            self.act_in_team(&host, &id, arrange).await?;
            people.push(visit);
        }
        let start = team::Command::Start { short: false };
        self.act_in_team(&host, &id, start).await?;
        self.pass(hours(1)).await?;
        self.play_in_team(&people[1], &id, 1, "e2e4").await?;
        self.pass(hours(1)).await?;
        let rule = "rule N NW \"Knights also step one square straight.\"";
        self.play_in_team(&people[5], &id, 1, rule).await?;
        self.pass(hours(1)).await?;
        self.transfer(&people[0], &id).await?;
        self.play_in_team(&people[2], &id, 2, "d2d4").await?;
        self.pass(hours(1)).await?;
        let proposal = "rule P written \"Pawns may wait.\"";
        self.play_in_team(&people[6], &id, 2, proposal).await?;
        self.pass(hours(1)).await?;
        let dispute = team::Command::Dispute(BoardNo(2));
        self.act_in_team(&people[2], &id, dispute).await?;
        self.pass(hours(4)).await?;
        let decide = team::Command::Decide(BoardNo(2), false);
        self.act_in_team(&host, &id, decide).await?;
        self.pass(hours(4)).await?;
        let said = "Ada, may I have your bishop?";
        app.say_in_team(&people[1], &id, 1, said)
            .await
            .map_err(told)?;
        self.pass(hours(4)).await?;
        self.pass(hours(25)).await?;
        for (index, board) in [(1, 1), (6, 2), (3, 3)] {
            let resign = team::Command::Resign(BoardNo(board));
            self.act_in_team(&people[index], &id, resign).await?;
            self.pass(hours(4)).await?;
        }
        Ok(())
    }

    async fn transfer(&self, strategist: &TeamAccess, id: &MatchId) -> Result<(), String> {
        let view = self.app.load_team_match(strategist, id, None).await;
        let view = view.map_err(told)?;
        let boards = &view.state.boards;
        let transfers = boards.transfers(Side::First);
        let transfer = transfers.first().ok_or("nothing can be transferred")?;
        let piece = boards.piece(transfer.from, transfer.square);
        let command = team::Command::Transfer {
            transfer: *transfer,
            kind: piece.ok_or("there is no piece")?.kind,
        };
        self.act_in_team(strategist, id, command).await
    }
}
