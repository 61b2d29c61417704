//! Native clients among the viewers of a terminal.

use super::Terminal;
use crate::natives::Native;

impl Terminal {
    /// Whether somebody is attached natively.
    pub(crate) fn has_natives(&self) -> bool {
        !self.natives.is_empty()
    }

    /// Whether anybody looks, natively or not.
    pub(crate) fn is_watched(&self) -> bool {
        self.has_natives() || !self.seats.is_empty()
    }

    /// Native clients as they are now.
    pub(crate) fn natives(&mut self, now: &[Native]) {
        let gone: Vec<_> = self
            .natives
            .keys()
            .filter(|name| !now.iter().any(|native| native.name == **name))
            .cloned()
            .collect();
        for name in gone {
            if let Some((viewer, _)) = self.natives.remove(&name) {
                self.sizes.leave(viewer);
            }
        }
        for native in now {
            let known = self.natives.get(&native.name).cloned();
            let viewer = match &known {
                Some((viewer, _)) => *viewer,
                None => {
                    let viewer = self.next_viewer;
                    self.next_viewer += 1;
                    let device = format!("native {}", native.name);
                    self.sizes.attach(viewer, &device, native.size, native.looks_only);
                    viewer
                }
            };
            if let Some((_, before)) = known {
                if before.size != native.size {
                    self.sizes.resized(viewer, native.size);
                } else if before.activity != native.activity {
                    self.sizes.typed(viewer);
                }
            }
            self.natives.insert(native.name.clone(), (viewer, native.clone()));
        }
    }
}
