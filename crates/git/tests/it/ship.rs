use std::path::Path;
use std::time::Duration;

use qd_git::{
    Checkout, CommitReport, Git, GitConfig, GitError, Oid, PushReport, Pushing, RepoPath, Timeouts,
    What,
};

use crate::fixture::{World, never, write};
use crate::process::wait_until;
use crate::script::program;

async fn setup(world: &mut World) -> Checkout {
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "agent/a1").await;
    writer.checkout(&path).unwrap()
}

async fn commit(checkout: &Checkout, message: &str, what: &What) -> Result<CommitReport, GitError> {
    checkout.commit_work(message, what, |_| {}, never()).await
}

async fn push(world: &World, checkout: &Checkout) -> Result<PushReport, GitError> {
    let repo = world.repo().await;
    let tip = checkout.commit("HEAD").await.unwrap().unwrap();
    let pushing = Pushing { branch: "agent/a1".into(), tip };
    repo.push(checkout, &pushing, |_| {}, never()).await
}

fn files(paths: &[&str]) -> What {
    What::Files(paths.iter().map(|path| RepoPath::from_bytes(*path)).collect())
}

fn hook(world: &World, name: &str, script: &str) {
    program(&world.main().join(".git/hooks").join(name), &format!("#!/bin/sh\n{script}\n"));
}

fn status(world: &World, at: &Path) -> Vec<String> {
    let said = world.run(at, &["status", "--porcelain", "--no-renames"]);
    said.lines().map(str::to_owned).collect()
}

fn changed(world: &World, at: &Path) -> Vec<String> {
    let said = world.run(
        at,
        &["-c", "core.quotePath=false", "show", "--name-status", "--no-renames", "--format="],
    );
    said.lines().map(|line| line.replace('\t', " ")).collect()
}

#[tokio::test]
async fn all_chosen_or_staged_files_are_committed_and_nothing_else_is_touched() {
    for mut world in [World::new(), World::hostile()] {
        let checkout = setup(&mut world).await;
        let top = checkout.top().to_path_buf();
        write(top.join("src/old/f.ts"), (0..20).map(|n| format!("{n}\n")).collect::<String>());
        commit(&checkout, "a", &What::All).await.unwrap();
        assert_eq!(changed(&world, &top), ["A src/old/f.ts"]);

        // A renamed file out of several changes; the other one stays staged.
        world.run(&top, &["mv", "src/old", "src/new"]);
        write(top.join("other.txt"), "z\n");
        world.run(&top, &["add", "other.txt"]);
        write(top.join("Aufträge Q3/B1 — Plan.md"), "hi\n");
        let chosen = files(&["src/old/f.ts", "src/new/f.ts"]);
        let made = commit(&checkout, "#12 move\n\nwhy\n# kept\n", &chosen).await.unwrap();
        assert_eq!(made.note, None);
        assert_eq!(changed(&world, &top), ["A src/new/f.ts", "D src/old/f.ts"]);
        assert_eq!(world.run(&top, &["log", "-1", "--format=%B"]), "#12 move\n\nwhy\n# kept");
        assert_eq!(status(&world, &top)[0], "A  other.txt");
        commit(&checkout, "plan", &files(&["Aufträge Q3/B1 — Plan.md"])).await.unwrap();
        assert_eq!(changed(&world, &top), ["A Aufträge Q3/B1 — Plan.md"]);
        assert_eq!(status(&world, &top), ["A  other.txt"]);

        // Names are names, not patterns.
        write(top.join("*"), "star\n");
        write(top.join("-x"), "x\n");
        commit(&checkout, "odd", &files(&["*", "-x"])).await.unwrap();
        assert_eq!(changed(&world, &top), ["A *", "A -x"]);

        // Half staged: only that half, and the rest stays as it is.
        write(top.join("f.txt"), "staged\n");
        world.run(&top, &["add", "f.txt"]);
        write(top.join("f.txt"), "and more\n");
        commit(&checkout, "staged", &What::Staged).await.unwrap();
        assert_eq!(changed(&world, &top), ["M f.txt", "A other.txt"]);
        assert_eq!(world.run(&top, &["show", "HEAD:f.txt"]), "staged");
        assert_eq!(status(&world, &top), [" M f.txt"]);
        let nothing = commit(&checkout, "x", &What::Staged).await.unwrap_err();
        assert_eq!(nothing.code(), "nothing_to_commit", "{nothing}");

        std::fs::remove_file(top.join("*")).unwrap();
        commit(&checkout, "all", &What::All).await.unwrap();
        assert_eq!(changed(&world, &top), ["D *", "M f.txt"]);
        assert_eq!(status(&world, &top), Vec::<String>::new());
        for (message, code) in
            [("x", "nothing_to_commit"), (" \n", "message_invalid"), ("a\0b", "message_invalid")]
        {
            assert_eq!(commit(&checkout, message, &What::All).await.unwrap_err().code(), code);
        }
    }
}

