use crate::app::AppError;
use crate::web::answer::Answer;
use crate::web::fields::Fields;
use crate::web::submission::Submission;
use crate::web::team::commands::after;
use crate::web::team::context::TeamRequest;
use actix_web::web::Path;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::flexichess::Square;
use perplex_matches::team::Kind;
use perplex_matches::team::event::MemberId;
use perplex_matches::team::phrase::{Blanks, Phrase};

pub async fn say(
    request: TeamRequest,
    post: Submission,
    path: Path<(String, i32)>,
    query: Fields,
) -> Answer {
    let (_, channel) = path.into_inner();
    let (app, fields) = (&request.app, &post.fields);
    let result = if fields.has("phrase") {
        let phrase = Phrase::find(fields.get("phrase")).ok_or(AppError::NotFound)?;
        let mut square = fields.get("square").chars();
        let blanks = Blanks {
            board: fields.get("on").parse().ok().map(BoardNo),
            square: square
                .next()
                .zip(square.next())
                .and_then(|(file, rank)| Square::read(file, rank)),
            piece: fields
                .get("piece")
                .chars()
                .next()
                .and_then(Kind::from_letter),
        };
        app.say_phrase_in_team(&request.access, &request.id, channel, phrase, blanks)
            .await
    } else {
        app.say_in_team(&request.access, &request.id, channel, fields.get("text"))
            .await
    };
    // The channel of the message stays open.
    let query = query.replaced("channel", channel.to_string());
    after(&request, &post.fields, &query, result).await
}

pub async fn remove_message(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let number = post.fields.get("message").parse().unwrap_or(0);
    let app = &request.app;
    let result = app
        .remove_message_in_team(&request.access, &request.id, number)
        .await;
    after(&request, &post.fields, &query, result).await
}

pub async fn open_channel(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let people = post
        .fields
        .all("with")
        .filter_map(|id| id.parse().ok().map(MemberId))
        .collect();
    let app = &request.app;
    match app.open_channel(&request.access, &request.id, people).await {
        Ok(number) => {
            let query = query.replaced("channel", number.to_string());
            after(&request, &post.fields, &query, Ok(())).await
        }
        Err(error) => after(&request, &post.fields, &query, Err(error)).await,
    }
}
