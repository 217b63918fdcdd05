"""The command `fisc`. A command's module is imported only when the command is called, so that each starts fast."""

from __future__ import annotations

from importlib import import_module

import click

# name: (module, attribute, one line for the list of commands)
COMMANDS = {
    "agreement": ("core.cli.distribute", "agreement", "Record the agreements that fix what a payee gets."),
    "assess": ("core.cli.assess", "assess", "Work out what is owed on one or more cases, line by line."),
    "clauses": ("core.cli.clauses", "clauses", "Show every clause and where it is implemented and tested."),
    "daily": ("core.cli.daily", "daily", "Do what became due since the last run, for every municipality."),
    "db": ("core.cli.db", "db", "Bring the database's schema up to date."),
    "deadlines": ("core.cli.deadlines", "deadlines", "Show when returns are due in a year."),
    "demo": ("core.cli.demo", "demo", "Show Fisc at work: municipalities with a year of filings, on localhost."),
    "distribute": ("core.cli.distribute", "distribute", "Share out what was collected of a tax, and post it."),
    "distribution": ("core.cli.distribution", "distribution", "Show how tax collected is shared."),
    "explain": ("core.cli.explain", "explain", "Explain what is owed on a period account, and why."),
    "fees": ("core.cli.fees", "fees", "Show the fees that a resolution sets."),
    "ledger": ("core.cli.ledger", "ledger", "Seal, verify and export the books."),
    "login": ("core.cli.login", "login", "Give logins to staff and filers, and list them."),
    "remittance": ("core.cli.distribute", "remittance", "Print what a payee gets, and record that it was paid."),
    "replay": ("core.cli.replay", "replay", "Work every posted assessment out anew and compare."),
    "returns": ("core.cli.returns", "returns", "Make draft returns."),
    "serve": ("core.cli.serve", "serve", "Serve the API and its page."),
    "tenant": ("core.cli.tenant", "tenant", "Add a municipality, set what its law leaves open, open it."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported by name when they are wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with this name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][2]) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fisc")
def main() -> None:
    """Fisc: local taxes by their own ordinances, computed, cited and explained."""


if __name__ == "__main__":
    main()
