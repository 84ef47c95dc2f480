"""Validates the outputs in a folder by their schemas: SARIF (`*.sarif`) and JUnit (`*.xml`) by the official ones, JSON
lines (`SCHEMA.*.jsonl`) and witness files (`*.witness`) by those in docs/schema.

    validate.py FOLDER-OF-OFFICIAL-SCHEMAS FOLDER-OF-OUTPUTS
"""

import json
import sys
from pathlib import Path

import jsonschema
from lxml import etree

official, outputs = map(Path, sys.argv[1:])
own = {path.name: json.loads(path.read_text()) for path in Path("docs/schema").glob("*.json")}
faults = 0


def moved(rule, file):
    """A schema whose references into other files lead into the one schema that holds all of them."""
    if isinstance(rule, list):
        return [moved(item, file) for item in rule]
    if not isinstance(rule, dict):
        return rule
    rule = {key: moved(value, file) for key, value in rule.items() if key not in ("$id", "$schema")}
    if isinstance(rule.get("$ref"), str):
        named, pointer = rule["$ref"].split("#")
        rule["$ref"] = f"#/$defs/{named or file}{pointer}"
    return rule


whole = {"$defs": {name: moved(schema, name) for name, schema in own.items()}}


def by_own_schema(name):
    return jsonschema.Draft202012Validator({**whole, "$ref": f"#/$defs/{name}.json"})


def told(path, problems):
    """Counts the problems of a file, and prints them."""
    global faults
    problems = list(problems)
    faults += len(problems)
    for problem in problems[:5]:
        print(f"{path}: {problem}", file=sys.stderr)


def of_json(validator, value):
    for error in validator.iter_errors(value):
        yield f"{error.json_path}: {error.message[:300]}"


def is_empty(path):
    told(path, ["it is empty"] if path.stat().st_size == 0 else [])
    return path.stat().st_size == 0


for name, schema in own.items():
    jsonschema.Draft202012Validator.check_schema(schema)
lines, reports, witnesses = 0, 0, 0
for path in sorted(outputs.glob("*.jsonl")):
    # What was refused has no lines, but it has its reports.
    if ".refused" in path.name or is_empty(path):
        continue
    validator = by_own_schema(path.name.split(".")[0])
    for line in path.read_text().splitlines():
        told(path, of_json(validator, json.loads(line)))
        lines += 1
for path in sorted(outputs.glob("*.witness")):
    told(path, of_json(by_own_schema("witness"), json.loads(path.read_text())))
    witnesses += 1
schema = json.loads((official / "sarif.json").read_text())
sarif = jsonschema.validators.validator_for(schema)(schema)
for path in sorted(outputs.glob("*.sarif")):
    told(path, of_json(sarif, json.loads(path.read_text())))
    reports += 1
resources = official / "package/test/resources"
junit = [etree.XMLSchema(etree.parse(resources / name)) for name in ("JUnit.xsd", "jenkins-junit.xsd")]
for path in sorted(outputs.glob("*.xml")):
    report = etree.parse(path)
    for schema in junit:
        told(path, [] if schema.validate(report) else schema.error_log)
    reports += 1
print(f"validate: {lines} lines of JSON, {witnesses} witness files, {reports} reports, {faults} faults")
sys.exit(1 if faults or not (lines and witnesses and reports) else 0)
