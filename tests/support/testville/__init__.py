"""The Town of Testville: a municipality that lives with the tests and is as unlike the others as the contract allows.

It files by the month, rounds the tax down, keeps a discount for its operators, has holidays of its own, and changed
its rate in the middle of a month.
"""
