"""What is in the database, held against what was confirmed and what readers have seen."""

_ENTRIES = "SELECT list_id, sequence, entry_id FROM entry"
_HEADS = "SELECT id, head FROM list"


class Content:
    """The journals, as a primary has them."""

    def __init__(self, cluster, node):
        self.places, self.entries, self.doubled = {}, {}, []
        for list_id, sequence, entry in cluster.query(node, _ENTRIES):
            self.places.setdefault(list_id, {})[int(sequence)] = entry
            if entry in self.entries:
                self.doubled.append(entry)
            self.entries[entry] = (list_id, int(sequence))
        self.heads = {list_id: int(head) for list_id, head in cluster.query(node, _HEADS)}

    def missing(self, confirmed):
        """Confirmed entries that are not there."""
        return [entry for entry in confirmed if entry not in self.entries]

    def moved(self, confirmed):
        """Confirmed entries that stand at another place than the service has said last."""
        return [entry for entry, place in confirmed.items() if self.entries.get(entry, place) != place]

    def contradictions(self, known):
        """Entries that a reader has at a place where the database has something else.
        - known: by list, the entry at each sequence; None where something else than an entry stands."""
        return [
            (list_id, sequence)
            for list_id, changes in known.items() for sequence, entry in changes.items()
            if self.places.get(list_id, {}).get(sequence) != entry]


def epoch(cluster, node):
    rows = cluster.query(
        node, "SELECT epoch, epoch_reason, extract(epoch FROM epoch_began_at) FROM service", check=False)
    return rows[0] if rows else None
