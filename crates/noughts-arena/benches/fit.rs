//! Fits the numbers of the evaluation with Adam (Kingma and Ba 2014), in batches of 1 024 positions or 256 moves.

use std::fmt::Write;

use noughts_engine::Random;
use noughts_engine::patterns::{HIDDEN, LINEAR_BITS, OUTPUT_BITS, Patterns, sorted_sets};
use noughts_rules::{Move, Variant};

use crate::samples::{Choice, FEATURE_COUNT, Part, Position, features_of, is_special};

const EPOCHS: usize = 40;
const BATCH: usize = 1024;
const FIRST_STEP: f32 = 0.002;

/// Weight decay of a number that many combinations share, and of a number that belongs to a single combination.
const DECAY: f32 = 5e-6;
const SPECIAL_DECAY: f32 = 5e-5;

/// Factors that convert log-odds to the values of the search (100 is one point), and to move scores.
const VALUE_SCALE: f32 = 600.0;
const MOVE_SCORE_SCALE: f32 = 1000.0;

/// The reach of an open four, and what is added to the fitted numbers if the mover can make an open four. The training
/// positions hardly contain such boards, because they end before the fours that win the game. A search finds open fours
/// before it evaluates a board; the added values are for strategies that do not search.
const OPEN_FOUR: u8 = 7;
const OPEN_FOUR_VALUE: f32 = 4.0;
const OPEN_FOUR_MOVE_SCORE: f32 = 20.0;

/// The scale of a neuron's inputs.
const NEURON: f32 = 1024.0;

/// What a feature adds to the value of a board, and to each neuron.
type Weights = [f32; 1 + HIDDEN];

/// A fitted number, with the moments of its gradient that Adam needs.
#[derive(Clone, Copy, Default)]
struct Fitted {
    value: f32,
    mean: f32,
    square: f32,
}

impl Fitted {
    fn new(value: f32) -> Fitted {
        Fitted {
            value,
            ..Fitted::default()
        }
    }

    fn step(&mut self, gradient: f32, step: &Step) {
        self.mean += 0.1 * (gradient - self.mean);
        self.square += 0.001 * (gradient * gradient - self.square);
        let (mean, square) = (self.mean / step.mean, self.square / step.square);
        self.value -= step.length * mean / (square.sqrt() + 1e-6);
    }
}

/// The step size, and Adam's bias corrections.
struct Step {
    length: f32,
    mean: f32,
    square: f32,
}

impl Step {
    fn new(length: f32, number: i32) -> Step {
        Step {
            length,
            mean: 1.0 - 0.9f32.powi(number),
            square: 1.0 - 0.999f32.powi(number),
        }
    }
}

pub(crate) struct Numbers {
    /// A factor per feature. A feature that usually occurs many times in a position has a small factor. Otherwise its
    /// steps would be too large.
    scale: Vec<f32>,
    weights: Vec<[Fitted; 1 + HIDDEN]>,
    start: [Fitted; 1 + HIDDEN],
    output: [Fitted; HIDDEN],
    move_score: Vec<Fitted>,
}

impl Numbers {
    /// Fits the numbers. Calls `report` after every ten epochs in which the values of boards are fitted.
    pub(crate) fn fit(training: &Part, mut report: impl FnMut(usize, &Numbers)) -> Numbers {
        let mut random = Random::new(1);
        let mut small = || Fitted::new(random.below(2001) as f32 / 50_000.0 - 0.02);
        let mut start = [Fitted::new(0.1); 1 + HIDDEN];
        start[0].value = 0.0;
        let mut numbers = Numbers {
            scale: scale(&training.positions),
            weights: (0..FEATURE_COUNT)
                .map(|_| std::array::from_fn(|n| if n == 0 { Fitted::default() } else { small() }))
                .collect(),
            start,
            // At the start, half of the neurons count for the mover and half count against the mover.
            output: std::array::from_fn(|n| Fitted::new(if n % 2 == 0 { 0.3 } else { -0.3 })),
            move_score: vec![Fitted::default(); FEATURE_COUNT],
        };
        let mut steps = [0, 0];
        for epoch in 0..EPOCHS {
            let length = FIRST_STEP * (1.0 - 0.99 * epoch as f32 / EPOCHS as f32);
            for batch in training.positions.chunks(BATCH) {
                steps[0] += 1;
                numbers.learn_values(batch, &Step::new(length, steps[0]));
            }
            if epoch % 10 == 9 {
                report(epoch + 1, &numbers);
            }
        }
        for epoch in 0..EPOCHS / 10 {
            let length = 10.0 * FIRST_STEP * (1.0 - 0.9 * 10.0 * epoch as f32 / EPOCHS as f32);
            for batch in training.choices.chunks(BATCH / 4) {
                steps[1] += 1;
                numbers.learn_move_score(batch, &Step::new(length, steps[1]));
            }
        }
        numbers
    }

