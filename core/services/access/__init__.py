"""Logins: sign in and out, who somebody is, and giving logins to staff and filers."""
