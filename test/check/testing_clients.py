"""The parts of check/testing_clients that read JSON and YAML. argv[1]: its folder, with NAME.url and NAME.json of running svcd."""
import base64, json, pathlib, re, subprocess, sys, urllib.error, urllib.request

T = pathlib.Path(sys.argv[1])
url = {name: (T / f'{name}.url').read_text().split()[0] for name in ('one', 'two')}
boot = {name: json.loads((T / f'{name}.json').read_text()) for name in ('one', 'two')}


def call(name, method, path, body=None, token=None, kind='application/json'):
    headers = {'Content-Type': kind, **({'Authorization': token} if token else {})}
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url[name] + path, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer: status, text = answer.status, answer.read()
    except urllib.error.HTTPError as e: status, text = e.code, e.read()
    return status, json.loads(text) if text else None


def control(name, method, path, body=None):
    return call(name, method, path, body, 'Bearer ' + boot[name]['testToken'])


def members(value):
    if isinstance(value, list): return [members(v) for v in value[:1]]
    return {k: members(v) if isinstance(v, dict) else None for k, v in value.items()} if isinstance(value, dict) else None


# ---- the page: every block, in order
page = pathlib.Path('docs/testing-clients.md').read_text()
blocks = re.findall(r'^```http\n(.*?)\n```$', page, flags=re.M | re.S)
if len(blocks) < 20: sys.exit(f'docs/testing-clients.md has {len(blocks)} requests only: this check would find nothing')
shown = set()
for block in blocks:
    asked, answered = block.split('\n\n')
    line, *body = asked.split('\n')
    method, path = line.split(' ')
    shown.add((method, re.sub(r'/(before|1)(?=:|$)', '/', path.split('?')[0])))
    status, answer = control('one', method, path, json.loads(body[0]) if body else None)
    want, _, text = answered.partition(' ')
    if status != int(want): sys.exit(f'{line} answers {status}, not {want}: {answer}')
    if members(answer) != members(json.loads(text) if text else None): sys.exit(f'{line} answers {answer}, and the page shows {text}')
source = pathlib.Path('amalgamation/control/serve.c').read_text()
routes = re.findall(r'\{ SVC_(\w+), "([^"]+)", (NULL|"[^"]*"), (?:svc_)?serve_', source)
if len(routes) < 15: sys.exit('the routes are not found in serve.c: this check would find nothing')
for method, path, behind in routes:
    if f"`{method} /_svc/{path}{'' if behind == 'NULL' else 'NAME'}`" in page: continue # the page describes its body in words, because it is not JSON or has any form
    if (method, '/_svc/' + path + ('' if behind == 'NULL' else behind.strip('"'))) not in shown: sys.exit(f'docs/testing-clients.md lacks {method} /_svc/{path}')

# ---- the archive, and replay
def sign_in(name):
    b = boot[name]
    pair = base64.b64encode(f"{b['clientId']}:{b['clientSecret']}".encode()).decode()
    return 'Bearer ' + call(name, 'POST', '/api/oauth/token', b'grant_type=client_credentials', 'Basic ' + pair, 'application/x-www-form-urlencoded')[1]['access_token']


def made(status, wanted, what):
    if status[0] != wanted: sys.exit(f'{what} answers {status}')
    return status[1]


control('one', 'POST', '/_svc/reset')
me, api = sign_in('one'), '/api/svc/v2'
group = made(call('one', 'POST', f'{api}/groups', {'name': 'Shop & Söhne', 'orgId': boot['one']['orgId']}, me), 201, 'a project')['id']
cluster = {'name': 'shop', 'clusterType': 'REPLICASET', 'replicationSpecs': [{'regionConfigs': [{'providerName': 'AWS', 'regionName': 'US_EAST_1', 'priority': 7,
           'electableSpecs': {'instanceSize': 'M10', 'nodeCount': 3}}]}]}
