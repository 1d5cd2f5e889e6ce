"""How a finished audit is told: in words for a person, as JSON for a program.

``text`` and ``witness_text`` write prose, ``json_report`` the JSON of schema ``powercert/audit/1``,
``names`` and ``wording`` the names and numbers in both, ``files`` writes whole files or none.
Nothing here decides anything: every number was decided before it arrives.
"""
