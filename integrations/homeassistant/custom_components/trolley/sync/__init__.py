"""The parts of the coordinator: what it stores, sends, fetches, and tells automations."""
