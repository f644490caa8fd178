//! Digests the code that encodes facts.

fn main() -> Result<(), icr_recipe::Error> {
    icr_recipe::set_digest("ICR_FACTS_ENCODING")
}
