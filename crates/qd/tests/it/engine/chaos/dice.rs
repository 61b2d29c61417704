/// Numbers that look random and come again with the same seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 up to `below`.
    pub fn roll(&mut self, below: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % below
    }

    /// Whether something happens that does so in `percent` of cases.
    pub fn happens(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }

    /// Another one, for a thread of its own.
    pub fn split(&mut self) -> Self {
        Self::new(self.next())
    }
}
