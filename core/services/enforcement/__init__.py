"""What an officer does about a return or a payment: estimate, extend, notify, find, waive; and what is overdue."""
