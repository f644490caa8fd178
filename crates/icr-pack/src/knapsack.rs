//! Which items are worth most together under a budget.

/// Most items that are chosen from exactly; a pack considers 50 at most, so that this is the rule and greed the exception.
const EXACT_ITEMS: usize = 200;

/// Most cells of the exact table: 200 items at a budget of 200,000 tokens, the largest that can be configured. The table
/// has a bit a cell (5 MB) and takes about a nanosecond each.
const EXACT_CELLS: usize = 200 * 200_001;

/// Something that may be taken whole or not at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// What it is worth; not taken when it is not above 0.
    pub value: f64,
    /// What it costs in model tokens.
    pub tokens: u32,
}

/// Places of the items that are worth most together and cost at most `budget_tokens`, ascending.
///
/// Exact for up to 200 items (0/1 dynamic programming over whole tokens: items × budget steps, a bit each of memory);
/// beyond, the better of greed by value per token and the best single item, which is worth at least half the optimum.
/// Of choices worth the same, the one that prefers earlier items.
pub fn fill_budget(items: &[Item], budget_tokens: u32) -> Vec<usize> {
    let useful = |item: &Item| item.value > 0.0 && item.value.is_finite() && item.tokens <= budget_tokens;
    let places: Vec<usize> = (0..items.len()).filter(|place| useful(&items[*place])).collect();
    let total_tokens: u64 = places.iter().map(|place| u64::from(items[*place].tokens)).sum();
    if total_tokens <= u64::from(budget_tokens) {
        return places;
    }
    let columns = budget_tokens as usize + 1;
    if places.len() <= EXACT_ITEMS && places.len().saturating_mul(columns) <= EXACT_CELLS {
        exact(items, &places, columns)
    } else {
        greedy_or_single(items, &places, budget_tokens)
    }
}

/// `columns` is the budget plus one: column `c` holds the best value that costs at most `c`.
fn exact(items: &[Item], places: &[usize], columns: usize) -> Vec<usize> {
    let mut best = vec![0.0_f64; columns];
    let mut is_taken = BitRows::new(places.len(), columns);
    for (row, place) in places.iter().enumerate() {
        let Item { value, tokens } = items[*place];
        // Downwards, so that a column still holds what is best without this item when it is read.
        for column in (tokens as usize..columns).rev() {
            let with = best[column - tokens as usize] + value;
            if with > best[column] {
                best[column] = with;
                is_taken.set(row, column);
            }
        }
    }
    let mut chosen = Vec::new();
    let mut column = columns - 1;
    for (row, place) in places.iter().enumerate().rev() {
        if is_taken.get(row, column) {
            chosen.push(*place);
            column -= items[*place].tokens as usize;
        }
    }
    chosen.reverse();
    chosen
}

/// Greed alone can be worth next to nothing: a cheap trifle may keep out the one item that fills the budget.
fn greedy_or_single(items: &[Item], places: &[usize], budget_tokens: u32) -> Vec<usize> {
    let density = |place: &usize| items[*place].value / f64::from(items[*place].tokens.max(1));
    let mut by_density = places.to_vec();
    by_density.sort_by(|a, b| density(b).total_cmp(&density(a)).then(a.cmp(b)));
    let mut left = budget_tokens;
    let mut chosen = Vec::new();
    for place in by_density {
        if items[place].tokens <= left {
            left -= items[place].tokens;
            chosen.push(place);
        }
    }
    chosen.sort_unstable();
    let greedy_value: f64 = chosen.iter().map(|place| items[*place].value).sum();
    let single = places.iter().copied().max_by(|a, b| items[*a].value.total_cmp(&items[*b].value).then(b.cmp(a)));
    match single {
        Some(single) if items[single].value > greedy_value => vec![single],
        _ => chosen,
    }
}

/// A table of bits.
struct BitRows {
    words: Vec<u64>,
    words_per_row: usize,
}

impl BitRows {
    fn new(rows: usize, columns: usize) -> Self {
        let words_per_row = columns.div_ceil(64);
        Self { words: vec![0; rows * words_per_row], words_per_row }
    }

    fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.words_per_row + column / 64] |= 1 << (column % 64);
    }

    fn get(&self, row: usize, column: usize) -> bool {
        self.words[row * self.words_per_row + column / 64] & (1 << (column % 64)) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn items(rows: &[(f64, u32)]) -> Vec<Item> {
        rows.iter().map(|&(value, tokens)| Item { value, tokens }).collect()
    }

    fn worth(items: &[Item], chosen: &[usize]) -> f64 {
        chosen.iter().map(|place| items[*place].value).sum()
    }

    fn cost(items: &[Item], chosen: &[usize]) -> u64 {
        chosen.iter().map(|place| u64::from(items[*place].tokens)).sum()
    }

    fn brute_force(items: &[Item], budget_tokens: u32) -> f64 {
        let subsets = (0..1_u32 << items.len())
            .map(|bits| (0..items.len()).filter(|place| bits & (1 << place) != 0).collect::<Vec<_>>());
        let affordable = subsets.filter(|chosen| cost(items, chosen) <= u64::from(budget_tokens));
        affordable.map(|chosen| worth(items, &chosen)).fold(0.0, f64::max)
    }

    #[track_caller]
    fn check(rows: &[(f64, u32)], budget_tokens: u32, expected: &[usize]) {
        assert_eq!(fill_budget(&items(rows), budget_tokens), expected, "{rows:?} under {budget_tokens}");
    }

    #[test]
    fn greed_is_not_followed_where_it_loses() {
        check(&[(0.10, 40), (0.92, 4000)], 4000, &[1]);
        check(&[(0.05, 20), (0.9, 1000), (0.9, 1000), (0.9, 1000), (0.9, 1000)], 4000, &[1, 2, 3, 4]);
    }

    #[test]
    fn what_cannot_be_taken_or_is_worth_nothing_is_left() {
        check(&[], 100, &[]);
        check(&[(1.0, 101)], 100, &[]);
        check(&[(1.0, 100)], 100, &[0]);
        check(&[(0.0, 1), (-1.0, 1), (f64::NAN, 1), (f64::INFINITY, 1), (0.5, 1)], 100, &[4]);
        check(&[(1.0, 0), (1.0, 0)], 0, &[0, 1]);
        check(&[(1.0, 1)], 0, &[]);
    }

    #[test]
    fn earlier_items_win_ties() {
        check(&[(0.5, 10), (0.5, 10), (0.5, 10)], 20, &[0, 1]);
    }

    #[test]
    fn many_items_are_chosen_from_by_greed_or_the_best_of_them_alone() {
        let mut rows = vec![(0.001, 1); 300];
        check(&rows, 10, &(0..10).collect::<Vec<_>>());
        rows.push((5.0, 10));
        check(&rows, 10, &[300]);
    }

    #[test]
    fn the_largest_table_is_bounded() {
        let rows: Vec<(f64, u32)> = (0..200_u32).map(|at| (f64::from(at % 7 + 1), 1_500 + at)).collect();
        let all = items(&rows);
        let chosen = fill_budget(&all, 200_000);
        assert!(cost(&all, &chosen) <= 200_000);
        let places: Vec<usize> = (0..200).collect();
        assert!(worth(&all, &chosen) >= worth(&all, &greedy_or_single(&all, &places, 200_000)));
    }

    proptest! {
        #[test]
        fn the_choice_is_worth_as_much_as_that_of_trying_all(
            rows in proptest::collection::vec((0_u32..1000, 0_u32..60), 0..=16), budget in 0_u32..300,
        ) {
            let all: Vec<Item> = rows.iter().map(|&(value, tokens)| Item { value: f64::from(value) / 1000.0, tokens }).collect();
            let chosen = fill_budget(&all, budget);
            prop_assert!(cost(&all, &chosen) <= u64::from(budget));
            prop_assert!((worth(&all, &chosen) - brute_force(&all, budget)).abs() < 1e-9);
        }

        #[test]
        fn greed_with_the_best_single_item_is_worth_half(
            rows in proptest::collection::vec((1_u32..1000, 1_u32..60), 0..=12), budget in 0_u32..200,
        ) {
            let all: Vec<Item> = rows.iter().map(|&(value, tokens)| Item { value: f64::from(value), tokens }).collect();
            let places: Vec<usize> = (0..all.len()).filter(|place| all[*place].tokens <= budget).collect();
            let chosen = greedy_or_single(&all, &places, budget);
            prop_assert!(cost(&all, &chosen) <= u64::from(budget));
            prop_assert!(worth(&all, &chosen) * 2.0 + 1e-9 >= brute_force(&all, budget));
        }
    }
}
