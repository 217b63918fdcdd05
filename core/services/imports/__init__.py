"""A treasurer's sheet of returns and payments: read, judged row by row, recorded all or none."""
