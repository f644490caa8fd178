//! Digests the code that makes documents of facts.

fn main() -> Result<(), icr_recipe::Error> {
    icr_recipe::set_digest("ICR_DOCUMENTS_CODE")
}
