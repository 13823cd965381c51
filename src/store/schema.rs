//! The tables as diesel sees them (`migrations/` makes them), and how our own types stand in
//! their columns.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Text;

use perplex_games::rules::Side;

diesel::table! {
    accounts (id) {
        id -> Text,
        name -> Text,
        name_key -> Nullable<Text>,
        email -> Nullable<Text>,
        email_key -> Nullable<Text>,
        verified_at -> Nullable<BigInt>,
        password -> Text,
        zone -> Text,
        confirm_turns -> Bool,
        coordinates -> Bool,
        numbered -> Bool,
        theme -> Text,
        mail_off -> Text,
        host -> Bool,
        created_at -> BigInt,
        deleted_at -> Nullable<BigInt>,
        waiting_mail_at -> Nullable<BigInt>,
        helped -> Text,
        class_id -> Nullable<Text>,
    }
}

diesel::table! {
    sessions (id) {
        id -> Text,
        token_hash -> Text,
        account_id -> Text,
        created_at -> BigInt,
        seen_at -> BigInt,
        expires_at -> BigInt,
        agent -> Text,
        address -> Text,
        renews -> Bool,
    }
}

diesel::table! {
    matches (id) {
        id -> Text,
        game -> Text,
        variant -> Text,
        days -> Integer,
        phase -> Text,
        listed -> Bool,
        head -> Integer,
        ply -> Integer,
        talk_head -> Integer,
        created_by -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
        to_move -> Nullable<Text>,
        deadline -> Nullable<BigInt>,
        remind_at -> Nullable<BigInt>,
        winner -> Nullable<Text>,
        reason -> Nullable<Text>,
        names -> Integer,
    }
}

diesel::table! {
    players (match_id, account_id) {
        match_id -> Text,
        account_id -> Text,
        role -> Text,
        seat -> Nullable<Integer>,
        seen_talk -> Integer,
    }
}

diesel::table! {
    events (match_id, number) {
        match_id -> Text,
        number -> Integer,
        at -> BigInt,
        by_account -> Nullable<Text>,
        what -> Text,
    }
}

diesel::table! {
    talk (match_id, number) {
        match_id -> Text,
        number -> Integer,
        at -> BigInt,
        by_account -> Text,
        text -> Text,
        event -> Nullable<Integer>,
    }
}

diesel::table! {
    outbox (id) {
        id -> Text,
        kind -> Text,
        account_id -> Nullable<Text>,
        address -> Text,
        match_id -> Nullable<Text>,
        event -> Nullable<Integer>,
        payload -> Text,
        created_at -> BigInt,
        due_at -> BigInt,
        tries -> Integer,
        leased_until -> Nullable<BigInt>,
        sent_at -> Nullable<BigInt>,
        dead_at -> Nullable<BigInt>,
        error -> Nullable<Text>,
        message_id -> Text,
        team_id -> Nullable<Text>,
    }
}

diesel::table! {
    team_matches (id) {
        id -> Text,
        title -> Text,
        host -> Text,
        size -> Text,
        phase -> Text,
        listed -> Bool,
        head -> Integer,
        created_at -> BigInt,
        updated_at -> BigInt,
        deadline -> Nullable<BigInt>,
        mail_at -> Nullable<BigInt>,
        winner -> Nullable<Text>,
        class_id -> Nullable<Text>,
        code -> Nullable<Text>,
    }
}

diesel::table! {
    team_invitations (account_id, match_id) {
        match_id -> Text,
        account_id -> Text,
    }
}

diesel::table! {
    team_events (match_id, number) {
        match_id -> Text,
        number -> Integer,
        at -> BigInt,
        by_actor -> Text,
        what -> Text,
    }
}

