//! Answers under a budget as the engine gives them: packs, the map for a goal, the lines of many sources.

mod asking;
mod budgets;
mod goals;
mod modes;
mod odd;
#[path = "../ranking/repository.rs"]
#[expect(dead_code, reason = "questions are asked of the same repository; here nobody measures ranks")]
mod repository;
mod sources;
