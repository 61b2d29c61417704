use crate::measure::{Better, Measure};

/// Collects the values of one bench.
#[derive(Debug)]
pub struct Sheet {
    bench: &'static str,
    group: &'static str,
    run: String,
    measures: Vec<Measure>,
}

impl Sheet {
    /// An empty sheet of a bench.
    #[must_use]
    pub fn new(bench: &'static str, group: &'static str, run: &str) -> Self {
        Self { bench, group, run: run.to_owned(), measures: vec![] }
    }

    /// A value of which less is better.
    pub fn lower(&mut self, name: &str, value: f64, unit: &str) -> &mut Measure {
        self.put(name, value, unit, Better::Lower)
    }

    /// A value of which more is better.
    pub fn higher(&mut self, name: &str, value: f64, unit: &str) -> &mut Measure {
        self.put(name, value, unit, Better::Higher)
    }

    /// All that was put down.
    #[must_use]
    pub fn into_measures(self) -> Vec<Measure> {
        self.measures
    }

    fn put(&mut self, name: &str, value: f64, unit: &str, better: Better) -> &mut Measure {
        let measure = Measure {
            group: self.group.into(),
            name: name.into(),
            value,
            unit: unit.into(),
            better,
            bench: self.bench.into(),
            target: None,
            note: String::new(),
            run: self.run.clone(),
        };
        eprintln!("  {name}: {} {unit}", crate::document::number(value));
        self.measures.push(measure);
        let last = self.measures.len() - 1;
        &mut self.measures[last]
    }
}

impl Measure {
    /// Gives it a bar.
    pub fn bar(&mut self, target: f64) -> &mut Self {
        self.target = Some(target);
        self
    }

    /// Says how it was come by.
    pub fn note(&mut self, words: impl Into<String>) -> &mut Self {
        self.note = words.into();
        self
    }
}
