"""The promises of the ground itself: what is locked, what core may know, how large a file may grow."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CORE = sorted((ROOT / "core").rglob("*.py"))
PLUGINS = sorted((ROOT / "plugins").rglob("*.py"))

LONGEST_FILE_LINES = 400
PUBLIC_HOSTS = {"pypi.org", "files.pythonhosted.org"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def direct_dependencies() -> dict[str, Requirement]:
    """Each dependency that pyproject.toml names, in whatever group, by its canonical name."""
    project = PYPROJECT["project"]
    groups = [
        project["dependencies"],
        *project["optional-dependencies"].values(),
        *PYPROJECT["dependency-groups"].values(),
    ]
    parsed = [Requirement(line) for group in groups for line in group]
    return {canonicalize_name(requirement.name): requirement for requirement in parsed}


@cache
def pinned() -> dict[str, str]:
    """What requirements.txt installs: canonical name to version."""
    pins = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", (ROOT / "requirements.txt").read_text(), re.M)
    return {canonicalize_name(name): version for name, version in pins}


class TestLock:
    @pytest.mark.parametrize("name", ["uv.lock", "requirements.txt"])
    def test_names_no_place_but_the_public_index(self, name):
        text = (ROOT / name).read_text("utf-8")
        hosts = {urlsplit(url).hostname for url in re.findall(r"\w+://[^\s\"']*", text)}
        assert hosts <= PUBLIC_HOSTS
        assert not re.search(r"^\s*(-i|-f|--index|--extra-index|--find-links|--trusted)", text, re.M)

    def test_requirements_are_the_export_of_the_lock(self):
        packages = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
        locked = {p["name"]: p["version"] for p in packages if p["name"] != "fisc"}
        assert pinned() == locked, "run `make lock`"

    def test_every_direct_dependency_is_locked_within_its_range(self):
        wrong = {
            name: pinned().get(name)
            for name, requirement in direct_dependencies().items()
            if pinned().get(name) not in requirement.specifier
        }
        assert not wrong, "run `make lock`"

    def test_every_pin_has_a_hash(self):
        blocks = re.split(r"^(?=\S)", (ROOT / "requirements.txt").read_text(), flags=re.M)
        assert [b for b in blocks if "==" in b and "--hash=sha256:" not in b] == []


def test_each_direct_dependency_says_why_it_is_there():
    page = (ROOT / "docs/dependencies.md").read_text("utf-8")
    documented = set(re.findall(r"^\| ([\w.-]+) \| .+ \|$", page, re.M)) - {"package", "---"}
    assert documented == set(direct_dependencies())


def test_core_knows_no_municipality_and_no_state():
    """A fourth municipality, elsewhere and with months for periods, must find nothing in its way."""
    keys = PYPROJECT["project"]["entry-points"]["fisc.municipalities"]
    words = {word.replace("_", "[ _-]?") for word in keys} | {
        "fox[ _-]?cities",
        "wisconsin",
        r"\bwis\.",
        "quarter",
        "chamber",
    }
    forbidden = re.compile("|".join(sorted(words)), re.I)
    found = [
        f"{relative(path)}:{number}: {line.strip()}"
        for path in CORE
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if forbidden.search(line)
    ]
    assert found == []


def test_no_file_grows_beyond_what_a_reader_holds():
    lengths = {relative(path): len(path.read_text("utf-8").splitlines()) for path in CORE + PLUGINS}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE_LINES} == {}


def test_money_is_never_a_float():
    """Neither a literal nor a conversion, wherever amounts are computed."""
    exact = [p for p in CORE if p.is_relative_to(ROOT / "core/domain") or p.is_relative_to(ROOT / "core/contract")]
    found = [
        f"{relative(path)}:{node.lineno}"
        for path in exact + PLUGINS
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float")
    ]
    assert found == []


def test_import_contracts_name_only_floors_of_the_house():
    """The contracts pass over what is not built yet, so a misspelt name would never be noticed."""
    contracts = {contract["id"]: contract for contract in PYPROJECT["tool"]["importlinter"]["contracts"]}
    floors = set(re.findall(r"\w+", " ".join(contracts["floors"]["layers"])))
    plugins = set(re.findall(r"\w+", " ".join(contracts["strangers"]["layers"])))
    assert plugins - {"wisconsin"} == set(PYPROJECT["project"]["entry-points"]["fisc.municipalities"])
    for contract in contracts.values():
        lists = (value for key, value in contract.items() if key.endswith(("_modules", "_importers")))
        for name in (name for names in lists for name in names):
            top, _, rest = name.partition(".")
            known = {"core": floors, "plugins": plugins | {"*"}}.get(top)
            assert not rest or known is None or rest.split(".")[0] in known, name
    assert {f"core.{floor}" for floor in floors - {"domain", "contract"}} == set(
        contracts["state-law"]["forbidden_modules"]
    )
    assert {f"core.{floor}" for floor in floors - {"domain", "contract", "kit"}} == set(
        contracts["plugin-surface"]["forbidden_modules"]
    )


def test_no_file_speaks_of_the_machine_it_was_written_on():
    suffixes = {
        ".py",
        ".toml",
        ".md",
        ".csv",
        ".txt",
        ".lock",
        ".yml",
        ".yaml",
        ".json",
        ".j2",
        ".html",
        ".css",
        ".sh",
        "",
    }
    skipped = {".git", ".venv", "build", "dist", "node_modules", ".hypothesis"}
    machine = re.compile(r"(?<![\w.$}])/(?:work|root|opt|home)/|https?://(?:localhost|127\.0\.0\.1)[^\s\"')]*/simple")
    found = []
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if skipped & set(parts) or any(p.endswith(("_cache", "__pycache__", ".egg-info")) for p in parts):
            continue
        if path.is_file() and path.suffix in suffixes and path != Path(__file__).resolve():
            text = path.read_text("utf-8", errors="replace")
            found += [f"{relative(path)}: {hit.group()}" for hit in machine.finditer(text)]
    assert found == []