#[tokio::test]
async fn a_hook_that_refuses_leaves_everything_as_it_was() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top().to_path_buf();
    write(top.join("staged"), "x\n");
    world.run(&top, &["add", "staged"]);
    write(top.join("f.txt"), "changed\n");
    hook(
        &world,
        "pre-commit",
        "echo working >&2; git status >/dev/null; echo '\x1b[31mtests fail' >&2; exit 3",
    );
    let (index, head) = (
        std::fs::read(checkout.git_dir().join("index")).unwrap(),
        world.run(&top, &["rev-parse", "HEAD"]),
    );
    let before = status(&world, &top);
    let mut told = Vec::new();
    let error = checkout
        .commit_work("m", &What::All, |line| told.push(line.to_owned()), never())
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the pre-commit hook refused: working\n\u{fffd}[31mtests fail");
    assert_eq!(error.code(), "hook_refused");
    assert_eq!(told, ["working", "\u{fffd}[31mtests fail"]);
    assert_eq!(world.run(&top, &["rev-parse", "HEAD"]), head);
    assert_eq!(status(&world, &top), before);
    assert_eq!(std::fs::read(checkout.git_dir().join("index")).unwrap().len(), index.len());

    hook(&world, "pre-commit", "echo formatted > f.txt; git add f.txt");
    hook(&world, "commit-msg", "grep -q ticket \"$1\" || { echo 'no ticket' >&2; exit 1; }");
    let error = commit(&checkout, "m", &What::All).await.unwrap_err();
    assert_eq!(error.to_string(), "the commit-msg hook refused: no ticket");
    commit(&checkout, "m, ticket", &What::All).await.unwrap();
    assert_eq!(world.run(&top, &["show", "HEAD:f.txt"]), "formatted");
    assert_eq!(status(&world, &top), Vec::<String>::new());
}

#[tokio::test]
async fn a_hook_that_hangs_is_named_and_ended_and_can_be_stopped() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    write(checkout.top().join("n"), "x\n");
    let pid_file = world.path("pid");
    let script = format!("echo $$ > {}; echo begun >&2; exec sleep 1000", pid_file.display());
    hook(&world, "pre-commit", &script);
    let gone = || {
        let pid: i32 = std::fs::read_to_string(&pid_file).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        move || rustix::process::test_kill_process(pid).is_err()
    };
    let timeouts = Timeouts { ship: Duration::from_secs(2), ..Timeouts::default() };
    let git = Git::new(GitConfig { timeouts, ..world.config() });
    let impatient = git.discover(&world.main()).await.unwrap().checkout(checkout.top()).unwrap();
    let error = commit(&impatient, "m", &What::All).await.unwrap_err();
    assert_eq!(error.to_string(), "the pre-commit hook took longer than 2 s and was ended");
    wait_until(gone()).await;

    std::fs::remove_file(&pid_file).unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mut stop = Some(stop);
    let tell = |line: &str| {
        assert_eq!(line, "begun");
        let _ = stop.take().map(|stop| stop.send(()));
    };
    let cancel = async {
        let _ = stopped.await;
    };
    let error = checkout.commit_work("m", &What::All, tell, cancel).await.unwrap_err();
    assert_eq!(error.code(), "cancelled", "{error}");
    wait_until(gone()).await;
    assert!(checkout.lock_files().is_empty());
    std::fs::remove_file(world.main().join(".git/hooks/pre-commit")).unwrap();
    commit(&checkout, "m", &What::All).await.unwrap();
}