made(call('one', 'POST', f'{api}/groups/{group}/clusters', cluster, me), 201, 'a cluster')
user = {'databaseName': 'admin', 'username': 'joe', 'password': 'correct horse battery', 'roles': [{'databaseName': 'admin', 'roleName': 'readWriteAnyDatabase'}]}
made(call('one', 'POST', f'{api}/groups/{group}/databaseUsers', user, me), 201, 'a user')
made(call('one', 'POST', f"{api}/groups/{boot['one']['groupId']}/accessList", [{'ipAddress': '10.0.0.1', 'comment': 'ü\\"x"'}], me), 201, 'an entry')
made(call('one', 'POST', f'{api}/groups/{group}/integrations/DATADOG', {'type': 'DATADOG', 'apiKey': 'a' * 32, 'region': 'US3'}, me), 201, 'an integration')
made(call('one', 'GET', f'{api}/groups/{group}?pretty=tr%75e', None, me), 200, 'a project')
made(call('one', 'GET', f'{api}/groups/{group}/clusters/none', None, me), 404, 'no cluster')
status, har = control('one', 'GET', '/_svc/journal?format=har')
text = json.dumps(har)
for secret in ('correct horse', 'a' * 32, boot['one']['clientSecret'], me[7:]):
    if secret in text: sys.exit('a secret is in the archive')
entry_members = {'startedDateTime': str, 'time': int, 'request': dict, 'response': dict, 'cache': dict, 'timings': dict}
request_members = {'method': str, 'url': str, 'httpVersion': str, 'cookies': list, 'headers': list, 'queryString': list, 'headersSize': int, 'bodySize': int}
response_members = {'status': int, 'statusText': str, 'httpVersion': str, 'cookies': list, 'headers': list, 'content': dict, 'redirectURL': str, 'headersSize': int, 'bodySize': int}


def has(what, value, wanted):
    for name, kind in wanted.items():
        if not isinstance(value.get(name), kind): sys.exit(f'HAR: {what}.{name} is {value.get(name)!r}')
    for name in value:
        if name not in wanted and not name.startswith('_') and name != 'postData': sys.exit(f'HAR: {what} has {name}')


if har['log']['version'] != '1.2' or len(har['log']['entries']) < 8: sys.exit(f'the archive is not as it should be: {text[:300]}')
for entry in har['log']['entries']:
    has('entry', entry, entry_members), has('request', entry['request'], request_members), has('response', entry['response'], response_members)
    has('timings', entry['timings'], {'send': int, 'wait': int, 'receive': int}), has('content', entry['response']['content'], {'size': int, 'mimeType': str, 'text': str})
    for pair in entry['request']['headers'] + entry['request']['queryString'] + entry['response']['headers']: has('pair', pair, {'name': str, 'value': str})
(T / 'one.har').write_text(text)


def replay(*more, against='two', rc=0):
    done = subprocess.run(['build/svcd', 'replay', str(T / 'one.har'), '--against', url[against], '--credentials', str(T / f'{against}.json'), *more],
                          capture_output=True, text=True, timeout=60)
    if done.returncode != rc: sys.exit(f'replay ends with {done.returncode}: {done.stdout}{done.stderr}')
    return done.stdout


first = replay()
if '6 requests sent: 6 the same, 0 different' not in first: sys.exit(f'replay on a fresh server: {first}')
if '1 skipped' not in first or 'integrations/DATADOG: skipped: a secret in its body' not in first: sys.exit(f'replay sends a secret that it cannot know: {first}')
lines = [json.loads(line) for line in replay('--json', rc=1).splitlines()] # everything exists already
if lines[-1]['what'] != 'summary' or lines[-1]['different'] < 3: sys.exit(f'replay finds nothing on a server that has all of it: {lines}')
control('two', 'POST', '/_svc/reset')
for entry in har['log']['entries']: # as if from another server: one value, one field and one status differ
    content = entry['response']['content']
    if entry['request']['url'].endswith('/groups') and entry['request']['method'] == 'POST':
        body = json.loads(content['text'])
        body['clusterCount'], body['gone'] = 7, 1
        content['text'] = json.dumps(body)
    if entry['request']['url'].endswith('/clusters/none'): entry['response']['status'] = 403
