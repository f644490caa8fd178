//! Digests the code that works out thresholds.

fn main() -> Result<(), icr_recipe::Error> {
    icr_recipe::set_digest("ICR_CALIBRATION_CODE")?;
    icr_recipe::set_digest("ICR_GATE_CODE")
}
