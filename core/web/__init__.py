"""What API and portal share: who visits, guarded routes, problem documents, limits."""
