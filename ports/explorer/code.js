// The call of a page or form as code: curl, Python, Node and Go. Each is a whole program that gets its token with credentials from the environment, so it can
// be pasted and run; it has no secret and no token of the page. Programs are lists of lines, because pack.sh removes white space from the lines of a file.

import { el, newId } from './dom.js';
import { copyButton } from './format.js';

// All four languages put a URL between single or double quotes: escape both.
const safe = (url) => new URL(url).href.replace(/'/g, '%27').replace(/[\\\x60$]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
const plain = (type) => (/^[\w.+/-]+$/.test(type ?? '') ? type : 'application/json');

// A body as a literal of the language, over several lines. A JSON string is also a valid string in Python and JavaScript.
const lines = (v, pad, word = String) => {
  const isList = Array.isArray(v), inside = v !== null && typeof v === 'object' ? (isList ? v : Object.entries(v)).map((x) => (isList ? lines(x, pad + '  ', word) : JSON.stringify(x[0]) + ': ' + lines(x[1], pad + '  ', word))) : null;
  if (!inside) return typeof v === 'string' ? JSON.stringify(v) : word(v);
  return inside.length ? (isList ? '[' : '{') + '\n' + inside.map((x) => pad + '  ' + x).join(',\n') + '\n' + pad + (isList ? ']' : '}') : isList ? '[]' : '{}';
};
const python = (v) => ({ true: 'True', false: 'False', null: 'None' }[String(v)] ?? String(v));

// The last argument: method and body of a call other than GET. A JSON string is also a valid string in Go.
export function examples(url, token, accept, { method = 'GET', body } = {}) {
  const [to, from, type] = [safe(url), safe(token), plain(accept)], isGet = method === 'GET', has = body !== undefined, verb = method.toLowerCase();
  return [
    ['curl', [
      '# CLIENT_ID and CLIENT_SECRET: a service account',
      'TOKEN=$(curl -sS -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\',
      '  \'' + from + '\' |',
      '  sed \'s/.*"access_token":"\\([^"]*\\)".*/\\1/\')',
      'curl -sS ' + (isGet ? '' : '-X ' + method + ' ') + '-H "Authorization: Bearer $TOKEN" -H \'Accept: ' + type + '\' \\',
      ...(has ? ['  -H \'Content-Type: application/json\' --data-binary \'' + lines(body, '  ').replace(/'/g, '\'\\\'\'') + '\' \\'] : []),
      '  \'' + to + '\'',
    ]],
    ['Python', [
      'import os, requests',
      '',
      'token = requests.post("' + from + '", data={"grant_type": "client_credentials"},',
      '                      auth=(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])).json()["access_token"]',
      'answer = requests.' + verb + '("' + to + '",',
      ' '.repeat(19 + verb.length) + 'headers={"Authorization": f"Bearer {token}", "Accept": "' + type + '"}' + (has ? ', json=' + lines(body, '', python) : '') + ')',
      'answer.raise_for_status()',
      isGet ? 'print(answer.json())' : 'print(answer.status_code, answer.text)',
    ]],
    ['Node', [
      'const { CLIENT_ID, CLIENT_SECRET } = process.env;',
      'const { access_token } = await (await fetch(\'' + from + '\', {',
      '  method: \'POST\',',
      '  headers: { Authorization: \'Basic \' + btoa(CLIENT_ID + \':\' + CLIENT_SECRET) },',
      '  body: new URLSearchParams({ grant_type: \'client_credentials\' }),',
      '})).json();',
      'const answer = await fetch(\'' + to + '\', {',
      ...(isGet ? [] : ['  method: \'' + method + '\',']),
      '  headers: { Authorization: \'Bearer \' + access_token, Accept: \'' + type + '\'' + (has ? ', \'Content-Type\': \'application/json\'' : '') + ' },',
      ...(has ? ['  body: JSON.stringify(' + lines(body, '  ') + '),'] : []),
      '});',
      'if (!answer.ok) throw new Error(await answer.text());',
      isGet ? 'console.log(await answer.json());' : 'console.log(answer.status, await answer.text());',
    ]],
    ['Go', [
      'package main',
      '',
      'import (',
      '\t"encoding/json"',
      '\t"fmt"',
      '\t"io"',
      '\t"net/http"',
      '\t"os"',
      '\t"strings"',
      ')',
      '',
      'func call(method, url, body string, set func(*http.Request)) []byte {',
      '\treq, err := http.NewRequest(method, url, strings.NewReader(body))',
      '\tif err != nil {',
      '\t\tpanic(err)',
      '\t}',
      '\tset(req)',
      '\tres, err := http.DefaultClient.Do(req)',
      '\tif err != nil {',
      '\t\tpanic(err)',
      '\t}',
      '\tdefer res.Body.Close()',
      '\tb, err := io.ReadAll(res.Body)',
      '\tif err != nil || res.StatusCode >= 400 {',
      '\t\tpanic(fmt.Sprint(res.Status, " ", string(b), err))',
      '\t}',
      '\treturn b',
      '}',
      '',
      'func main() {',
      '\tvar t struct {',
      '\t\tAccessToken string \x60json:"access_token"\x60',
      '\t}',
      '\tb := call("POST", "' + from + '", "grant_type=client_credentials", func(r *http.Request) {',
      '\t\tr.SetBasicAuth(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))',
      '\t\tr.Header.Set("Content-Type", "application/x-www-form-urlencoded")',
      '\t})',
      '\tif err := json.Unmarshal(b, &t); err != nil {',
      '\t\tpanic(err)',
      '\t}',
      '\tfmt.Println(string(call("' + method + '", "' + to + '", ' + (has ? JSON.stringify(JSON.stringify(body)) : '""') + ', func(r *http.Request) {',
      '\t\tr.Header.Set("Authorization", "Bearer "+t.AccessToken)',
      '\t\tr.Header.Set("Accept", "' + type + '")',
      ...(has ? ['\t\tr.Header.Set("Content-Type", "application/json")'] : []),
      '\t})))',
      '}',
    ]],
  ].map(([name, lines]) => [name, lines.join('\n')]);
}

export function block(text, what) {
  return el('div', { class: 'snippet' }, copyButton(text, what, 'Copy'), el('pre', { tabindex: 0, 'aria-label': what }, text));
}

// Shows one language at a time; the choice also applies to the next page.
let language = 'curl';
export function codeOf(url, token, accept, sent) {
  const all = examples(url, token, accept, sent), place = el('div', {}), id = newId('language');
  const select = el('select', { id, onchange: (e) => { language = e.target.value; turn(); } }, all.map(([name]) => el('option', { selected: name === language }, name)));
  const turn = () => place.replaceChildren(block(all.find(([name]) => name === language)[1], language + ' code'));
  turn();
  return el('div', {}, el('div', { class: 'row' }, el('label', { for: id }, 'Language'), select), place);
}
