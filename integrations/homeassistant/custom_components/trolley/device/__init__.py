"""A device of Trolley, without Home Assistant: its calls, its upload queue, and the rules that it needs.

docs/protocol.md and docs/journal.md of Trolley say what holds here.
"""
