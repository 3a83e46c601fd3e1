from pathlib import Path

import pytest

from agent import answer

CASSETTES = Path(__file__).parent / "cassettes" / "test_shipping"


@pytest.mark.vcr
def test_late_parcel():
    assert "Leipzig" in answer("Where is P-4471?")


@pytest.mark.vcr
def test_lost_parcel():
    assert "replacement" in answer("P-4472 has not arrived.")


@pytest.mark.vcr
def test_unknown_parcel():
    assert answer("Where is P-9?")


@pytest.mark.vcr
@pytest.mark.skipif(not (CASSETTES / "test_damaged-parcel.yaml").exists(), reason="no recording: cassettes/test_shipping/test_damaged-parcel.yaml")
def test_damaged_parcel():
    assert "photo" in answer("P-4471 arrived broken.")
