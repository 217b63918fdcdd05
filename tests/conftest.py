"""Settings for every test. Fixtures live beside the tests that use them, shared ones in tests/support."""

import os

from hypothesis import HealthCheck, settings

# A build must not pass or fail by luck, so the properties run on fixed examples.
# `make fuzz` and HYPOTHESIS_PROFILE=search look for new ones.
settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.register_profile(
    "search", max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
