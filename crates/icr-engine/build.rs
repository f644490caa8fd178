//! Sets digests of the code that works out thresholds, so that kept thresholds of other code are not used.

fn main() -> Result<(), icr_recipe::Error> {
    icr_recipe::set_digest("ICR_CALIBRATION_CODE")?;
    icr_recipe::set_digest("ICR_GATE_CODE")
}
