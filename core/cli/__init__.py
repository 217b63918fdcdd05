"""The command line: one file a noun, loaded when it is called."""
