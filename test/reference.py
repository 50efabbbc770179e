#!/usr/bin/env python3
"""docs/reference/*.md from the OpenAPI document of build/svcd, and the checks of the descriptions in it.

  python3 test/reference.py            writes the pages; needs build/svcd (./build.sh run --help builds it, and so does any check)
  python3 test/reference.py --check    prints outdated or missing parts, and ends with status 1

The descriptions come from amalgamation/catalog/reference.txt and amalgamation/catalog/AREA/reference.txt; ports/listener/reference.sh
explains their format. An operation belongs to the area whose file describes it.
"""
import glob
import json
import os
import re
import subprocess
import sys

CATALOG, PAGES = "amalgamation/catalog", "docs/reference"
AREAS = ("cluster deployment backup network security monitoring organization access billing stream search data_federation federation "
         "integration migration policy service").split()
TITLES = {"deployment": "Clusters", "backup": "Backups", "network": "Networks", "security": "Database security", "monitoring": "Monitoring",
          "organization": "Organizations and projects", "access": "People and credentials", "billing": "Billing", "stream": "Streams",
          "search": "Search", "data_federation": "Federated databases", "federation": "Federated sign-in", "integration": "Integrations",
          "migration": "Live migrations", "policy": "Resource policies", "service": "The service itself"}
BANNED = ("is none", "anew", "heeded", "is stronger", "for who ", "of one's own", "come of", "comes of", "so that nobody")
SUFFIXES = ("Request", "Patch", "Replace")
LEAST = 0.95  # of the properties of all schemas
OPERATIONS = 447  # of the API itself; the service has a few more
FACTS = re.compile(r"(?:Open to anybody\. )?(?:Needs the role (?P<roles>[A-Z_]+(?: or [A-Z_]+)*)\. )?Draws from the bucket (?P<bucket>.*)\.$")


def texts():
    """(kind, name, text, file:line, area) of every line of the files."""
    for path in [CATALOG + "/reference.txt"] + sorted(glob.glob(CATALOG + "/*/reference.txt")):
        area = os.path.basename(os.path.dirname(path))
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            m = re.match(r"(operation|parameter|field|resource) ([^:]+): (.*)\n$", line)
            if m:
                yield m.group(1), m.group(2), m.group(3), "%s:%d" % (path, number), area


def operations(doc):
    for path, item in doc["paths"].items():
        for method, operation in item.items():
            if method != "servers":
                yield path, method.upper(), operation


def names_of_objects():
    """Names of objects in the catalog. A schema has such a name, or one with a suffix for requests."""
    found = set()
    for path in glob.glob(CATALOG + "/**/*.[ch]", recursive=True):
        found.update(re.findall(r'"([A-Z][A-Za-z0-9]+)"', open(path, encoding="utf-8").read()))
    return found


class Document:
    def __init__(self):
        said = subprocess.run(["build/svcd", "openapi"], stdout=subprocess.PIPE, check=True).stdout
        self.doc = json.loads(said)
        self.schemas = self.doc["components"]["schemas"]
        self.known = names_of_objects()
        self.forms = {}  # the object's name: its schemas
        for name in self.schemas:
            self.forms.setdefault(self.base(name), []).append(name)

    def base(self, name):
        for suffix in SUFFIXES:
            if name.endswith(suffix) and name not in self.known:
                return name[:-len(suffix)]
        return name

    def described(self, schema):
        if "$ref" in schema and "description" not in schema:
            schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        return schema.get("description")


# ---- the check

