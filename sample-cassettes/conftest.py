import pytest


@pytest.fixture(scope="module")
def vcr_config():
    return {"filter_headers": ["authorization"], "match_on": ["method", "uri", "body"], "record_mode": "none"}
