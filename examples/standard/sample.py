"""Print documents of the shape of a standard dataset: `sample.py geonames 1000 > documents.json`.

They are drawn from a seed: the same arguments print the same documents. Fields and types are those
of the real data, and roughly their sizes; names and numbers mean nothing.
"""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random

WORDS = ("Alt", "Bach", "Berg", "Brunn", "Dorf", "Font", "Georgen", "Lac", "Mont", "Port", "Sankt")
COUNTRIES = ("AD", "AT", "CH", "CN", "DE", "FR", "IN", "IT", "US")


def place(number: int, random: Random) -> dict[str, object]:
    """Return a place of geonames."""
    name = " ".join(random.sample(WORDS, random.randint(1, 3)))
    others = {" ".join(random.sample(WORDS, 2)) for _ in range(random.randint(0, 3))}
    found: dict[str, object] = {
        "geonameid": 1_000_000 + number,
        "name": name,
        "asciiname": name,
        "feature_class": random.choice("AHLPRSTUV"),
        "feature_code": random.choice(("ADM1", "HTL", "LK", "PK", "PPL", "STM")),
        "country_code": random.choice(COUNTRIES),
        "admin1_code": f"{random.randint(0, 20):02}",
        # Most places have none; a few have millions.
        "population": int(random.paretovariate(0.6)) if random.random() < 0.1 else 0,
        "dem": str(random.randint(-50, 4000)),
        "timezone": random.choice(("Asia/Shanghai", "Europe/Andorra", "Europe/Vienna")),
        "location": [round(random.uniform(-180, 180), 5), round(random.uniform(-90, 90), 5)],
    }
    return found | ({"alternatenames": ",".join(sorted(others))} if others else {})


def ride(_number: int, random: Random) -> dict[str, object]:
    """Return a ride of nyc_taxis."""
    begin = datetime(2015, 1, 1, tzinfo=UTC) + timedelta(
        seconds=random.randrange(365 * 86_400 - 7200)
    )
    miles = round(random.lognormvariate(0.6, 0.8), 2)
    fare, tip = round(2.5 + 2.5 * miles, 2), round(random.choice((0, 1, 2)) * random.random(), 2)
    end = begin + timedelta(seconds=int(240 * miles) + random.randrange(300))

    def corner() -> list[float]:
        return [random.gauss(-73.97, 0.04), random.gauss(40.75, 0.03)]

    return {
        "total_amount": round(fare + tip + 1.3, 2),
        "improvement_surcharge": 0.3,
        "pickup_location": corner(),
        "pickup_datetime": f"{begin:%Y-%m-%d %H:%M:%S}",
        "trip_type": "1",
        "dropoff_datetime": f"{end:%Y-%m-%d %H:%M:%S}",
        "rate_code_id": "1",
        "tolls_amount": 0.0,
        "dropoff_location": corner(),
        "passenger_count": random.choice((1, 1, 1, 2, 3, 5)),
        "fare_amount": fare,
        "extra": 0.5,
        "trip_distance": miles,
        "tip_amount": tip,
        "store_and_fwd_flag": "N",
        "payment_type": random.choice("12"),
        "mta_tax": 0.5,
        "vendor_id": random.choice("12"),
    }


SHAPES: dict[str, Callable[[int, Random], dict[str, object]]] = {
    "geonames": place,
    "nyc-taxis": ride,
}


def documents(name: str, count: int) -> Iterator[str]:
    """Yield so many documents as lines of JSON."""
    random = Random(name)  # noqa: S311 - not a secret
    return (json.dumps(SHAPES[name](number, random)) for number in range(count))


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in documents(sys.argv[1], int(sys.argv[2])))