def coverage(d, problems):
    missing = [o["operationId"] for _, _, o in operations(d.doc) if FACTS.match(o["description"])]
    count = sum(1 for _ in operations(d.doc))
    for name in missing:
        problems.append("the operation %s has no description" % name)
    if count < OPERATIONS:
        problems.append("only %d operations are in the document" % count)
    for _, _, o in operations(d.doc):
        for p in o["parameters"]:
            if "$ref" not in p and not p.get("description"):
                problems.append("the parameter %s of %s has no description" % (p["name"], o["operationId"]))
    for kind in ("parameters", "headers"):
        for name, p in d.doc["components"][kind].items():
            if not p.get("description"):
                problems.append("%s of the %s that operations share has no description" % (name, kind))
    for tag in d.doc["tags"]:
        if not tag.get("description"):
            problems.append("the resource \"%s\" has no description" % tag["name"])
    every = [(s, n, p) for s, schema in d.schemas.items() for n, p in schema.get("properties", {}).items()]
    bare = ["%s.%s" % (s, n) for s, n, p in every if not d.described(p) or d.described(p) == "any JSON"]
    share = 1 - len(bare) / len(every)
    if share < LEAST:
        problems.append("%.1f %% of %d properties are described, fewer than %d %%: %s" % (100 * share, len(every), 100 * LEAST, " ".join(bare[:20])))
    return "%d operations, %d of %d properties (%.1f %%) are described" % (count - len(missing), len(every) - len(bare), len(every), 100 * share)


def used(d):
    """The (kind, name, text) that appear in the document; a field also by "*"."""
    found = set()
    for _, _, o in operations(d.doc):
        m = FACTS.search(o["description"])
        found.add(("operation", o["operationId"], o["description"][:m.start()].strip()))
        for p in o["parameters"]:
            if "$ref" not in p:
                found.add(("parameter", p["name"], p.get("description")))
                found.add(("parameter", o["operationId"] + "." + p["name"], p.get("description")))
        for r in o["responses"].values():
            for media in r.get("content", {}).values():
                for name, p in media["schema"].get("properties", {}).items():
                    found.add(("field", "Page." + name, p.get("description")))
    for kind in ("parameters", "headers"):
        for name, p in d.doc["components"][kind].items():
            found.add(("parameter", name, p.get("description")))
    for tag in d.doc["tags"]:
        found.add(("resource", tag["name"], tag.get("description")))
    for name, schema in d.schemas.items():
        base = d.base(name)
        parts = dict(schema.get("properties", {}), **schema.get("items", {}).get("properties", {}))
        for field, p in parts.items():
            for of in (base, re.sub(r"[0-9]{8}$", "", base), "*"):
                found.add(("field", of + "." + field, d.described(p)))
    return found


def unknown(d, problems):
    found = used(d)
    for kind, name, text, where, _ in texts():
        objects, _, field = name.rpartition(".") if kind == "field" else ("", "", name)
        for one in objects.split(",") if objects else [""]:
            if (kind, one + "." + field if one else name, text) not in found:
                problems.append("%s: the document shows this text for no %s %s" % (where, kind, one + "." + field if one else name))


