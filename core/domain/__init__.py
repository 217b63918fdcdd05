"""Frozen values and arithmetic: money, days, interest, charges, shares and the fold over a period account. No I/O."""
