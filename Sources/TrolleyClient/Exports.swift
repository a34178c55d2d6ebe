// An app imports TrolleyClient alone: what the SDK's calls take and return is in these.

@_exported public import TrolleyJournal
@_exported public import TrolleySync
@_exported public import TrolleyWire
