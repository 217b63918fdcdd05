"""The ledger: fund accounting in transfers. `post` is the only writer; nothing posted is edited or deleted."""
