// Calls to the service. The token is a variable of this module: it is in no storage and no cookie, and is lost with the page. The secret is used once, to get
// the token, and is not kept.
//
// Every call returns an answer, whatever happens: { status, ok, body, text, type, headers, ms, why }; status 0: no answer came. Listeners on events hear of
// each call by 'call', and of a lost or restored connection by 'online'.

import { REFUSED, urlAt } from './address.js';

export const events = new EventTarget();
export const home = new URL('.', document.baseURI);
export const session = { id: '', until: 0, lostSince: 0, controlled: false }; // controlled: test control is on
let token = '', testToken = '';

const tell = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));

export const signedIn = () => token !== '';
export const isPast = () => token !== '' && Date.now() >= session.until;
export function dropToken() { token = ''; session.until = 0; } // the token of test control does not expire with it
export function signOut() { dropToken(); testToken = ''; }

function online(is) {
  if (is === !session.lostSince) return;
  session.lostSince = is ? 0 : Date.now();
  tell('online', is);
}

// Nested values are drawn inside of each other, level by level: thousands of levels would end the script, or the browser.
export const DEEPEST = 100;
function isDeep(value) {
  const left = [[value, 0]];
  for (let one; (one = left.pop());) {
    const [v, depth] = one;
    if (depth > DEEPEST) return true;
    if (v !== null && typeof v === 'object') for (const inside of Object.values(v)) if (inside !== null && typeof inside === 'object') left.push([inside, depth + 1]);
  }
  return false;
}

// A request that is not sent, in the form of an answer.
const refused = () => ({ status: 400, ok: false, type: '', headers: new Headers(), text: '', body: { errorCode: 'ADDRESS_REFUSED', detail: REFUSED }, ms: 0, at: Date.now() });

// credentials 'omit': the browser sends no cookie and shows no password dialog of its own after a 401.
async function ask(url, options) {
  const began = performance.now(), at = Date.now();
  let answer;
  try {
    const r = await fetch(url, { cache: 'no-store', ...options, credentials: 'omit', redirect: 'error' });
    const type = r.headers.get('Content-Type') ?? '';
    answer = { status: r.status, ok: r.ok, type, headers: r.headers };
    if (type === '' || /json/.test(type)) answer.text = await r.text();
    else answer.blob = await r.blob();
  } catch {
    answer = { status: 0, ok: false, type: '', headers: new Headers(), text: '' };
  }
  try { answer.body = answer.text ? JSON.parse(answer.text) : undefined; } catch { answer.body = undefined; }
  if (isDeep(answer.body)) Object.assign(answer, { body: undefined, ok: false, isDeep: true });
  answer.ms = performance.now() - began;
  answer.at = at;
  online(answer.status !== 0);
  return answer;
}

// The reason of a refusal, in one line.
function reason(a) {
  const b = a.body ?? {};
  if (a.ok || a.status === 304) return '';
  if (a.isDeep) return 'the answer has more than ' + DEEPEST + ' levels';
  if (a.status === 0) return 'no answer: the connection is lost';
  if (b.error_description) return b.error + ': ' + b.error_description;
  return [b.errorCode, b.detail].filter(Boolean).join(': ') || 'no reason is given';
}

function take(a, id) {
  token = a.body.access_token;
  session.id = id;
  session.until = a.at + 1000 * (a.body.expires_in ?? 3600);
}

// Signs in by the link that svcd prints; its code works once. The answer is an ordinary token, and with test control on, also the token of test control.
export async function signInByLink(code) {
  const a = await ask(new URL('_explorer/sign-in', home), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code }) });
  if (a.ok && a.body?.access_token) {
    take(a, a.headers.get('X-Client-Id') ?? '');
    testToken = a.headers.get('X-Test-Token') ?? '';
  }
  a.why = reason(a);
  return a;
}

// ---- test control: paths below /_svc/, with a token of their own

export const hasTestToken = () => testToken !== '';
export function useTestToken(text) { testToken = text; }

// The health endpoint tells everyone whether test control is on.
export async function isControlled() {
  const a = await ask(new URL('_svc/health', home), { method: 'GET' });
  if (a.body?.ready !== undefined) session.controlled = a.body.testControl === true;
  return session.controlled;
}

// These calls are not in the call log: polling the journal every second would fill it. A refused token is forgotten.
export async function control(method, path, body, type = 'application/json') {
  const used = testToken, headers = { Authorization: 'Bearer ' + used };
  if (body !== undefined) headers['Content-Type'] = type;
  const url = urlAt(home.pathname, '_svc/' + path), a = !url ? refused() : await ask(url, { method, headers, body: body === undefined || body instanceof Blob || typeof body === 'string' ? body : JSON.stringify(body) });
  a.why = reason(a);
  if (a.status === 401 && used === testToken) testToken = '';
  return a;
}

// With test control, an access token that has expired is replaced without the secret: a service whose clock is moved by an hour would sign its page out. Returns
// whether there is a token again. Calls at the same time share one request.
let renewing = null;
export function renew() {
  const id = session.id;
  if (!testToken || !id) return Promise.resolve(false);
  renewing ??= control('POST', 'token', { clientId: id }).then((a) => {
    if (a.ok && a.body?.access_token && session.id === id && testToken) take(a, id);
    return a.ok && signedIn();
  }).finally(() => { renewing = null; });
  return renewing;
}

// Returns the answer. If it is good, the page is signed in.
export async function signIn(id, secret) {
  const basic = btoa(String.fromCharCode(...new TextEncoder().encode(id + ':' + secret)));
  const a = await ask(new URL('api/oauth/token', home), {
    method: 'POST',
    headers: { Authorization: 'Basic ' + basic, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  if (a.ok && a.body?.access_token) take(a, id);
  a.why = reason(a);
  tell('call', { method: 'POST', path: '/api/oauth/token', template: '', answer: { ...a, body: undefined, text: '' } });
  return a;
}

// path: below the API's root, with its query. template: the path in the OpenAPI document, for the limits. again: a repeated call that only checks for changes.
export async function call(method, base, path, { template = '', body, accept, etag, key, again } = {}) {
  const headers = { Authorization: 'Bearer ' + token, Accept: accept ?? '*/*' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (etag) headers['If-None-Match'] = etag;
  if (key) headers['Idempotency-Key'] = key;
  const url = urlAt(base, path), a = !url ? refused() : await ask(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  a.why = reason(a);
  tell('call', { method, path, template, again, answer: a });
  return a;
}

// The document is large and the same for everyone: the browser may cache it, and revalidates it.
export const document_ = () => ask(new URL('openapi.json', home), { method: 'GET', cache: 'no-cache' });
