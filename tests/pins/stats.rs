//! Counts of everything.

use icr_engine::Moment;

use crate::asking::{FILES, NOW, World};

#[test]
fn totals_are_those_of_the_view_and_parts_add_up() {
    let world = World::new(FILES);
    world.fixture.write("//- src/copy.rs\npub fn tide(hour: u32) -> u32 {\n    hour % 12\n}\n//- web/app.py\nclass App:\n    def run(self):\n        pass\n");
    world.pin("src/tide.rs", NOW);
    let snapshot = world.snapshot();
    let (stats, status) =
        (icr_engine::memory_stats(&snapshot, true, Moment(NOW)).unwrap(), icr_engine::status(&snapshot).unwrap());
    assert_eq!(stats.repo_id, world.engine().repo_id());
    assert_eq!((stats.files_indexed, stats.chunks_stored), (status.files_indexed, status.chunks_stored));
    assert_eq!((stats.contracts_detected, stats.pinned_items), (status.contracts_detected, 1));
    assert_eq!(stats.vectors_stored, stats.chunks_stored, "the built-in model reads at once");
    let breakdown = stats.breakdown.unwrap();
    assert_eq!(breakdown.by_language.values().sum::<u64>(), stats.chunks_stored);
    assert_eq!(breakdown.by_type.values().sum::<u64>(), status.symbols);
    assert_eq!(breakdown.by_type["function"], 4, "a copied file has its definitions too: {:?}", breakdown.by_type);
    assert_eq!((breakdown.by_type["class"], breakdown.by_type["method"]), (1, 1));
    assert_eq!(breakdown.by_language.keys().collect::<Vec<_>>(), ["markdown", "python", "rust"]);
    let usage = stats.memory_usage;
    assert_eq!(usage.index_size_bytes + usage.vector_size_bytes, usage.total_bytes);
    assert_eq!(usage.total_bytes, status.store_bytes);
    assert!(usage.index_size_bytes > 0 && usage.vector_size_bytes > 0, "{usage:?}");
}

#[test]
fn what_was_not_asked_for_is_not_there() {
    let world = World::new(FILES);
    let stats = icr_engine::memory_stats(&world.snapshot(), false, Moment(NOW)).unwrap();
    assert_eq!((stats.breakdown.is_none(), stats.pinned_items), (true, 0));
    let shown = serde_json::to_value(&stats).unwrap();
    assert!(shown.get("breakdown").is_none() && shown["memory_usage"]["total_bytes"].is_u64(), "{shown}");
}