#[tokio::test]
async fn signing_is_honoured_and_its_failure_told() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top().to_path_buf();
    let signer = world.path("signer");
    // As gpg answers: a signature on stdout, and a line of status on the file that is named.
    program(
        &signer,
        "#!/bin/sh\ncat >/dev/null\nprintf '\\n[GNUPG:] SIG_CREATED x\\n' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\n\\nabc\\n-----END PGP SIGNATURE-----\\n'\n",
    );
    let global = world.path("home/.gitconfig");
    let config = std::fs::read_to_string(&global).unwrap();
    let signing = |program: &Path| {
        let text = format!(
            "{config}[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {}\n",
            program.display()
        );
        std::fs::write(&global, text).unwrap();
    };
    signing(&signer);
    write(top.join("n"), "x\n");
    commit(&checkout, "m", &What::All).await.unwrap();
    assert!(world.run(&top, &["cat-file", "commit", "HEAD"]).contains("gpgsig -----BEGIN PGP"));

    program(&signer, "#!/bin/sh\necho 'no secret key' >&2\nexit 2\n");
    write(top.join("n"), "y\n");
    let error = commit(&checkout, "m", &What::All).await.unwrap_err();
    assert_eq!(error.code(), "signing_failed", "{error}");
    assert_eq!(status(&world, &top), [" M n"]);
}

#[tokio::test]
async fn a_half_done_merge_and_a_detached_head_are_not_committed() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top().to_path_buf();
    write(world.main().join("f.txt"), "theirs\n");
    world.commit_all(&world.main(), "theirs");
    write(top.join("f.txt"), "mine\n");
    commit(&checkout, "mine", &What::All).await.unwrap();
    assert!(!world.try_run(&top, &["merge", "-q", "main"]).status.success());
    let error = commit(&checkout, "m", &What::All).await.unwrap_err();
    assert_eq!(error.code(), "operation_under_way", "{error}");
    assert!(error.hint().unwrap().ends_with("merge --abort"));
    world.run(&top, &["merge", "--abort"]);
    world.run(&top, &["checkout", "-q", "--detach"]);
    let error = commit(&checkout, "m", &What::All).await.unwrap_err();
    assert_eq!(error.code(), "head_detached", "{error}");
}

#[tokio::test]
async fn a_push_goes_under_the_branchs_own_name_and_says_what_the_remote_said() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let (top, origin) = (checkout.top().to_path_buf(), world.path("origin.git"));
    // What it was made from is not where it goes.
    world.run(&top, &["branch", "-q", "--set-upstream-to=origin/main"]);
    write(top.join("n"), "x\n");
    commit(&checkout, "m", &What::All).await.unwrap();
    program(
        &origin.join("hooks/post-receive"),
        "#!/bin/sh\necho 'Open a request: https://x/new'\n",
    );
    let main = world.run(&origin, &["rev-parse", "main"]);
    let repo = world.repo().await;
    let tip = checkout.commit("HEAD").await.unwrap().unwrap();
    let seen = repo.push_target("agent/a1", &tip).await.unwrap().unwrap();
    assert_eq!((seen.remote.as_str(), seen.commit.as_ref()), ("origin", None));

    let made = push(&world, &checkout).await.unwrap();
    assert_eq!((made.old, &made.new), (None, &tip));
    assert_eq!(made.said, ["Open a request: https://x/new"]);
    assert_eq!(world.run(&origin, &["rev-parse", "agent/a1"]), tip.as_str());
    assert_eq!(world.run(&origin, &["rev-parse", "main"]), main);
    write(top.join("n"), "y\n");
    commit(&checkout, "more", &What::All).await.unwrap();
    let next = checkout.commit("HEAD").await.unwrap().unwrap();
    let seen = repo.push_target("agent/a1", &next).await.unwrap().unwrap();
    assert_eq!((seen.ahead, seen.behind, seen.has_others), (1, 0, false));

    // What was looked at is what goes.
    let pushing = Pushing { branch: "agent/a1".into(), tip };
    let error = repo.push(&checkout, &pushing, |_| {}, never()).await.unwrap_err();
    assert_eq!(error.code(), "branch_moved", "{error}");
    // History of our own that was written anew may go over the old.
    world.run(&top, &["commit", "-q", "--amend", "-m", "amended"]);
    push(&world, &checkout).await.unwrap();
    world.run(&top, &["commit", "-q", "--amend", "-m", "again"]);
    let made = push(&world, &checkout).await.unwrap();
    assert_eq!(made.new.as_str(), world.run(&origin, &["rev-parse", "agent/a1"]));
}