    fn sums(&self, position: &Position) -> Weights {
        let mut sums = self.start.map(|one| one.value);
        for (feature, times) in &position.features {
            let times = times * self.scale[*feature as usize];
            for (sum, one) in sums.iter_mut().zip(&self.weights[*feature as usize]) {
                *sum += times * one.value;
            }
        }
        sums
    }

    fn chance(&self, sums: &Weights) -> f32 {
        let neurons = sums[1..].iter().zip(&self.output);
        let above: f32 = neurons
            .map(|(sum, output)| sum.max(0.0) * output.value)
            .sum();
        1.0 / (1.0 + (-sums[0] - above).exp())
    }

    fn learn_values(&mut self, batch: &[Position], step: &Step) {
        let mut gradients = vec![[0.0; 1 + HIDDEN]; FEATURE_COUNT];
        let mut of_start = [0.0; 1 + HIDDEN];
        let mut of_output = [0.0; HIDDEN];
        let share = 1.0 / batch.len() as f32;
        for position in batch {
            let sums = self.sums(position);
            let error = share * (self.chance(&sums) - position.score);
            let mut of_sums = [error; 1 + HIDDEN];
            for (neuron, output) in self.output.iter().enumerate() {
                let sum = sums[1 + neuron];
                of_output[neuron] += error * sum.max(0.0);
                of_sums[1 + neuron] = if sum > 0.0 { error * output.value } else { 0.0 };
            }
            for (gradient, of_sum) in of_start.iter_mut().zip(&of_sums) {
                *gradient += of_sum;
            }
            for (feature, times) in &position.features {
                let times = times * self.scale[*feature as usize];
                let gradient = &mut gradients[*feature as usize];
                for (gradient, of_sum) in gradient.iter_mut().zip(&of_sums) {
                    *gradient += times * of_sum;
                }
            }
        }
        for (feature, gradient) in gradients.iter().enumerate() {
            // A feature that did not occur in the batch does not change.
            if *gradient == [0.0; 1 + HIDDEN] {
                continue;
            }
            let decay = if is_special(feature) {
                SPECIAL_DECAY
            } else {
                DECAY
            };
            for (one, gradient) in self.weights[feature].iter_mut().zip(gradient) {
                one.step(gradient + decay * one.value, step);
            }
        }
        for (one, gradient) in self.start.iter_mut().zip(of_start) {
            one.step(gradient, step);
        }
        for (one, gradient) in self.output.iter_mut().zip(of_output) {
            one.step(gradient, step);
        }
    }

    fn move_score(&self, [own, other]: [[u8; 4]; 2]) -> f32 {
        let features = features_of(own, true).chain(features_of(other, false));
        features
            .map(|number| self.move_score[number as usize].value)
            .sum()
    }

    fn learn_move_score(&mut self, batch: &[Choice], step: &Step) {
        let mut gradients = vec![0.0; FEATURE_COUNT];
        let share = 1.0 / batch.len() as f32;
        for choice in batch {
            let scores: Vec<f32> = choice
                .cells
                .iter()
                .map(|cell| self.move_score(*cell))
                .collect();
            let max = scores.iter().copied().fold(f32::MIN, f32::max);
            let all: f32 = scores.iter().map(|score| (score - max).exp()).sum();
            for (number, [own, other]) in choice.cells.iter().enumerate() {
                let chance = (scores[number] - max).exp() / all;
                let error = share * (chance - f32::from(u8::from(number == choice.taken)));
                for feature in features_of(*own, true).chain(features_of(*other, false)) {
                    gradients[feature as usize] += error;
                }
            }
        }
        for (one, gradient) in self.move_score.iter_mut().zip(gradients) {
            if gradient != 0.0 {
                one.step(gradient + DECAY * one.value, step);
            }
        }
    }

    /// The mean cross-entropy of the predicted results.
    pub(crate) fn loss(&self, positions: &[Position]) -> f32 {
        let loss = |position: &Position| {
            let chance = self.chance(&self.sums(position)).clamp(1e-4, 1.0 - 1e-4);
            -(position.score * chance.ln() + (1.0 - position.score) * (1.0 - chance).ln())
        };
        let all: f64 = positions.iter().map(|one| f64::from(loss(one))).sum();
        (all / positions.len().max(1) as f64) as f32
    }

