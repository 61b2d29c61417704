use qd_api::{Input, NewSession};
use qd_client::Client;
use qd_core::Code;
use serde_json::json;

use crate::fake::{Answer, Fake};

#[tokio::test]
async fn nothing_that_listens_is_no_daemon() {
    let home = tempfile::tempdir().unwrap();
    let client = Client::of_home(home.path());
    assert_eq!(client.health().await.unwrap_err().code, Code::NoDaemon);
    // A socket that a daemon left behind.
    drop(std::os::unix::net::UnixListener::bind(home.path().join("qd.sock")).unwrap());
    assert_eq!(client.sessions().await.unwrap_err().code, Code::NoDaemon);
}

#[tokio::test]
async fn a_post_that_lost_its_connection_is_sent_again_with_the_same_key() {
    let home = tempfile::tempdir().unwrap();
    let fake = Fake::start(home.path(), |_, count| match count {
        0 => Answer::Hang,
        _ => Answer::Json(200, json!({"code": "c0de"})),
    });
    let client = Client::of_home(home.path());
    assert_eq!(client.login_code().await.unwrap().code, "c0de");
    client.login_code().await.unwrap();
    let seen = fake.seen();
    assert_eq!(seen.len(), 3);
    assert!(seen[0].key.is_some());
    assert_eq!(seen[0].key, seen[1].key);
    assert_ne!(seen[1].key, seen[2].key);
}

#[tokio::test]
async fn a_daemon_that_never_answers_is_given_up() {
    let home = tempfile::tempdir().unwrap();
    let fake = Fake::start(home.path(), |_, _| Answer::Hang);
    let problem = Client::of_home(home.path()).login_code().await.unwrap_err();
    assert_eq!(problem.code, Code::NoDaemon);
    assert_eq!(fake.seen().len(), 3);
}

#[tokio::test]
async fn a_problem_keeps_its_code_its_sentence_and_its_hint() {
    let home = tempfile::tempdir().unwrap();
    let _fake = Fake::start(home.path(), |_, _| {
        Answer::Json(
            409,
            json!({"type": "about:blank", "title": "Several fit.", "status": 409,
                   "code": "ambiguous_id", "hint": "kabc, kabd"}),
        )
    });
    let problem = Client::of_home(home.path()).session("ka").await.unwrap_err();
    assert_eq!(problem.code, Code::AmbiguousId);
    assert_eq!((problem.message.as_str(), problem.hint.as_str()), ("Several fit.", "kabc, kabd"));
}

#[tokio::test]
async fn ids_and_paths_stay_one_piece_of_the_address() {
    let home = tempfile::tempdir().unwrap();
    let fake = Fake::start(home.path(), |_, _| Answer::Json(200, json!({})));
    let client = Client::of_home(home.path());
    client
        .send("title:a/b ?", &Input { text: Some("x".into()), ..Input::default() })
        .await
        .unwrap();
    let _ = client.file_patch("k", "a&whole=1", Some("b"), false).await;
    let _ = client.create(&NewSession { repo: "/r".into(), ..NewSession::default() }).await;
    let seen = fake.seen();
    assert_eq!(seen[0].body, r#"{"text":"x","data":null,"enter":false,"paste":false}"#);
    let lines: Vec<String> = seen.into_iter().map(|seen| seen.line).collect();
    assert_eq!(
        lines,
        [
            "POST /api/v1/sessions/title%3Aa%2Fb%20%3F/send",
            "GET /api/v1/sessions/k/diff/file?path=a%26whole%3D1&old_path=b&whole=false",
            "POST /api/v1/sessions",
        ]
    );
}

#[tokio::test]
async fn a_log_says_where_it_begins() {
    let home = tempfile::tempdir().unwrap();
    let _fake = Fake::start(home.path(), |_, _| Answer::Log(42, vec![0, 255, 10]));
    let part = Client::of_home(home.path()).logs("k", None).await.unwrap();
    assert_eq!((part.seq, part.bytes.as_ref()), (42, &[0, 255, 10][..]));
}

#[tokio::test]
async fn the_kernel_names_the_daemon() {
    let home = tempfile::tempdir().unwrap();
    let _fake = Fake::start(home.path(), |_, _| Answer::Hang);
    let pid = Client::of_home(home.path()).daemon_pid().await.unwrap();
    assert_eq!(pid, i32::try_from(std::process::id()).ok());
}
