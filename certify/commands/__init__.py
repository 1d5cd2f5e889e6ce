"""The commands of ``certify``, one module each.

A command module holds a ``command`` (a click command that returns its exit code) and imports the
library inside the functions that need it, so that ``certify --help`` stays light.
"""
