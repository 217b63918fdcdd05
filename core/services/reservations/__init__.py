"""From a property-management system's reservations to draft returns: map, read, draft, write."""