(T / 'one.har').write_text(json.dumps(har))
said = replay(rc=1)
for wanted in ('clusterCount was 7, is 0', 'gone is missing', 'status was 403, is 404', '(3 differences)'):
    if wanted not in said: sys.exit(f'replay does not say "{wanted}": {said}')
control('two', 'POST', '/_svc/reset')
if '(2 differences)' not in replay('--ignore', 'clusterCount', rc=1): sys.exit('replay looks at a field of --ignore')

# texts of an archive that comes from elsewhere: a terminal would obey their control characters
evil = 'a\x1b[2J\x07\x7f\u009b31m\u202eb\u2066\u061c\ufeff\u00e4'
entry = next(e for e in har['log']['entries'] if e['request']['url'].endswith('/clusters/none'))
content = dict(entry['response']['content'], text=json.dumps({evil: 1, 'totalCount': evil}))
asked = dict(entry['request'], url='http://one/api/svc/v2/orgs')
hostile = [dict(entry, request=asked, response=dict(entry['response'], status=200, content=content)),
           dict(entry, request=dict(entry['request'], url=f'http://one/{evil}', method='GET\x1b'))]
(T / 'one.har').write_text(json.dumps({'log': {'entries': hostile}}))
for more in ([], ['--json']):
    said = replay(*more, rc=1)
    if any(ord(c) < 32 and c != '\n' or 127 <= ord(c) < 160 or c in '\u202e\u2066\u061c\ufeff' for c in said.replace('\\u', '')) and not more:
        sys.exit(f'replay prints a control character: {said!r}')
    if any(ord(c) < 32 and c != '\n' or ord(c) == 127 for c in said): sys.exit(f'replay prints a control character: {said!r}')
if 'a\\x1b[2J\\x07\\x7f\\xc2\\x9b31m\\xe2\\x80\\xaeb\\xe2\\x81\\xa6\\xd8\\x9c\\xef\\xbb\\xbf\u00e4' not in replay(rc=1): sys.exit(f'replay does not show them: {replay(rc=1)!r}')
(T / 'one.har').write_text('{"log":{}}')
replay(rc=1)

# ---- files for which there is no engine here
try: import yaml
except ImportError: print('skipped: not installed: python3-yaml')
else:
    for name in ('examples/compose/compose.yaml', 'package/compose.yaml', 'package/action/action.yml', '.github/ISSUE_TEMPLATE/bug.yml',
                 *map(str, pathlib.Path('.github/workflows').glob('*.yml'))):
        top = yaml.safe_load(pathlib.Path(name).read_text())
        wanted = ('services',) if 'compose' in name else ('runs',) if 'action' in name else ('body',) if 'TEMPLATE' in name else ('jobs', True) # on: is true in YAML 1.1
        if not all(w in top for w in wanted): sys.exit(f'{name} lacks one of {wanted}')
        for job in top.get('jobs', {}).values():
            for step in job['steps']:
                if ('run' in step) == ('uses' in step): sys.exit(f'{name}: a step either runs or uses: {step}')
    flags = subprocess.run(['build/svcd', 'serve', '--help'], capture_output=True, text=True).stdout
    for variable in yaml.safe_load(pathlib.Path('examples/compose/compose.yaml').read_text())['services']['svcd']['environment']:
        flag = '--' + variable[5:].lower().replace('_', '-')
        if variable != 'SVCD_TEST_CONTROL_TOKEN' and f'  {flag} ' not in flags and f'  {flag}\n' not in flags: sys.exit(f'examples/compose: svcd has no {flag}')
