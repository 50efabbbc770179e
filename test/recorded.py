#!/usr/bin/env python3
"""Replays recorded traffic and writes test/recorded.tsv: the results for each operation (./build.sh help test-recorded)."""
import json
import os
import re
import subprocess
import sys

TOOLS = os.path.join('..', 'shared', 'tools')
DATA = os.path.join('..', 'shared', 'recordings')
LEAST = (('statuses', 'status', 'n', 97), ('field paths', 'agree', 'paths', 96), ('values', 'equal', 'values', 96))


def words():
    """Maps the recordings' words of paths to ours."""
    with open('examples/dialects/atlas.json') as f:
        return {theirs: ours for ours, theirs in json.load(f).get('paths', {}).items()}


def ours(operation, renamed):
    for theirs, own in renamed.items():
        operation = re.sub(r'(?<=[/:])%s(?=$|[/:])' % re.escape(theirs.lstrip(':/')), own.lstrip(':/'), operation)
    return re.sub(r'\{[^}]*\}', '{}', operation)


def replayed():
    out = 'build/recorded.json'
    r = subprocess.run([sys.executable, os.path.join(TOOLS, 'replay'), '--json', out, '--top', '20'])
    if r.returncode != 0:
        sys.exit('test-recorded: replay ends with %d' % r.returncode)
    with open(out) as f:
        return json.load(f)


def codes_by_another_name(missing):
    """Returns how many of these codes of the recordings, one per line, are codes of ours that the dialect renames. recorded-facts
    looks for the recorded names in the binary, which has only ours, because the dialect is a file."""
    with open('examples/dialects/atlas.json') as f:
        own = {theirs: ours for ours, theirs in json.load(f).get('codes', {}).items()}
    with open('build/svcd', 'rb') as f:
        binary = f.read()
    return sum(1 for code in missing if code in own and b'\0' + own[code].encode() + b'\0' in binary)


def facts():
    """Parses the last line of recorded-facts: "..., 2443 of 2547 fields (19 more by another name), 766 of 795 enum values, ..."."""
    r = subprocess.run([sys.executable, os.path.join(TOOLS, 'recorded-facts'), '--all'], stdout=subprocess.PIPE, text=True)
    print(r.stdout, end='')
    if r.returncode != 0:
        sys.exit('test-recorded: recorded-facts ends with %d' % r.returncode)
    bad = []
    for what in ('fields', 'enum values', 'error codes'):
        m = re.search(r'(\d+) of (\d+) %s(?: \((\d+) more by another name\))?' % what, r.stdout.strip().split('\n')[-1])
        if not m:
            sys.exit('test-recorded: recorded-facts does not say how many %s agree' % what)
        renamed = int(m.group(3) or 0)
        if what == 'error codes':
            section = r.stdout.partition('\nerror code not described by ours')[2].partition('\n\n')[0]
            renamed = codes_by_another_name(re.findall(r'  \d{3}(?:/\d{3})* ([A-Z_]+):', section))
        share = 100 * (int(m.group(1)) + renamed) / int(m.group(2))
        if what == 'error codes' and renamed:
            print('test-recorded: error codes %.1f %% as recorded-facts counts them, %d of %d: it looks for their words in the binary. %d more are words'
                  ' of the dialect, which is a file; test dialect/recorded_codes sends requests that are answered with them'
                  % (100 * int(m.group(1)) / int(m.group(2)), int(m.group(1)), int(m.group(2)), renamed))
        print('test-recorded: %s %.1f %%, %d of them by another name (at least 99 %%)' % (what, share, renamed))
        if share < 99:
            bad.append(what)
    return bad


def short_of(totals):
    bad = []
    for what, part, whole, least in LEAST:
        share = 100 * totals.get(part, 0) / max(totals.get(whole, 0), 1)
        print('test-recorded: %s %.1f %% (at least %d %%)' % (what, share, least))
        if share < least:
            bad.append(what)
    return bad


def evidence(replay):
    renamed, rows = words(), {}
    for operation, _version, counts in replay['operations']:
        row = rows.setdefault(ours(operation, renamed), [0, 0])
        row[0] += counts.get('status', 0)
        row[1] += counts['n']
    text = {op: 'replayed: %d of %d' % tuple(row) for op, row in rows.items()}
    with open(os.path.join(DATA, 'answers.json')) as f:
        for operation in json.load(f):
            text.setdefault(ours(operation, renamed), 'described')
    return text


def main():
    replay = replayed()
    bad = facts()
    text = evidence(replay)
    with open('test/recorded.tsv', 'w') as f:
        for operation in sorted(text):
            f.write('%s\t%s\n' % (operation, text[operation]))
    bad += short_of(replay['totals'])
    if bad:
        sys.exit('test-recorded: below the bound: ' + ', '.join(bad))


main()
