"""`python -m bench.bottlenecks`: plant bottlenecks, with the progress of each run."""

import sys

from bench.bottlenecks.planted import main

sys.exit(main())
