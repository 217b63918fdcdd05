"""What a plugin's modules build with: tables and migrations, money, pages and commands."""
