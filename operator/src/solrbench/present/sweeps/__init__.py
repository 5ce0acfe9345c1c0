"""Reports of sweeps."""
