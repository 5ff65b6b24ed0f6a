"""`python -m prbgen` is `prbgen`."""

import sys

from prbgen.cli import main

sys.exit(main())
