"""Validates the OpenAPI document, and every form of testdata/api against its schemas.

usage: check_forms.py DOCUMENT FORMS
"""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

LISTS = {
    "turns": "TurnView",
    "outcomes": "Outcome",
    "boards": "BoardView",
    "offers": "OfferView",
    "clocks": "ClockView",
    "seats": "SeatView",
    "listings": "GameListing",
    "records": "GameRecord",
}


def main(document_file, folder):
    document = json.loads(Path(document_file).read_text())
    validate(document)
    count = 0

    def check(schema, form, place):
        nonlocal count
        whole = {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
        errors = list(Draft202012Validator(whole).iter_errors(form))
        assert not errors, f"{place}: {errors[0].message} at {errors[0].json_path}"
        count += 1

    folder = Path(folder)
    for name, schema in LISTS.items():
        for form in json.loads((folder / f"{name}.json").read_text()):
            check(schema, form, name)
    for name, schema in {"view": "View", "message": "StreamMessage"}.items():
        for file in sorted((folder / name).iterdir()):
            check(schema, json.loads(file.read_text()), file.name)
    # The schemas must also refuse: otherwise the checks above show nothing.
    wrong = json.loads((folder / "view/new.json").read_text())
    wrong["outcome"] = {"kind": "won"}
    try:
        check("View", wrong, "a win without sides")
    except AssertionError:
        print(f"{count} forms match their schemas")
    else:
        sys.exit("a win without sides matches the schema")


main(*sys.argv[1:])
