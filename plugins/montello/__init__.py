"""The City of Montello: room tax in a zone, and the vehicle registration fee."""