diesel::table! {
    members (match_id, number) {
        match_id -> Text,
        number -> Integer,
        account_id -> Nullable<Text>,
        name -> Text,
        active -> Bool,
        seen_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    channels (match_id, number) {
        match_id -> Text,
        number -> Integer,
        team -> Nullable<Text>,
        head -> Integer,
    }
}

diesel::table! {
    listeners (match_id, channel, member) {
        match_id -> Text,
        channel -> Integer,
        member -> Integer,
        admitted -> Bool,
        seen -> Integer,
    }
}

diesel::table! {
    messages (match_id, channel, number) {
        match_id -> Text,
        channel -> Integer,
        number -> Integer,
        at -> BigInt,
        by_actor -> Text,
        sealed -> Text,
    }
}

diesel::table! {
    classes (id) {
        id -> Text,
        name -> Text,
        roster -> Bool,
        keep_days -> Integer,
        created_at -> BigInt,
        used_at -> BigInt,
        archived_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    teachers (account_id, class_id) {
        class_id -> Text,
        account_id -> Text,
        owner -> Bool,
    }
}

diesel::table! {
    pupils (account_id) {
        account_id -> Text,
        name -> Text,
        phrase -> Text,
        removed_at -> Nullable<BigInt>,
    }
}

diesel::joinable!(teachers -> classes (class_id));
diesel::joinable!(teachers -> accounts (account_id));
diesel::joinable!(pupils -> accounts (account_id));
diesel::allow_tables_to_appear_in_same_query!(teachers, classes);
diesel::allow_tables_to_appear_in_same_query!(teachers, accounts, team_matches);
diesel::joinable!(members -> team_matches (match_id));
diesel::joinable!(team_invitations -> team_matches (match_id));
diesel::allow_tables_to_appear_in_same_query!(team_invitations, team_matches);
diesel::allow_tables_to_appear_in_same_query!(members, team_matches);
diesel::joinable!(team_matches -> accounts (host));
diesel::joinable!(sessions -> accounts (account_id));
diesel::joinable!(players -> matches (match_id));
diesel::allow_tables_to_appear_in_same_query!(accounts, sessions, matches, pupils);
diesel::allow_tables_to_appear_in_same_query!(players, matches);
diesel::allow_columns_to_appear_in_same_group_by_clause!(
    matches::game,
    matches::variant,
    matches::winner,
    players::seat,
);

/// An enumeration stands in a column as one of its words.
macro_rules! word_column {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, AsExpression, FromSqlRow)]
        #[diesel(sql_type = Text)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// The word that stands for it in the database.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl<DB: Backend> ToSql<Text, DB> for $name
        where
            str: ToSql<Text, DB>,
        {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
                <str as ToSql<Text, DB>>::to_sql(self.word(), out)
            }
        }

        impl<DB: Backend> FromSql<Text, DB> for $name
        where
            String: FromSql<Text, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
                match String::from_sql(bytes)?.as_str() {
                    $($word => Ok(Self::$variant),)*
                    word => Err(format!(
                        concat!("{:?} is not a ", stringify!($name)), word
                    ).into()),
                }
            }
        }
    };
}

word_column! {
    /// How far a match has come.
    Phase {
        /// People are still wanted.
        Gathering = "gathering",
        /// It is being played.
        Playing = "playing",
        /// It has ended, or was called off.
        Over = "over",
    }
}

word_column! {
    /// What somebody is to a match.
    Role {
        /// Challenged, and has not answered.
        Invited = "invited",
        /// Waits for the match to begin.
        Joined = "joined",
        /// Plays.
        Seated = "seated",
    }
}

word_column! {
    /// Who won a match.
    Winner {
        /// The side that played first.
        First = "first",
        /// The other side.
        Second = "second",
        /// Nobody: it was a draw.
        Draw = "draw",
    }
}

/// The winner of an outcome by the rules, where nobody is a draw.
impl From<Option<Side>> for Winner {
    fn from(side: Option<Side>) -> Self {
        match side {
            Some(Side::First) => Self::First,
            Some(Side::Second) => Self::Second,
            None => Self::Draw,
        }
    }
}
