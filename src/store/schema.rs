//! The tables as diesel sees them (`migrations/` makes them), and how our own types are stored in their columns.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::Text;
use diesel::sqlite::Sqlite;

use super::mail_settings::MailSettings;
use super::preferences::Preferences;

use perplex_games::rules::Side;

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
    own_cards (id) {
        id -> Text,
        class_id -> Nullable<Text>,
        account_id -> Nullable<Text>,
        match_id -> Nullable<Text>,
        name -> Text,
        turn -> Text,
        made_at -> BigInt,
    }
}

diesel::table! {
    accounts (id) {
        id -> Text,
        name -> Text,
        name_key -> Nullable<Text>,
        email -> Nullable<Text>,
        email_key -> Nullable<Text>,
        verified_at -> Nullable<BigInt>,
        password -> Text,
        preferences -> Text,
        mail -> Text,
        is_admin -> Bool,
        created_at -> BigInt,
        deleted_at -> Nullable<BigInt>,
        waiting_mail_at -> Nullable<BigInt>,
        help_seen -> Text,
        class_id -> Nullable<Text>,
        guest_since -> Nullable<BigInt>,
        mail_refused -> Nullable<Text>,
    }
}

diesel::table! {
    former_names (name_hash) {
        name_hash -> Text,
        account_id -> Nullable<Text>,
        until -> BigInt,
    }
}

diesel::table! {
    old_addresses (id) {
        id -> Text,
        account_id -> Text,
        email -> Text,
        asked_at -> BigInt,
    }
}

diesel::table! {
    done_once (number_hash) {
        number_hash -> Text,
        leads_to -> Nullable<Text>,
        at -> BigInt,
    }
}

diesel::table! {
    heartbeat (id) {
        id -> Integer,
        beat_at -> BigInt,
        jumped_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    outages (until) {
        until -> BigInt,
        since -> BigInt,
        settled -> Bool,
    }
}

diesel::table! {
    invited_addresses (match_id, email_key) {
        match_id -> Text,
        email_key -> Text,
        email -> Text,
        sent_at -> BigInt,
        declined -> Bool,
        refused -> Bool,
    }
}

diesel::table! {
    unwanted_mail (address) {
        address -> Text,
    }
}

diesel::table! {
    sign_up_links (id) {
        id -> Text,
        good_until -> BigInt,
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
        proved_at -> BigInt,
        match_id -> Nullable<Text>,
    }
}

diesel::table! {
    second_factors (account_id) {
        account_id -> Text,
        secret -> Text,
        last_step -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    recovery_codes (account_id, hash) {
        account_id -> Text,
        hash -> Text,
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
    class_offers (account_id, class_id) {
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

diesel::table! {
    matches (id) {
        id -> Text,
        kind -> Text,
        title -> Text,
        game -> Text,
        variant -> Text,
        days -> Integer,
        phase -> Text,
        listed -> Bool,
        head -> Integer,
        talk_head -> Integer,
        names -> Integer,
        ply -> Integer,
        created_by -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
        to_move -> Nullable<Text>,
        deadline -> Nullable<BigInt>,
        look_at -> Nullable<BigInt>,
        winner -> Nullable<Text>,
        reason -> Nullable<Text>,
        class_id -> Nullable<Text>,
        code -> Nullable<Text>,
        door -> Integer,
        latecomers -> Bool,
        links -> Integer,
    }
}

diesel::table! {
    knocks (id) {
        id -> Text,
        match_id -> Text,
        account_id -> Nullable<Text>,
        browser -> Text,
        at -> BigInt,
        let_in -> Nullable<Bool>,
        network -> Text,
    }
}

diesel::table! {
    taken_names (match_id, account_id) {
        match_id -> Text,
        account_id -> Text,
        browser -> Text,
    }
}

diesel::table! {
    left_names (match_id, account_id, browser) {
        match_id -> Text,
        account_id -> Text,
        browser -> Text,
    }
}

diesel::table! {
    events (match_id, number) {
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
        seat -> Nullable<Integer>,
        seen_at -> Nullable<BigInt>,
        touched_at -> Nullable<BigInt>,
        news_seen -> Integer,
        news_kept -> Text,
        news_mailed -> Integer,
        talk_seen -> Integer,
        hand_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    muted_matches (match_id, account_id) {
        match_id -> Text,
        account_id -> Text,
    }
}

diesel::table! {
    invitations (account_id, match_id) {
        match_id -> Text,
        account_id -> Text,
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
        named -> Integer,
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
        attempts -> Integer,
        leased_until -> Nullable<BigInt>,
        sent_at -> Nullable<BigInt>,
        dead_at -> Nullable<BigInt>,
        error -> Nullable<Text>,
        message_id -> Text,
        urgency -> Integer,
    }
}

diesel::table! {
    host_news (match_id, account_id) {
        match_id -> Text,
        account_id -> Text,
        seen -> Integer,
        kept -> Text,
    }
}

diesel::joinable!(teachers -> classes (class_id));
diesel::joinable!(teachers -> accounts (account_id));
diesel::joinable!(class_offers -> classes (class_id));
diesel::joinable!(class_offers -> accounts (account_id));
diesel::joinable!(pupils -> accounts (account_id));
diesel::joinable!(sessions -> accounts (account_id));
diesel::joinable!(members -> matches (match_id));
diesel::joinable!(channels -> matches (match_id));
diesel::joinable!(invitations -> matches (match_id));
diesel::joinable!(invited_addresses -> matches (match_id));
diesel::joinable!(matches -> accounts (created_by));
diesel::allow_tables_to_appear_in_same_query!(
    accounts,
    channels,
    class_offers,
    classes,
    invitations,
    invited_addresses,
    matches,
    members,
    pupils,
    sessions,
    teachers
);
diesel::allow_columns_to_appear_in_same_group_by_clause!(
    matches::game,
    matches::variant,
    matches::winner,
    members::seat,
);

/// A value that is stored as JSON.
macro_rules! json_column {
    ($type:ty) => {
        impl ToSql<Text, Sqlite> for $type {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                out.set_value(serde_json::to_string(self)?);
                Ok(IsNull::No)
            }
        }

        impl ToSql<Text, Pg> for $type {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                serde_json::to_writer(out, self)?;
                Ok(IsNull::No)
            }
        }

        impl<DB: Backend> FromSql<Text, DB> for $type
        where
            String: FromSql<Text, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
                Ok(serde_json::from_str(&String::from_sql(bytes)?)?)
            }
        }
    };
}

json_column!(Preferences);
json_column!(MailSettings);

/// An enumeration is stored as one of its words.
macro_rules! word_column {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, AsExpression, FromSqlRow)]
        #[diesel(sql_type = Text)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
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
    Phase {
        Gathering = "gathering",
        Playing = "playing",
        Over = "over",
    }
}

impl Phase {
    pub const ALL: &[Self] = &[Self::Gathering, Self::Playing, Self::Over];
}

word_column! {
    MatchKind {
        Correspondence = "correspondence",
        Team = "team",
    }
}

word_column! {
    Winner {
        First = "first",
        Second = "second",
        Draw = "draw",
    }
}

/// The winner of an outcome by the rules, where `None` is a draw.
impl From<Option<Side>> for Winner {
    fn from(side: Option<Side>) -> Self {
        match side {
            Some(Side::First) => Self::First,
            Some(Side::Second) => Self::Second,
            None => Self::Draw,
        }
    }
}
