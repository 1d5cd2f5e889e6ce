"""Settings that every test shares."""

from hypothesis import settings

# The same examples on every run and machine; speed is judged in benchmarks, not by a deadline.
settings.register_profile("powercert", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("powercert")
