//! What befalls the machine in the midst of a round.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::dice::Dice;
use super::world::World;
use crate::engine::races::processes;

#[derive(Clone, Copy, Debug)]
pub enum Blow {
    Nothing,
    /// The daemon is killed, and started again.
    Daemon,
    /// The tmux server is killed.
    Tmux,
    /// A program is killed.
    Agent,
    /// All is killed, and what is in memory only is gone.
    Machine,
    /// The disk is full for a while.
    Disk,
}

impl Blow {
    pub fn choose(dice: &mut Dice) -> Self {
        match dice.roll(100) {
            0..20 => Self::Nothing,
            20..50 => Self::Daemon,
            50..65 => Self::Tmux,
            65..80 => Self::Agent,
            80..90 => Self::Machine,
            _ => Self::Disk,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "rounds without a blow",
            Self::Daemon => "daemons killed",
            Self::Tmux => "tmux servers killed",
            Self::Agent => "programs killed",
            Self::Machine => "reboots",
            Self::Disk => "full disks",
        }
    }

    pub fn strike(self, world: &mut World, dice: &mut Dice) {
        match self {
            Self::Nothing => {}
            Self::Daemon => {
                world.stage.kill();
                std::thread::sleep(Duration::from_millis(dice.roll(50) as u64));
                world.stage.serve();
            }
            Self::Tmux => kill(tmux_pid(world)),
            Self::Agent => {
                let all = processes(&world.stage);
                if !all.is_empty() {
                    kill(i32::try_from(dice.pick(&all).0).ok());
                }
            }
            Self::Machine => reboot(world),
            Self::Disk => {
                let filler = fill(&world.stage.root());
                std::thread::sleep(Duration::from_millis(50 + dice.roll(400) as u64));
                std::fs::remove_file(filler).unwrap();
            }
        }
    }
}

fn kill(pid: Option<i32>) {
    if let Some(pid) = pid.and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

fn tmux_pid(world: &World) -> Option<i32> {
    let said = world.stage.tmux(&["display-message", "-p", "#{pid}"]);
    said.out.trim().parse().ok()
}

/// The socket folder is where a reboot clears: everything in it goes.
fn reboot(world: &mut World) {
    let panes = world.stage.tmux(&["list-panes", "-a", "-F", "#{pane_pid}"]).out;
    let tmux = tmux_pid(world);
    world.stage.kill();
    kill(tmux);
    for pid in panes.lines() {
        kill(pid.trim().parse().ok());
    }
    for (pid, _) in processes(&world.stage) {
        kill(i32::try_from(pid).ok());
    }
    let socket = std::fs::read_to_string(world.stage.root().join("tmux.path")).unwrap();
    let run = Path::new(&socket).parent().unwrap();
    if run != world.stage.root() {
        let _ = std::fs::remove_dir_all(run);
    }
    world.stage.serve();
}

/// Writes until there is no room; only where the home is on a disk of its own.
fn fill(root: &Path) -> PathBuf {
    use std::io::Write as _;
    let filler = root.join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    if crate::engine::stage::is_mounted(root) {
        let mut block = vec![0u8; 256 * 1024];
        while !block.is_empty() {
            if file.write_all(&block).is_err() {
                block.truncate(block.len() / 2);
            }
        }
    }
    filler
}
