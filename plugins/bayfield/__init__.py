"""The City of Bayfield: chapter 54 of its code, Finance and Taxation."""
