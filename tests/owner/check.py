"""Reads sessions as their owner does, and compares them with what was meant.

    python check.py DIR EXPECTED.json

EXPECTED holds, by file name, the session as it was meant. With flakestorm each file is loaded by its ReplayLoader and its
contract is resolved; without it the file is read by PyYAML alone. Prints what was used.
"""
import json
import sys
from pathlib import Path

import yaml

try:
    from flakestorm.core.config import FlakeStormConfig
    from flakestorm.replay.loader import ReplayLoader, resolve_contract
except ImportError:
    ReplayLoader = None

folder, expected = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
wrong = []
for name, meant in expected.items():
    path = folder / name
    text = path.read_text(encoding="utf-8")
    read = json.loads(text) if name.endswith(".json") else yaml.safe_load(text)
    if read != meant:
        wrong.append(f"{name}: read {read!r}\n  meant {meant!r}")
    if ReplayLoader is None:
        continue
    session = ReplayLoader().load_file(path).model_dump(exclude_unset=True)
    if session != meant:
        wrong.append(f"{name}: loaded {session!r}\n  meant {meant!r}")
    config_path = folder.parent / "flakestorm.yaml"
    if config_path.exists():
        config = FlakeStormConfig.model_validate(yaml.safe_load(config_path.read_text(encoding="utf-8")))
        resolve_contract(meant["contract"], config, folder.parent)
print("\n".join(wrong))
used = "PyYAML" if ReplayLoader is None else "flakestorm and PyYAML"
print(f"{len(expected)} sessions read by {used}", file=sys.stderr)
sys.exit(1 if wrong else 0)
