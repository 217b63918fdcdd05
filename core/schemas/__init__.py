"""What comes in and goes out, field by field. No decisions."""