    /// The share of played moves that are among the `top` moves with the highest scores.
    pub(crate) fn hit_rate(&self, choices: &[Choice], top: usize) -> f32 {
        let is_among = |choice: &&Choice| {
            let taken = self.move_score(choice.cells[choice.taken]);
            let better = choice
                .cells
                .iter()
                .filter(|cell| self.move_score(**cell) > taken);
            better.count() < top
        };
        choices.iter().filter(is_among).count() as f32 / choices.len().max(1) as f32
    }

    /// What a combination adds to the value of a board, and to each neuron.
    fn weights_of(&self, reaches: [u8; 4], is_own: bool) -> Weights {
        let mut sums = [0.0; 1 + HIDDEN];
        for number in features_of(reaches, is_own) {
            let scale = self.scale[number as usize];
            for (sum, one) in sums.iter_mut().zip(&self.weights[number as usize]) {
                *sum += scale * one.value;
            }
        }
        sums
    }

    /// The text file that the engine reads.
    pub(crate) fn write(&self, origin: &str) -> String {
        let mut text = format!(
            "# The learned evaluation of lines of five, written by cargo xtask bench learn --write.\n\
             # Learned from {origin}.\n\
             # Each line after `output` has the four reaches of a combination in ascending order (see features/patterns.rs). Then\n\
             # come two move scores: if the combination is the mover's, and if it is the opponent's. Then come the weights for the\n\
             # linear term and for each neuron: first if the combination is the mover's, then if it is the opponent's.\n"
        );
        let whole = |value: f32| value.round() as i32;
        let fine = VALUE_SCALE * (1u32 << LINEAR_BITS) as f32;
        let unit = |n: usize| if n == 0 { fine } else { NEURON };
        let scaled =
            |values: [f32; 1 + HIDDEN]| std::array::from_fn(|n| whole(unit(n) * values[n]));
        // `start` is the value of an empty board of 15x15, because the numbers were learned from games on such boards.
        // Empty boards of other sizes get the same value.
        let spec = match "15x15k5".parse() {
            Ok(Variant::Grid(spec)) => spec,
            _ => unreachable!("15x15k5 is one board"),
        };
        let empty = Patterns::new(&spec).expect("something is learned for it");
        let mut start = self.start.map(|one| one.value);
        for at in (0..spec.cells()).map(Move::at) {
            for (side, reaches) in empty.reaches(at).into_iter().flatten().enumerate() {
                let weights = self.weights_of(reaches, side == 0);
                start
                    .iter_mut()
                    .zip(weights)
                    .for_each(|(sum, one)| *sum += one);
            }
        }
        let start: [i32; 1 + HIDDEN] = scaled(start);
        let _ = writeln!(text, "start {}", spaced(start.into_iter()));
        let loud = VALUE_SCALE / NEURON * (1u32 << OUTPUT_BITS) as f32;
        let output = self.output.iter().map(|one| whole(loud * one.value));
        let _ = writeln!(text, "output {}", spaced(output));
        for set in sorted_sets() {
            let move_score = [true, false].map(|is_own| {
                let features = features_of(set, is_own);
                let learned: f32 = features
                    .map(|number| self.move_score[number as usize].value)
                    .sum();
                let is_won = is_own && set[3] == OPEN_FOUR;
                whole(
                    MOVE_SCORE_SCALE
                        * if is_won {
                            learned + OPEN_FOUR_MOVE_SCORE
                        } else {
                            learned
                        },
                )
            });
            let weights = [true, false].into_iter().flat_map(|is_own| {
                let mut weights = self.weights_of(set, is_own);
                if is_own && set[3] == OPEN_FOUR {
                    weights[0] += OPEN_FOUR_VALUE;
                }
                let scaled: [i32; 1 + HIDDEN] = scaled(weights);
                scaled
            });
            let reaches = set.into_iter().map(i32::from);
            let _ = writeln!(text, "{}", spaced(reaches.chain(move_score).chain(weights)));
        }
        text
    }
}

/// For each feature: the inverse of the root mean square of its number of occurrences in the positions that have it; 1
/// if no position has it.
fn scale(positions: &[Position]) -> Vec<f32> {
    let mut sums = vec![(0.0, 0.0); FEATURE_COUNT];
    for (feature, times) in positions.iter().flat_map(|position| &position.features) {
        let (count, squares) = &mut sums[*feature as usize];
        *count += 1.0;
        *squares += times * times;
    }
    let of_sums = |(count, squares): (f32, f32)| match count {
        0.0 => 1.0,
        _ => (count / squares).sqrt(),
    };
    sums.into_iter().map(of_sums).collect()
}

fn spaced(numbers: impl Iterator<Item = i32>) -> String {
    let words: Vec<String> = numbers.map(|number| number.to_string()).collect();
    words.join(" ")
}
