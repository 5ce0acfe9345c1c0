"""What many benchmarks and large sweeps cost the operator."""