#[tokio::test]
async fn commits_of_others_on_the_remote_are_never_pushed_over() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let (top, origin) = (checkout.top().to_path_buf(), world.path("origin.git"));
    write(top.join("n"), "x\n");
    commit(&checkout, "m", &What::All).await.unwrap();
    push(&world, &checkout).await.unwrap();
    let other = world.path("other");
    world.run(&world.path(""), &["clone", "-q", "-b", "agent/a1", "origin.git", "other"]);
    write(other.join("review"), "x\n");
    world.commit_all(&other, "review");
    world.run(&other, &["push", "-q"]);
    let theirs = world.run(&origin, &["rev-parse", "agent/a1"]);
    write(top.join("n"), "y\n");
    commit(&checkout, "more", &What::All).await.unwrap();

    let error = push(&world, &checkout).await.unwrap_err();
    assert_eq!(error.code(), "push_rejected");
    assert!(error.to_string().contains("is not where it was last seen (stale info)"), "{error}");
    // Also after a fetch in the background, which makes a bare lease worthless.
    world.run(&top, &["fetch", "-q"]);
    let error = push(&world, &checkout).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the push was refused: agent/a1 on origin has 1 commit that you do not have"
    );
    assert_eq!(world.run(&origin, &["rev-parse", "agent/a1"]), theirs);
    world.run(&top, &["pull", "-q", "--rebase", "origin", "agent/a1"]);
    push(&world, &checkout).await.unwrap();
}

#[tokio::test]
async fn a_remote_that_refuses_or_is_away_and_a_hook_are_told_apart() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let (top, origin) = (checkout.top().to_path_buf(), world.path("origin.git"));
    write(top.join("n"), "x\n");
    commit(&checkout, "m", &What::All).await.unwrap();
    let receive = origin.join("hooks/pre-receive");
    program(&receive, "#!/bin/sh\necho 'This branch is protected'\nexit 1\n");
    let error = push(&world, &checkout).await.unwrap_err();
    assert_eq!(error.code(), "branch_protected", "{error}");
    program(&receive, "#!/bin/sh\necho 'too large'\nexit 1\n");
    let error = push(&world, &checkout).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the push was refused: origin did not take agent/a1 (pre-receive hook declined): too large"
    );
    std::fs::remove_file(&receive).unwrap();
    hook(&world, "pre-push", "echo 'no tests' >&2; exit 1");
    let error = push(&world, &checkout).await.unwrap_err();
    assert!(error.to_string().starts_with("the pre-push hook refused: no tests"), "{error}");
    std::fs::remove_file(world.main().join(".git/hooks/pre-push")).unwrap();

    let away = world.path("away");
    std::fs::rename(&origin, &away).unwrap();
    assert_eq!(push(&world, &checkout).await.unwrap_err().code(), "remote_unreachable");
    std::fs::rename(&away, &origin).unwrap();
    let ssh = world.path("ssh");
    program(&ssh, "#!/bin/sh\necho 'git@x: Permission denied (publickey).' >&2\nexit 255\n");
    world.run(&top, &["config", "core.sshCommand", ssh.to_str().unwrap()]);
    world.run(&top, &["remote", "set-url", "--push", "origin", "ssh://git@nowhere/x"]);
    let error = push(&world, &checkout).await.unwrap_err();
    assert_eq!(error.code(), "login_needed", "{error}");
    assert!(error.hint().unwrap().contains("git ls-remote origin"));
    world.run(&top, &["remote", "remove", "origin"]);
    assert_eq!(push(&world, &checkout).await.unwrap_err().code(), "no_remote");
    assert_eq!(world.run(&origin, &["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
    let missing = Pushing { branch: "nope".into(), tip: Oid::parse(&"a".repeat(40)).unwrap() };
    let error = world.repo().await.push(&checkout, &missing, |_| {}, never()).await.unwrap_err();
    assert_eq!(error.code(), "branch_missing");
}
