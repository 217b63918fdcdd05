"""What a municipality has set for itself: what its council resolved, how its treasurer reads the law, its opening."""
