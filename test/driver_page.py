#!/usr/bin/env python3
"""Generates docs/driver.schema.json, and the reference in docs/driver.md after the line MARK, from the output of `svcd driver`.

  python3 test/driver_page.py            writes both; needs build/svcd (./build.sh run --help builds it, and so does any check)
  python3 test/driver_page.py --check    names the outdated file, and ends with status 1
"""
import json
import subprocess
import sys

SCHEMA, PAGE = "docs/driver.schema.json", "docs/driver.md"
MARK = "<!-- The rest of this page is generated from the tables by python3 test/driver_page.py: do not edit it. -->\n"


def name_of(schema):
    """Returns the component that a schema refers to, or None."""
    ref = (schema or {}).get("$ref") or next((part["$ref"] for part in (schema or {}).get("allOf", []) if "$ref" in part), None)
    return ref.rsplit("/", 1)[1] if ref else None


def link(name):
    return "[%s](#%s)" % (name, name.lower())


def kind(schema):
    """Returns the type of a value, in one or two words."""
    if name_of(schema):
        return link(name_of(schema))
    if "anyOf" in schema and any(name_of(part) for part in schema["anyOf"]):
        return " or ".join(kind(part) for part in schema["anyOf"])
    types = schema.get("type", "any JSON")
    types = types if isinstance(types, list) else [types]
    if "array" in types:
        return " or ".join(["array of " + kind(schema["items"])] + [t for t in types if t != "array"])
    if "object" in types and isinstance(schema.get("additionalProperties"), dict):
        return "map of " + kind(schema["additionalProperties"])
    form = schema.get("format", "")
    return " or ".join(types) + (", " + form if form not in ("", "int32", "int64") else "")


def values(schema):
    """Returns the allowed values. Only the first ones of a long list: the schema has all."""
    inner = schema.get("items", schema) if "$ref" not in schema else schema
    known = inner.get("enum") or next((part["enum"] for part in inner.get("anyOf", []) if "enum" in part), [])
    said = [", ".join("`%s`" % json.dumps(v).strip('"') for v in known[:8]) + (", ..." if len(known) > 8 else "")] if known else []
    said += ["%s %s" % (word, inner[key]) for key, word in (("minimum", "at least"), ("maximum", "at most")) if key in inner]
    said += ["at most %d characters" % inner["maxLength"]] if "maxLength" in inner else []
    said += ["at most %d items" % schema["maxItems"]] if "maxItems" in schema else []
    said += ["`%s`" % inner["pattern"].replace("|", "\\|")] if "pattern" in inner else []
    return "; ".join(said)


def component(name, schema, out):
    out.append("#### %s\n" % name)
    if "oneOf" in schema:
        by = schema["discriminator"]
        rows = ["%s: `%s`" % (link(ref.rsplit("/", 1)[1]), value) for value, ref in by["mapping"].items()]
        out.append("Selected by `%s`: %s.\n" % (by["propertyName"], "; ".join(rows)))
        return
    needed = schema.get("required", [])
    if not schema.get("properties"):
        out.append("An empty object.\n")
        return
    out.append("| field | type | required | values |\n|---|---|---|---|")
    for field, value in schema["properties"].items():
        out.append("| `%s` | %s | %s | %s |" % (field, kind(value), "yes" if field in needed else "", values(value)))
    out.append("")


def orders(document, out):
    out.append("### Orders\n\nThe type of `desired` follows the name of the resource. *Secrets*: a program may ask for them in its first line.\n")
    resources = []
    for order in document["orders"]:
        if order["resource"] not in resources:
            resources.append(order["resource"])
    for resource in sorted(resources, key=str.lower):
        rows = [order for order in document["orders"] if order["resource"] == resource]
        out.append("**%s**: %s%s\n" % (resource, link(name_of(rows[0]["desired"])), ", secrets" if rows[0]["secrets"] else ""))
        out.append("| action | what to do | facts |\n|---|---|---|")
        out.extend("| `%s` | %s | %s |" % (o["action"], o["description"], link(name_of(o["facts"])) if o["facts"] else "none") for o in rows)
        out.append("")


def questions(document, out):
    out.append("### Questions\n\n| what | resource | answer with | parameters | reply |\n|---|---|---|---|---|")
    rows = sorted(document["questions"], key=lambda q: (q["what"], q["resource"], name_of(q["parameters"])))
    for q in rows:
        reply = "lines of text: an array of strings" if q["lines"] else kind(q["reply"])
        out.append("| `%s` | %s | %s | %s | %s |" % (q["what"], q["resource"], q["description"], link(name_of(q["parameters"])), reply))
    out.append("")


def reference(document):
    out = ["", "## Reference\n"]
    out.append("`svcd driver` prints all of this as JSON Schema; [driver.schema.json](driver.schema.json) is that document.\n")
    orders(document, out)
    out.append("### Reports\n\n| resource | facts |\n|---|---|")
    out.extend("| %s | %s |" % (r["resource"], link(name_of(r["facts"]))) for r in document["reports"])
    out.append("")
    questions(document, out)
    out.append("### Objects\n\nObjects have only these fields: svcd refuses facts, reports and replies with others.\n")
    for name, schema in sorted(document["components"]["schemas"].items()):
        if not name.endswith("Line"):
            component(name, schema, out)
    return "\n".join(out).rstrip("\n") + "\n"


def main():
    text = subprocess.run(["build/svcd", "driver"], check=True, capture_output=True, text=True).stdout
    document = json.loads(text)
    with open(PAGE, encoding="utf-8") as page:
        was = page.read()
    prose, mark, _ = was.partition(MARK)
    if not mark:
        sys.exit("%s lacks the line at which the reference begins: %s" % (PAGE, MARK))
    wanted = {SCHEMA: json.dumps(document, indent=1) + "\n", PAGE: prose + MARK + reference(document)}
    outdated = 0
    for path, content in wanted.items():
        try:
            with open(path, encoding="utf-8") as f:
                same = f.read() == content
        except FileNotFoundError:
            same = False
        if same:
            continue
        if "--check" in sys.argv[1:]:
            print("%s is outdated: run python3 test/driver_page.py" % path)
            outdated = 1
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(content)
            print("driver_page: " + path)
    return outdated


if __name__ == "__main__":
    sys.exit(main())
