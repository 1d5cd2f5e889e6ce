"""The mathematics of privacy: exact numbers, pairs, power functions, profiles, composition."""

from .certificate import Certificate
from .composition import Composition, compose
from .errors import InputError, LimitError, PowercertError, UndecidedError
from .numbers import Enclosure, Exact, LogExact, exact, exact_number
from .pair import Pair
from .power import PowerFunction
from .profile import PrivacyProfile

__all__ = [
    "Certificate",
    "Composition",
    "Enclosure",
    "Exact",
    "InputError",
    "LimitError",
    "LogExact",
    "Pair",
    "PowerFunction",
    "PowercertError",
    "PrivacyProfile",
    "UndecidedError",
    "compose",
    "exact",
    "exact_number",
]
