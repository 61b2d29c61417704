//! What the model's daemon and git keep to. With all of it the machine is safe; each rule that
//! is taken away is a known race, and the checker has to find it.

/// The rules, all of them true of what is to be.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// A start that is called off has ended when that is told: nothing of it comes later.
    pub call_off_is_joined: bool,
    /// A person's command is checked and acted on in one turn.
    pub checks_and_acts_at_once: bool,
    /// One that is hibernated is so when its program has ended, not when that was asked.
    pub hibernated_when_ended: bool,
    /// Who closes a pane takes it out of the owner's hands.
    pub closes_once: bool,

    /// The program is started when it is written down where its files are.
    pub place_is_written_first: bool,
    /// A creation that cannot be taken back is not forgotten: because a delete came too late for
    /// that, or because there is work in it.
    pub work_is_not_forgotten: bool,
    /// Whether something is left of a creation is seen on the disk: that its note is gone says
    /// nothing, because what became of it may not have been stored.
    pub left_by_the_disk: bool,
    /// What a session keeps is not taken back by a later start of the daemon.
    pub takes_back_no_place: bool,
    /// A creation with work in it is not taken back.
    pub take_back_spares_work: bool,
    /// Files are put away when the program has ended, not when that was asked.
    pub files_wait_for_the_end: bool,
    /// What is left in tmux of a session that is known is ended by its owner, by nobody else.
    pub sweep_spares_sessions: bool,
    /// Nothing is begun on a state that lacks reports which wait for the store.
    pub waits_for_the_store: bool,
    /// A pane without files was never started, however it is looked for.
    pub unknown_is_never_started: bool,
    /// What is left of a run before is not taken for the run that is being started.
    pub runs_are_told_apart: bool,
    /// Files are put away by what is on the disk, not by what was once written down.
    pub parks_by_the_disk: bool,
    /// A way back that fails, or that cannot be gone on with, ends where it began.
    pub unpark_goes_back: bool,
    /// A purge takes back what a creation left that could not be taken back before.
    pub purge_takes_back: bool,
    /// The files of a pane that is gone go with the session at the latest.
    pub purge_forgets_the_pane: bool,
    /// A branch that a parked worktree came from is not deleted with another session.
    pub parked_branches_stay: bool,
    /// A program is approved in the run that it asked in, or not at all.
    pub approves_one_run: bool,
}

impl Rules {
    /// What is to be.
    pub const ALL: Self = Self {
        call_off_is_joined: true,
        checks_and_acts_at_once: true,
        hibernated_when_ended: true,
        closes_once: true,
        place_is_written_first: true,
        work_is_not_forgotten: true,
        left_by_the_disk: true,
        takes_back_no_place: true,
        take_back_spares_work: true,
        files_wait_for_the_end: true,
        sweep_spares_sessions: true,
        waits_for_the_store: true,
        unknown_is_never_started: true,
        runs_are_told_apart: true,
        parks_by_the_disk: true,
        unpark_goes_back: true,
        purge_takes_back: true,
        purge_forgets_the_pane: true,
        parked_branches_stay: true,
        approves_one_run: true,
    };
}
