use serde_json::json;

use crate::served::{Served, read, until};

#[tokio::test]
async fn a_session_is_made_changed_trashed_and_purged() {
    let served = Served::start().await;
    let made =
        served.ask("POST", "/api/v1/sessions", Some(&served.new_session("a/b \u{fc}"))).await;
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.body["id"].as_str().unwrap().to_owned();
    assert_eq!(made.headers["location"], format!("/api/v1/sessions/{id}"));
    assert_eq!(made.headers["etag"], format!("\"{}\"", made.body["version"]));

    // Until its creation has ended, its version grows.
    let path = format!("/api/v1/sessions/{id}");
    let version = until("the end of the creation", async || {
        let shown = served.ask("GET", &path, None).await;
        (shown.body["state"] != "creating").then(|| shown.body["version"].as_u64().unwrap())
    })
    .await;

    for name in [id.clone(), id[..6].to_owned(), "title:a%2Fb%20%C3%BC".to_owned()] {
        let shown = served.ask("GET", &format!("/api/v1/sessions/{name}"), None).await;
        assert_eq!((shown.status.as_u16(), &shown.body["id"]), (200, &json!(id)), "{name}");
    }

    let change = |title: &str, seen: u64| {
        let mut request = served.request("PATCH", &path, Some(&json!({ "title": title })));
        request.headers_mut().insert("if-match", format!("\"{seen}\"").parse().unwrap());
        request
    };
    let stale = read(served.send(change("x", version + 7)).await).await;
    assert_eq!((stale.status.as_u16(), stale.code()), (412, "version_conflict"));
    let changed = read(served.send(change("new", version)).await).await;
    assert_eq!((changed.status.as_u16(), &changed.body["title"]), (200, &json!("new")));

    let purged = served.ask("POST", &format!("{path}/purge"), None).await;
    assert_eq!((purged.status.as_u16(), purged.code()), (409, "state_conflict"));
    let trashed = served.ask("DELETE", &path, None).await;
    assert_eq!(trashed.status, 202, "{trashed:?}");
    let operation = format!("/api/v1/operations/{}", trashed.body["id"].as_str().unwrap());
    until("the trash", async || {
        (served.ask("GET", &operation, None).await.body["state"] == "done").then_some(())
    })
    .await;
    let listed = |path: &'static str| async {
        served.ask("GET", path, None).await.body.as_array().unwrap().len()
    };
    assert_eq!((listed("/api/v1/sessions").await, listed("/api/v1/trash").await), (0, 1));
    assert_eq!(served.ask("POST", &format!("{path}/purge"), None).await.status, 202);
    until("the purge", async || (served.ask("GET", &path, None).await.status == 404).then_some(()))
        .await;
    served.end().await;
}

#[tokio::test]
async fn what_is_wrong_names_its_field_and_nothing_is_made() {
    let served = Served::start().await;
    let folder = served.folder.to_str().unwrap().to_owned();
    for (body, status, code, field) in [
        (json!({ "repo": folder, "titel": "x" }), 400, "bad_request", "titel"),
        (json!({ "repo": 7 }), 400, "bad_request", "repo"),
        (json!({ "repo": folder, "title": "\u{1b}[2J" }), 422, "title_invalid", "title"),
        (json!({ "repo": "/no/such/folder" }), 409, "path_missing", "repo"),
        (
            json!({ "repo": folder, "command": ["no-such-program-here"] }),
            409,
            "program_missing",
            "command",
        ),
    ] {
        let answer = served.ask("POST", "/api/v1/sessions", Some(&body)).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{answer:?}");
        assert_eq!(answer.body["field"], field, "{answer:?}");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
    }
    assert_eq!(served.ask("GET", "/api/v1/sessions", None).await.body, json!([]));
    served.end().await;
}

#[tokio::test]
async fn a_login_code_works_once_and_its_device_can_be_revoked() {
    let served = Served::start().await;
    let code = served.ask("POST", "/api/v1/login-codes", None).await.body["code"].clone();
    let login = json!({ "code": code, "device": "test browser" });
    let login = || served.plain("POST", "/api/v1/login", Some(&login));
    let first = read(served.send(login()).await).await;
    assert_eq!(first.status, 200, "{first:?}");
    let again = read(served.send(login()).await).await;
    assert_eq!((again.status.as_u16(), again.code()), (401, "login_code_wrong"));

    let as_device = async || {
        let mut request = served.plain("GET", "/api/v1/devices", None);
        let token = first.body["token"].as_str().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        read(served.send(request).await).await
    };
    let listed = as_device().await;
    assert_eq!(listed.status, 200);
    let device = &listed.body["devices"][0];
    assert_eq!((&device["name"], &device["current"]), (&json!("test browser"), &json!(true)));
    let path = format!("/api/v1/devices/{}", device["id"].as_str().unwrap());
    assert_eq!(served.ask("DELETE", &path, None).await.status, 204);
    assert_eq!(as_device().await.code(), "token_wrong");
    served.end().await;
}
