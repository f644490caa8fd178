//! Digests the code that makes postings.

fn main() -> Result<(), icr_recipe::Error> {
    icr_recipe::set_digest("ICR_POSTINGS_CODE")
}
