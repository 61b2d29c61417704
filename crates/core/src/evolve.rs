use crate::{
    Description, Event, Launch, Lifecycle, Millis, Pending, Place, Problem, Session, SessionId,
    Step,
};

/// The state after an event. `None` before it was created and after it was purged.
#[must_use]
pub fn evolve(
    state: Option<Session>,
    id: &SessionId,
    event: &Event,
    at: Millis,
) -> Option<Session> {
    if let Event::Created(launch) = event {
        return Some(born(id.clone(), launch.as_ref().clone(), at));
    }
    let mut session = state?;
    session.version += 1;
    let before = session.lifecycle;
    match event {
        Event::Created(_) => {}
        Event::StepBegan(step) => session.pending = Some(Pending::Create(*step)),
        Event::PlaceReady(place) => session.place = Some(place.as_ref().clone()),
        Event::Started => {
            session.lifecycle = Lifecycle::Running;
            session.pending = session.pending.filter(|pending| *pending == Pending::Trash);
            session.exit = None;
            session.problem = None;
            session.end_asked = false;
            session.wake_at = None;
            session.run += 1;
        }
        Event::CreationFailed(problem) => {
            failed(&mut session, problem);
            session.place = None;
        }
        Event::CreationKept(problem) => failed(&mut session, problem),
        Event::Exited(exit) => {
            session.exit = *exit;
            session.lifecycle = match session.pending {
                Some(Pending::Hibernate | Pending::Wake) => Lifecycle::Hibernated,
                _ => Lifecycle::Exited,
            };
            session.pending = session.pending.filter(|pending| *pending != Pending::Hibernate);
        }
        Event::TrashBegan => session.pending = Some(Pending::Trash),
        Event::Trashed(parked) => {
            session.before_trash = Some(match session.lifecycle {
                Lifecycle::Failed | Lifecycle::Creating => Lifecycle::Failed,
                // Let go of, not ended.
                Lifecycle::Running if session.is_adopted() => Lifecycle::Running,
                Lifecycle::Running | Lifecycle::Exited | Lifecycle::Trashed => Lifecycle::Exited,
                kept @ (Lifecycle::Paused | Lifecycle::Hibernated) => kept,
            });
            session.lifecycle = Lifecycle::Trashed;
            session.parked = Some(parked.as_ref().clone());
            session.pending = None;
            session.problem = None;
        }
        Event::TrashFailed(problem)
        | Event::RestoreFailed(problem)
        | Event::PurgeFailed(problem)
        | Event::PauseFailed(problem)
        | Event::ResumeFailed(problem)
        | Event::WakeFailed(problem)
        | Event::RestartFailed(problem) => {
            session.pending = None;
            session.problem = Some(problem.clone());
            // What failed is not tried by itself again and again.
            session.wake_at = None;
            if session.lifecycle == Lifecycle::Creating {
                session.lifecycle = Lifecycle::Failed;
            }
        }
        Event::RestoreBegan => session.pending = Some(Pending::Restore),
        Event::Restored(place) => {
            session.lifecycle = match session.before_trash.take() {
                // It is looked for first.
                Some(Lifecycle::Running) | None => Lifecycle::Exited,
                Some(before) => before,
            };
            session.pending = None;
            session.problem = None;
            // One that was paused is so again, with its worktree put away.
            if session.lifecycle != Lifecycle::Paused {
                files_back(&mut session, place.as_deref());
            }
        }
        Event::PurgeBegan => session.pending = Some(Pending::Purge),
        Event::Purged => return None,
        Event::PauseBegan => session.pending = Some(Pending::Pause),
        Event::Paused(parked) => {
            session.lifecycle = Lifecycle::Paused;
            session.parked = Some(parked.as_ref().clone());
            session.pending = None;
            session.problem = None;
        }
        Event::ResumeBegan => session.pending = Some(Pending::Resume),
        Event::FilesBack(place) => {
            files_back(&mut session, place.as_deref());
            session.lifecycle = Lifecycle::Hibernated;
        }
        Event::HibernateBegan => session.pending = Some(Pending::Hibernate),
        Event::WakeBegan => session.pending = Some(Pending::Wake),
        Event::RestartBegan => session.pending = Some(Pending::Restart),
        Event::EndAsked => session.end_asked = true,
        Event::Shipped(shipped) => {
            if let (Some(place), Some(base)) = (&mut session.place, &shipped.base) {
                place.base = Some(base.clone());
            }
        }
        Event::Described(words) => describe(&mut session, words),
        Event::ConversationKnown(id) => session.launch.conversation = Some(id.clone()),
    }
    if session.lifecycle != before {
        session.changed_at = at;
    }
    Some(session)
}

fn born(id: SessionId, launch: Launch, at: Millis) -> Session {
    Session {
        id,
        version: 1,
        launch,
        lifecycle: Lifecycle::Creating,
        pending: Some(Pending::Create(Step::Fetch)),
        place: None,
        exit: None,
        problem: None,
        parked: None,
        before_trash: None,
        created_at: at,
        changed_at: at,
        pinned: false,
        notes: String::new(),
        end_asked: false,
        run: 0,
        wake_at: None,
    }
}

fn failed(session: &mut Session, problem: &Problem) {
    session.lifecycle = Lifecycle::Failed;
    session.pending = session.pending.filter(|pending| *pending == Pending::Trash);
    session.problem = Some(problem.clone());
}

fn files_back(session: &mut Session, place: Option<&Place>) {
    session.parked = None;
    if let Some(place) = place {
        session.place = Some(place.clone());
    }
}

fn describe(session: &mut Session, words: &Description) {
    if let Some(title) = &words.title {
        session.launch.title = title.clone();
    }
    if let Some(tags) = &words.tags {
        session.launch.tags.clone_from(tags);
    }
    if let Some(pinned) = words.pinned {
        session.pinned = pinned;
    }
    if let Some(notes) = &words.notes {
        session.notes.clone_from(notes);
    }
    if let Some(at) = words.wake_at {
        session.wake_at = at;
    }
}
