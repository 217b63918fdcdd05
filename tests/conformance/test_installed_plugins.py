"""Every installed municipality, and Testville, keeps the contract."""

import pytest

from core.contract.conformance import CHECKS
from core.contract.loading import municipality_keys, open_municipality, open_plugin
from tests.support.testville import plugin as testville

TOWNS = {key: open_municipality(key) for key in municipality_keys()} | {
    "testville": open_plugin(testville, "testville")
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("key", sorted(TOWNS))
def test_conforms(key, check):
    check(TOWNS[key])
