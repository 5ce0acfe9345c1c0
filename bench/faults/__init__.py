"""Does the bench notice a fault of the product? Faults planted in copies of it, one at a time."""
