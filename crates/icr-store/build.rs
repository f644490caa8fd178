//! Digests the schema of the ledger.

fn main() -> Result<(), icr_recipe::Error> {
    icr_recipe::set_digest("ICR_LEDGER_SCHEMA")
}
