"""The municipalities on this instance: their directory, their resolutions and readings, and how to open one."""
