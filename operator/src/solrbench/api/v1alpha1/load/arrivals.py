"""How the requests of an open loop arrive."""

from enum import StrEnum


class ArrivalDistribution(StrEnum):
    """Distribution of the times between arrivals."""

    POISSON = "Poisson"
    UNIFORM = "Uniform"
