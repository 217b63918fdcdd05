"""What the conformance kit is made of: the samples it asks about, the questions, and what it looks for in answers."""