def words(name):
    return {w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def wording(problems):
    sentences = {}
    for kind, name, text, where, _ in texts():
        for phrase in BANNED:
            if phrase in text.lower():
                problems.append("%s: \"%s\" is no plain English: CONTRIBUTING.md has the writing guide" % (where, phrase.strip()))
        if not re.match(r"[A-Z0-9`-]", text) or not text.endswith((".", "`.")):
            problems.append("%s: a description is made of whole sentences: a capital letter first, a period last" % where)
        said = words(re.sub(r"[`.,]", " ", text)) - {"the", "of", "a", "an", "this", "in", "to", "is"}
        if said <= words(name.rpartition(".")[2]):
            problems.append("%s: the text only repeats the name" % where)
        if kind != "operation":
            continue
        for sentence in re.split(r"(?<=[.]) ", text):
            if sentence in sentences:
                problems.append("%s: \"%s\" stands in %s as well" % (where, sentence, sentences[sentence]))
            sentences[sentence] = where


def at_home(problems):
    """Checks that an operation is described in the area whose files serve it."""
    for kind, name, _, where, area in texts():
        if kind != "operation":
            continue
        files = [f for f in glob.glob(CATALOG + "/*/*.[ch]") if '.op = "%s"' % name in open(f, encoding="utf-8").read()]
        if files and area not in [os.path.basename(os.path.dirname(f)) for f in files]:
            problems.append("%s: %s is served by %s: describe it there" % (where, name, files[0]))


# ---- the pages

def limits():
    """Name of a bucket: its limits."""
    scopes = {"GROUP": "project", "ORGANIZATION": "organization", "USER": "user", "IP": "address"}
    found = {}
    for m in re.finditer(r'X\([A-Z0-9_]+, "([^"]+)", ([A-Z]+), (\d+), (\d+), (\d+)\)', open(CATALOG + "/set_list.h", encoding="utf-8").read()):
        found[m.group(1)] = "%s: %s requests per %s, %s more every %s seconds" % (m.group(1), m.group(3), scopes[m.group(2)], m.group(4), m.group(5))
    return found


class Pages:
    def __init__(self, d):
        self.d, self.limits, self.homes = d, limits(), {}
        self.area = {name: area for kind, name, _, _, area in texts() if kind == "operation"}
        self.operations = {}
        for path, method, o in operations(d.doc):
            self.operations.setdefault(self.area[o["operationId"]], []).append((path, method, o))
        self.areas = [a for a in AREAS if a in self.operations] + sorted(set(self.operations) - set(AREAS))
        for area in self.areas:
            for _, _, o in self.operations[area]:
                for schema in self.met(o):
                    self.reach(schema, area)

    def met(self, o):
        """Names of the schemas in the bodies and answers of an operation."""
        holders = [o.get("requestBody", {})] + [r for r in o["responses"].values() if "$ref" not in r]
        for holder in holders:
            for media in holder.get("content", {}).values():
                yield from self.refs(media["schema"])

    def refs(self, schema):
        for ref in re.findall(r'"#/components/schemas/([A-Za-z0-9]+)"', json.dumps(schema)):
            if ref not in ("Envelope", "Links", "Status", "Error", "OAuthError"):
                yield ref

    def reach(self, name, area):
        base = self.d.base(name)
        if base in self.homes:
            return
        self.homes[base] = area
        for form in self.d.forms[base]:
            for ref in self.refs(self.d.schemas[form]):
                self.reach(ref, area)

    def link(self, name, area):
        base = self.d.base(name)
        home = self.homes[base]
        return "[%s](%s#%s)" % (base, "" if home == area else home + ".md", base.lower())

    def kind(self, schema, area):
        """The type of a value, in a few words."""
        ref = next(self.refs({k: v for k, v in schema.items() if k in ("$ref", "allOf", "anyOf", "oneOf")}), None)
        if ref:
            return self.link(ref, area)
        if "anyOf" in schema and "enum" in schema["anyOf"][0]:
            return self.values(schema["anyOf"][0]["enum"]) + " or another"
        types = schema.get("type", "any JSON")
        types = [t for t in (types if isinstance(types, list) else [types])]
        said = []
        for t in types:
            if t == "array":
                said.append("list of " + self.kind(schema["items"], area))
            elif t == "object" and isinstance(schema.get("additionalProperties"), dict):
                said.append("map of " + self.kind(schema["additionalProperties"], area))
            elif "enum" in schema and t == "string":
                said.append(self.values([v for v in schema["enum"] if v is not None]))
            else:
                said.append({"hex24": "id"}.get(schema.get("format"), schema.get("format") if t == "string" and "format" in schema else t))
        return " or ".join(said) + self.bounds(schema)

    @staticmethod
    def values(values):
        shown = ", ".join("`%s`" % v for v in values[:8])
        return shown + (", and %d more" % (len(values) - 8) if len(values) > 8 else "")

    @staticmethod
    def bounds(schema):
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is not None and high is not None:
            return ", %s to %s" % (low, high)
        return ", from %s" % low if low is not None else ", up to %s" % high if high is not None else ""

    @staticmethod
    def preset(schema):
        return ", default `%s`" % json.dumps(schema["default"]) if "default" in schema else ""

    def notes(self, base, field):
        """required, read-only and similar; and the default, from all forms of the object."""
        forms = [self.d.schemas[f] for f in self.d.forms[base] if field in self.d.schemas[f].get("properties", {})]
        sent = [self.d.schemas[f] for f in self.d.forms[base] if not f.endswith("Patch") or f == base]
        p = [f["properties"][field] for f in forms]
        said = []
        if all(x.get("readOnly") for x in p):
            said.append("read-only")
        elif any(x.get("writeOnly") for x in p):
            said.append("write-only")
        if any(field in f.get("required", []) for f in sent) and "read-only" not in said:
            said.append("required")
        preset = next((x["default"] for x in p if "default" in x), None)
        if preset is not None:
            said.append("default `%s`" % json.dumps(preset, separators=(",", ":")))
        return ", ".join(said)

    def object(self, base, area):
        yield "### %s\n" % base
        first = self.d.schemas[self.d.forms[base][0]]
        choice = first.get("oneOf") or first.get("anyOf")
        if choice:
            by = first.get("discriminator", {}).get("propertyName")
            yield "One of %s%s.\n" % (", ".join(self.link(r, area) for r in dict.fromkeys(self.refs(choice))), ", by `%s`" % by if by else "")
            return
        fields = {}
        for form in self.d.forms[base]:
            for name, p in self.d.schemas[form].get("properties", {}).items():
                fields.setdefault(name, p)
        yield "| field | type | notes | description |\n|---|---|---|---|"
        for name, p in fields.items():
            if name != "links":
                yield "| `%s` | %s | %s | %s |" % (name, self.kind(p, area), self.notes(base, name), cell(self.d.described(p)))
        yield ""

    def answer(self, status, r, area):
        names = []
        for media in r.get("content", {}).values():
            schema = media["schema"]
            items = schema.get("properties", {}).get("results")
            if items:
                names.append("list of " + self.kind(items["items"], area))
            elif "oneOf" in schema:
                names.append(self.kind(schema["oneOf"][0], area))
            else:
                names.append(self.kind(schema, area))
        return "%s%s" % (status, " " + " or ".join(dict.fromkeys(names)) if names else "")

    def operation(self, path, method, o, area):
        m = FACTS.search(o["description"])
        versions = sorted(set(re.findall(r"\.(\d{4}-\d{2}-\d{2})\+", json.dumps(o))))
        media = [pair for r in o["responses"].values() for pair in r.get("content", {}).items()]
        ends = {re.search(r"\.(\d{4}-\d{2}-\d{2})\+", name).group(1): one["x-sunset"] for name, one in media if "x-sunset" in one}
        yield "### %s\n\n`%s %s`\n" % (o["operationId"], method, path)
        if o.get("deprecated"):
            yield "**Deprecated.**\n"
        yield o["description"][:m.start()].strip() + "\n"
        yield "- Roles: %s" % (" or ".join("`%s`" % r for r in m.group("roles").split(" or ")) if m.group("roles") else
                               "anybody, without credentials" if "security" in o else
                               "as the description says" if "`ORG_OWNER`" in o["description"] else "every caller")
        yield "- Limit: %s" % self.limits.get(m.group("bucket"), m.group("bucket"))
        if versions:
            yield "- Versions: %s" % ", ".join(v + (" (sunset %s)" % ends[v] if v in ends else "") for v in versions)
        body = o.get("requestBody")
        if body:
            kinds = list(dict.fromkeys(self.kind(c["schema"], area) for c in body["content"].values()))
            yield "- Body: %s%s" % (" or ".join(kinds), "" if body["required"] else ", optional")
        yield "- Answers: %s" % "; ".join(self.answer(s, r, area) for s, r in o["responses"].items() if s[0] == "2")
        yield "- Errors: %s" % ", ".join(s for s in o["responses"] if s[0] == "4")
        shared = [p["$ref"].rsplit("/", 1)[1] for p in o["parameters"] if "$ref" in p]
        if shared:
            yield "- Common parameters: %s" % ", ".join("`%s`" % n for n in shared)
        own = [p for p in o["parameters"] if "$ref" not in p]
        if own:
            yield "\n| parameter | in | type | description |\n|---|---|---|---|"
        for p in own:
            place = p["in"] + (", required" if p.get("required") and p["in"] == "query" else "")
            yield "| `%s` | %s | %s | %s |" % (p["name"], place, self.kind(p["schema"], area), cell(p.get("description")))
        yield ""

    @staticmethod
    def at_root(path):
        return path.startswith("/api/") or path == "/openapi.json"

    @staticmethod
    def title(area):
        return TITLES.get(area, area.replace("_", " ").capitalize())

    def page(self, area):
        yield "# %s\n" % self.title(area)
        yield "Generated from the tables and from the files `reference.txt` in `amalgamation/catalog`: `./build.sh reference` writes it."
        root = any(self.at_root(path) for path, _, _ in self.operations[area])
        yield "Paths begin with the base path, `/api/svc/v2`%s. [Common parameters and errors](README.md) and [all roles](../authentication.md#roles) are on pages of their own.\n" % (
            ", except those that begin with `/api/` and `/openapi.json`: these paths are complete" if root else "")
        about = {t["name"]: t.get("description", "") for t in self.d.doc["tags"]}
        tags = dict.fromkeys(o["tags"][0] for _, _, o in self.operations[area])
        for tag in tags:
            yield "## %s\n\n%s\n" % (tag[0].upper() + tag[1:], about[tag])
            for path, method, o in self.operations[area]:
                if o["tags"][0] == tag:
                    yield from self.operation(path, method, o, area)
        mine = sorted(base for base, home in self.homes.items() if home == area)
        if mine:
            yield "## Objects\n"
        for base in mine:
            yield from self.object(base, area)

    def index(self):
        yield "# API reference\n"
        yield "Generated from the tables and from the files `reference.txt` in `amalgamation/catalog`: `./build.sh reference` writes it."
        yield "A running service has the same as `GET /openapi.json`, and `svcd openapi` prints it.\n"
        yield "| area | operations |\n|---|---|"
        for area in self.areas:
            yield "| [%s](%s.md) | %d |" % (self.title(area), area, len(self.operations[area]))
        for kind, title in (("parameters", "Common parameters"), ("headers", "Headers of answers")):
            yield "\n## %s\n\n| name | type | description |\n|---|---|---|" % title
            for name, p in self.d.doc["components"][kind].items():
                yield "| `%s` | %s | %s |" % (name, p["schema"]["type"] + self.bounds(p["schema"]) + self.preset(p["schema"]), cell(p.get("description")))
        yield "\n## Errors\n\nAn error has this body; with the parameter `envelope` it is the `content`. [errors.md](../errors.md) has all codes, and an answer with\n`badRequestDetail`.\n\n| field | type | description |\n|---|---|---|"
        for name, p in self.d.schemas["Error"]["properties"].items():
            yield "| `%s` | %s | %s |" % (name, p["type"], cell(p.get("description")))
        yield "\n## All operations\n\nPaths begin with the base path, `/api/svc/v2`, except those that begin with `/api/` and `/openapi.json`: these paths are complete.\n"
        yield "| operation | request |\n|---|---|"
        for name, area, method, path in sorted((o["operationId"], area, method, path) for area in self.operations for path, method, o in self.operations[area]):
            yield "| [%s](%s.md#%s) | `%s %s` |" % (name, area, name.lower(), method, path)

    def all(self):
        pages = {"README.md": self.index()}
        pages.update({area + ".md": self.page(area) for area in self.areas})
        return {name: "\n".join(lines).rstrip("\n").replace("\n\n\n", "\n\n") + "\n" for name, lines in pages.items()}


def cell(text):
    return (text or "").replace("|", "\\|")


def main():
    d, problems = Document(), []
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    summary = coverage(d, problems)
    unknown(d, problems)
    wording(problems)
    at_home(problems)
    if not any(p.startswith("the operation ") for p in problems):
        pages = Pages(d).all()
        there = set(os.listdir(PAGES)) if os.path.isdir(PAGES) else set()
        if sys.argv[1:]:
            for name in sorted(there | set(pages)):
                path = PAGES + "/" + name
                if name not in pages or name not in there or open(path, encoding="utf-8").read() != pages[name]:
                    problems.append("%s is outdated: run ./build.sh reference" % path)
        else:
            os.makedirs(PAGES, exist_ok=True)
            for name in there - set(pages):
                os.remove(PAGES + "/" + name)
            for name, text in pages.items():
                with open(PAGES + "/" + name, "w", encoding="utf-8") as f:
                    f.write(text)
    for p in problems:
        print(p)
    if problems:
        sys.exit(1)
    print("reference: " + summary)


main()
