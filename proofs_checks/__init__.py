"""The numbered claims of the papers as executable checks, one package for each paper.

No check has landed yet. This package may import all other rooms, and none of them may import it.
"""
