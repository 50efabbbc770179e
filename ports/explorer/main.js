// The page: the location (the hash: a path below the API's root; after "!" the operation whose form is shown; in ?tab= the tab, which is not part of a call,
// because no operation has such a parameter), what is shown there, and what happens when the token has expired or no answer comes.

import { $, el, put, say, words, clock, countdown, plural, breakable, decode, isolated, visible } from './dom.js';
import * as api from './api.js';
import { REFUSED, isRefused } from './address.js';
import { spec, hrefAt, readDocument, readSets, match, opNamed, actions, fill } from './spec.js';
import * as view from './view.js';
import { entityPage } from './entity.js';
import * as palette from './palette.js';
import * as nav from './nav.js';
import * as log from './log.js';
import { forgetTimes, refreshTimes } from './format.js';
import { form, canon } from './form.js';
import { pageNamed } from './pages.js';

const known = {};      // ids for the initial values of forms: of this location and of earlier ones
let turn = 0;          // number of the current view: an answer for an earlier one is late, and not shown
let flash = null;      // message at the top of the next view: { about, text, once }; about: the name of a resource in front of the text
let again = null;      // calls that wait for a new token
let timer = 0;
let shownHash;         // the hash that is shown, or is about to be
let entity = null;     // the tabs that are shown, and their path
let control = null;    // the module of test control, if that is on
let endPage = null;    // ends the current page of the console (pages.js)

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const parentOf = (path) => { for (let p = path; (p = p.replace(/\/[^/]*$/, '')) !== '';) if (match(p)) return p; return '/'; };

function where() {
  const text = location.hash.startsWith('#/') ? location.hash.slice(1) : '/', bang = text.lastIndexOf('!');
  const op = bang > 0 && /^\w+$/.test(text.slice(bang + 1)) ? text.slice(bang + 1) : '', whole = op ? text.slice(0, bang) : text;
  const [path, search = ''] = whole.split(/\?(.*)/s), tab = /(?:^|&)tab=([a-z]+)(?:&|$)/.exec(search)?.[1] ?? '';
  const query = tab ? search.split('&').filter((p) => p !== 'tab=' + tab).join('&') : search;
  return { full: path + (query ? '?' + query : ''), path: path.length > 1 ? path.replace(/\/+$/, '') || '/' : path, query, op, tab };
}

// The address has the current tab. A click adds an entry to the history; arrow keys only replace it.
function noteTab(at, tab, isStep) {
  const hash = '#' + at.full + (tab ? (at.query ? '&' : '?') + 'tab=' + tab : '');
  if (hash === location.hash) return;
  shownHash = hash;
  history[isStep ? 'replaceState' : 'pushState'](history.state, '', location.pathname + location.search + hash);
}

const go = (to) => { if (location.hash === '#' + to) show(); else location.hash = to; };
const title = (text) => { document.title = visible(text) + ' - Console'; };

// ---- signing in

function who() {
  const left = Math.max(0, Math.round((api.session.until - Date.now()) / 60000));
  put($('who'), api.signedIn() ? [el('span', { class: 'id', title: api.session.id }, api.session.id), ' token for ' + (left ? plural(left, 'minute') : 'less than a minute')] : null);
  $('out').hidden = !api.signedIn();
  if (api.isPast()) api.renew().then((is) => { if (is) who(); else if (api.isPast()) expired(); });
}

function askToSignIn(why) {
  const past = Boolean(why);
  $('signin').hidden = false;
  $('view').hidden = true;
  $('go').hidden = $('find-open').hidden = $('menu').hidden = $('nav').hidden = true;
  if ($('find').open) $('find').close();
  put($('signin-wrong'), past ? el('p', { class: 'problem', role: 'alert', 'data-status': 401 }, why) : null);
  if (past) $('client').value = api.session.id;
  title(past ? 'Sign in again' : 'Sign in');
  (past ? $('secret') : $('client')).focus();
}

// The token has expired: the page is hidden, and continues with a new token. Resolves when there is one.
function expired() {
  api.dropToken();
  who();
  askToSignIn('Your token has expired, or was revoked. Sign in again to continue where you were.');
  if (!again) {
    again = { turn };
    again.promise = new Promise((done) => { again.done = done; });
  }
  return again.promise;
}

async function signIn(e) {
  e.preventDefault();
  const id = $('client').value.trim(), secret = $('secret').value, before = api.session.id;
  $('secret').value = '';
  $('signin-go').disabled = true;
  const a = await api.signIn(id, secret);
  $('signin-go').disabled = false;
  if (!api.signedIn()) {
    put($('signin-wrong'), a.status === 401 ? el('p', { class: 'problem', role: 'alert', 'data-status': 401 }, a.why || 'The id or the secret is wrong.') : view.problem(a));
    $('secret').focus();
    return;
  }
  await entered(before, true);
}

// There is a token: continues with the page that was shown, or was about to be. before: the id of the last one who signed in.
async function entered(before, isByHand = false) {
  if (before && before !== api.session.id) { forget(); if (isByHand) api.useTestToken(''); }
  const trouble = await learnService();
  if (trouble) {
    api.signOut();
    put($('signin-wrong'), trouble);
    return;
  }
  put($('signin-wrong'));
  $('signin').hidden = true;
  $('view').hidden = $('side').hidden = $('go').hidden = $('find-open').hidden = $('menu').hidden = $('nav').hidden = false;
  who();
  const waiting = again;
  again = null;
  waiting?.done();
  nav.load(rename);
  setTimeout(formModules, 1000);
  if (waiting?.turn !== turn) show(); // nobody waits, or the location has changed meanwhile
}

// Signs in by a link, whose code boot.js has removed from the address. If it fails, nothing is lost: the form is shown, or the page of the present session.
export async function useLink(code) {
  const before = api.session.id, inside = api.signedIn();
  $('signin-go').disabled = true;
  if (!inside) put($('signin-wrong'), el('p', { class: 'muted', role: 'status' }, 'Signing in by the link.'));
  const a = await api.signInByLink(code);
  $('signin-go').disabled = false;
  if (a.ok && api.signedIn()) { await entered(before); return; }
  const why = a.status === 404 ? 'This service has no sign-in link now: svcd prints one when it starts.' : a.body?.detail ?? a.why;
  if (inside) { show(); put($('banner'), el('div', { class: 'banner' }, why)); say(why); return; }
  put($('signin-wrong'), a.status ? el('p', { class: 'problem', role: 'alert', 'data-status': a.status }, why) : view.problem(a));
  $('client').focus();
}

// The document needs no credentials: it is read before signing in, which shows the service's name and saves time later. If it fails, the next call retries.
let reading = null;
function readService() {
  reading ??= api.document_().then((d) => {
    if (d.ok && d.body?.paths) readDocument(d.body, api.home.pathname); else reading = null;
    $('service').textContent = visible(view.titleOfService());
    $('service-at').textContent = ' at ' + location.host;
    return d;
  });
  return reading;
}

// Reads the operations, the limits and the caller, once. Returns the error, or nothing.
async function learnService() {
  if (!spec.ops.length) {
    const d = await readService();
    if (!spec.ops.length) return view.problem({ ...d, body: d.body ?? { detail: 'There is no OpenAPI document at ' + new URL('openapi.json', api.home) } });
  }
  const limits = opNamed('listRateLimits'), root = match(''), controlled = api.isControlled();
  if (limits && !spec.sets.size) readSets((await api.call('GET', spec.base, limits.template + '?itemsPerPage=100', { template: limits.template, accept: limits.accept })).body?.results);
  if (root) learnCaller((await api.call('GET', spec.base, '', { template: '', accept: root.op.accept })).body);
  if (await controlled) { control = await import('./control.js'); await control.start(); }
  return null;
}

// Names have arrived after the view was drawn.
function rename() {
  const place = $('view').querySelector('.crumbs');
  if (place && !where().path.startsWith('/~')) put(place, nav.crumbs(where().path));
}

function learnCaller(body) {
  const roles = Object.values(body ?? {}).find((v) => Array.isArray(v?.roles))?.roles ?? [];
  for (const r of roles) for (const key of ['orgId', 'groupId']) if (typeof r?.[key] === 'string') known[key] ??= r[key];
}

// Removes what one user saw, before the next one signs in.
function forget() {
  again = flash = null;
  clearTimeout(timer);
  turn++;
  endPage?.();
  endPage = entity = null;
  control?.forget();
  put($('view'));
  for (const key of Object.keys(known)) delete known[key];
  view.forget();
  nav.forget();
  palette.forget();
  forgetTimes();
  log.forget();
}

function signOut() {
  api.signOut();
  forget();
  $('side').hidden = true;
  who();
  askToSignIn('');
  say('Signed out.');
}

// ---- calls that wait: for a new token, and if they change nothing, for the connection

async function call(method, path, op, more = {}) {
  const mine = turn;
  let isRenewed = false; // once per call: a new token may be refused as well
  for (let wait = 1; ; wait = Math.min(30, wait * 2)) {
    if (!api.signedIn()) await (again?.promise ?? expired());
    const a = await api.call(method, spec.base, path === '/' ? '' : path.replace(/^\/\?/, '?'), { template: op?.template ?? '', accept: op?.accept, ...more });
    if (a.status === 401 && api.signedIn() && await isExpired()) {
      if (!isRenewed && (isRenewed = await api.renew())) { who(); continue; }
      await expired();
      wait = 0.5;
    } else if (a.status === 0 && method === 'GET' && mine === turn) {
      await lostFor(wait);
      if (mine !== turn) return a;
    } else return a;
  }
}

// A 401 may also mean that the caller has no role on something: then the root still answers.
async function isExpired() {
  return api.isPast() || (await api.call('GET', spec.base, '', {})).status === 401;
}

function lostFor(seconds) {
  return new Promise((done) => {
    const next = el('span', { 'aria-live': 'off' }), now = el('button', { type: 'button', onclick: () => done() }, 'Try now');
    put($('banner'), el('div', { class: 'banner' }, el('span', {}, 'No connection since ' + clock(api.session.lostSince) + '. '), next, now));
    countdown($('banner').firstChild, Date.now() + 1000 * seconds, (s) => { next.textContent = s ? 'Next try in ' + s + ' s. ' : 'Trying. '; });
    pause(1000 * seconds).then(done);
  });
}

api.events.addEventListener('online', (e) => {
  if (!e.detail) return;
  put($('banner'));
  say('The connection is back.');
});

// ---- what is shown

// The main action of a page, of those that create something below it.
const FIRST = { getGroup: 'createCluster', getOrg: 'createGroup' };

// missing: there is nothing at the path, so it offers no change or delete, but creates.
function actionBar(path, missing = false) {
  const all = actions(path === '/' ? '' : path), here = all.here.filter((op) => !missing || ['PUT', 'POST'].includes(op.method)), below = missing ? [] : all.below;
  const at = path === '/' ? '' : path, first = missing ? undefined : below.find((op) => op.id === FIRST[match(at)?.op.id]);
  const link = (op, to) => el('a', { class: op.method === 'DELETE' ? 'button danger' : op === first || (op.method === 'POST' && match(at)?.op.isList) ? 'button primary' : 'button', href: '#' + to + '!' + op.id, title: op.summary || null }, words(op.id));
  return el('div', { class: 'row actions' }, first ? link(first, at + first.rest) : null, here.map((op) => (op.method === 'DELETE' && !op.query.length && !op.schema
    ? el('button', { type: 'button', class: 'danger', title: op.summary || null, onclick: () => remove(op, path) }, words(op.id)) : link(op, at))),
  el('button', { type: 'button', onclick: () => show({ stay: true }) }, 'Refresh'),
  below.length ? el('details', { class: 'menu' }, el('summary', {}, plural(below.length, 'more action')),
    el('ul', {}, below.sort((a, b) => words(a.id).localeCompare(words(b.id))).map((op) => el('li', {}, el('a', { href: '#' + at + op.rest + '!' + op.id }, words(op.id)))))) : null);
}

function frame(path, heading, focus) {
  const parts = { h1: el('h1', { tabindex: -1 }, heading), state: el('span', { class: 'state' }), notice: el('div', { class: 'notices' }), filter: el('div', {}), content: el('div', { id: 'content' }), raw: el('div', {}), links: el('div', {}), actions: el('div', {}) };
  parts.crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Where you are' }, nav.crumbs(path));
  put($('view'), parts.crumbs, el('div', { class: 'head' }, parts.h1, parts.state), parts.actions, parts.notice, parts.filter, parts.content, parts.links, parts.raw);
  title(heading);
  if (focus) { parts.h1.focus({ preventScroll: true }); scrollTo(0, 0); }
  return parts;
}

// Draws a part again; focus and folds stay. make(): returns the new node, and may reuse parts of the old one; the focus is read before.
function redraw(to, make) {
  const at = document.activeElement, inside = to.contains(at), key = at?.dataset?.f ?? at?.getAttribute?.('href');
  const folds = new Map([...to.querySelectorAll('details[data-f]')].map((d) => [d.dataset.f, d.open]));
  put(to, make());
  for (const d of to.querySelectorAll('details[data-f]')) if (folds.has(d.dataset.f)) d.open = folds.get(d.dataset.f);
  if (inside && key) [...to.querySelectorAll('a, details, [data-f]')].find((e) => (e.dataset.f ?? e.getAttribute('href')) === key && e.checkVisibility())?.focus();
}

// Shows values that can never be read again, mostly secrets.
function onlyNow(once, body) {
  const lost = Object.fromEntries(Object.entries(once ?? {}).filter(([k, v]) => k !== 'links' && !/state|status|updated|lastUsed/i.test(k) && canon(v) !== canon(body?.[k])));
  return Object.keys(lost).length ? el('div', { class: 'card once' }, el('h2', {}, 'Shown only now'), el('p', { class: 'muted' }, 'The service does not show this again: save it if you need it.'), view.entity(lost, 'Shown only now')) : null;
}

function notices(to, body) {
  const f = flash;
  flash = null;
  if (!f) return;
  put(to, el('p', { class: 'done' }, f.about ? isolated(f.about) : null, f.text), f.once ? onlyNow(f.once, body) : null);
  say((f.about ?? '') + f.text);
}

function filters(op, at) {
  const query = op.query.filter((p) => p.name !== 'includeCount');
  if (query.length === 0) return null;
  const now = new URLSearchParams(at.query), values = {};
  for (const p of query) if (now.has(p.name)) values[p.name] = p.schema?.type === 'array' ? now.getAll(p.name) : now.get(p.name);
  const place = el('div', {});
  const fold = el('details', { class: 'filter', ontoggle: () => {
    if (!fold.open || place.firstChild) return;
    put(place, form({ ...op, query, schema: undefined, example: undefined }, { query: values, known: {}, submit: 'Apply', send: async ({ query: q }) => {
      const text = new URLSearchParams(q).toString();
      go(at.path + (text ? '?' + text : ''));
      return {};
    } }));
  } }, el('summary', {}, 'Parameters', at.query ? el('span', { class: 'muted' }, ' are set') : null), place);
  return fold;
}

async function showResource(at, mine, stay) {
  const m = match(at.path === '/' ? '' : at.path), last = at.path.split('/').pop();
  Object.assign(known, m?.params);
  const early = view.names.get(decode(last)) ?? (at.path === '/' ? view.titleOfService() : m?.op.template.endsWith('}') ? decode(last) : words(decode(last)));
  const parts = frame(at.path, early, !stay);
  put(parts.actions, actionBar(at.path));
  if (!m) {
    put(parts.content, el('p', { class: 'empty' }, 'Nothing can be read at this path', actions(at.path).here.length ? '; what can be done is above.' : ': no operation of the service is there.'));
    notices(parts.notice);
    return;
  }
  put(parts.filter, filters(m.op, at));
  if (at.path === '/') await glance(parts.filter, mine); // the rest is below it, and does not move
  if (mine !== turn) return;
  if (m.op.accept && !/json$/.test(m.op.accept)) { put(parts.content, download(m.op, at)); return; }
  put(parts.content, el('p', { class: 'muted', 'aria-busy': 'true' }, 'Asking the service.'));
  await watch(at, m, mine, parts);
}

// Shows what the caller has, on the first page.
async function glance(place, mine) {
  const before = place.firstChild, node = el('section', { class: 'glance', 'aria-label': 'What you have' });
  put(place, node);
  const module = await import('./home.js').catch(() => undefined);
  await nav.loaded;
  if (module && mine === turn) await module.draw(node, nav.places(), (id) => quietly(id, {}, 'itemsPerPage=100'));
  if (before && mine === turn) place.append(before);
}

// Returns the answer of an operation, or undefined: for optional parts of a page.
async function quietly(id, params, query = '') {
  const op = opNamed(id);
  if (!op || op.names.some((n) => !params[n])) return undefined;
  const a = await api.call('GET', spec.base, fill(op.template, params) + (query ? '?' + query : ''), { template: op.template, accept: op.accept });
  return a.ok ? a.body : undefined;
}

function draw(at, m, a, parts) {
  const body = a.body, isList = Array.isArray(body) || Array.isArray(body?.results);
  view.learn(body);
  nav.see(m.op.tag, body);
  view.remember(body, m.op, at.path);
  rename();
  const heading = isList || at.path === '/' ? parts.h1.textContent : view.titleOf(body ?? {}) ?? parts.h1.textContent;
  const state = !isList && body && typeof body === 'object' ? view.stateOf(body) : undefined, was = parts.state.textContent;
  parts.h1.textContent = visible(heading);
  title(heading);
  if (was !== (state ?? '')) put(parts.state, state === undefined ? null : view.badge(state, m.op.tag));
  if (was && state && was !== state) say(heading + ' is now ' + state);
  if (isList || body === undefined || typeof body !== 'object' || body === null || at.path === '/') {
    const again_ = () => redraw(parts.content, () => (isList ? view.list(body, at.path, m.op, () => again_()) : body === undefined ? el('p', { class: 'empty' }, 'The answer is empty.')
      : typeof body === 'object' && body !== null ? view.entity(body, heading) : el('p', {}, String(body))));
    again_();
    redraw(parts.raw, () => (a.text ? raw(body) : null));
    const text = JSON.stringify(body?.links);
    if (parts.linked !== text) put(parts.links, isList ? null : view.links(body, at.full));
    parts.linked = text;
  } else {
    redraw(parts.content, () => {
      parts.entity = entityPage({ body, op: m.op, params: { orgId: body.orgId ?? nav.orgOf(m.params.groupId), ...m.params }, path: at.full, accept: m.op.accept, heading, tab: at.tab, moved: (tab, isStep) => noteTab(at, tab, isStep) }, parts.entity);
      entity = { ...parts.entity, full: at.full };
      return entity.node;
    });
  }
  if (!isList && typeof body?.id === 'string' && m.op.names.length) known[m.op.names.at(-1)] = decode(at.path.split('/').pop());
  if (typeof body?.orgId === 'string') known.orgId = body.orgId;
}

// The answer as JSON.
function raw(body) {
  const place = el('div', {}), fold = el('details', { class: 'raw', 'data-f': 'raw', ontoggle: () => { if (fold.open) put(place, el('pre', { tabindex: 0 }, JSON.stringify(body, null, 2))); } }, el('summary', {}, 'JSON'), place);
  return fold;
}

const EAGER = 5, SLOWEST = 30, PATIENCE = 15 * 60; // reads; seconds

// Shows a resource, and polls it while a change is in progress: five times after a second, then after 2, 4, ... 30 seconds, counted from the last change. Some
// states last for a month, such as that of an invoice: those are not polled (LASTING). Polling ends after 15 minutes without a change, until the user reloads.
async function watch(at, m, mine, parts) {
  let etag, shown = false, quiet = 0, waited = 0;
  for (let n = 0; mine === turn; n++) {
    const a = await call('GET', at.full, m.op, { etag, again: n > 0 });
    if (mine !== turn) return;
    if (a.ok && a.text !== shown?.text) quiet = waited = 0;
    let wait = Math.min(SLOWEST, 2 ** Math.max(0, quiet++ - EAGER + 1));
    if (a.ok) {
      if (!shown || a.text !== shown.text) draw(at, m, a, parts);
      parts.notice.querySelector('.problem')?.remove();
      if (!shown) notices(parts.notice, a.body);
      shown = a;
      etag = a.headers.get('ETag') ?? undefined;
    } else if (a.status === 404 && shown) {
      flash = { about: parts.h1.textContent, text: ' is gone.' };
      go(parentOf(at.path));
      return;
    } else if (a.status !== 304) {
      put(shown ? parts.notice : parts.content, view.problem(a, { template: m.op.template, retry: () => show({ stay: true }) }));
      if (a.status === 404) put(parts.actions, actionBar(at.path, true));
      if (a.status === 400 && parts.filter.firstChild) parts.filter.firstChild.open = true;
      if (!shown) notices(parts.notice);
      if (!shown || a.status !== 429) return;
      wait = Number(a.headers.get('Retry-After') ?? 5);
    }
    waited += wait;
    if (view.unsettled(shown.body, m.op.tag).length === 0 || waited > PATIENCE) return;
    do await new Promise((done) => { timer = setTimeout(done, 1000 * wait); }); while (document.hidden && mine === turn);
  }
}

function download(op, at) {
  const wrong = el('div', {});
  return el('div', { class: 'card' }, el('p', {}, 'This is a file: ', el('code', {}, op.accept), '.'), wrong, el('button', { type: 'button', onclick: async () => {
    const a = await call('GET', at.full, op);
    put(wrong, a.ok ? null : view.problem(a, { template: op.template }));
    if (!a.ok) return;
    const url = URL.createObjectURL(a.blob ?? new Blob([a.text]));
    el('a', { href: url, download: at.path.split('/').pop() }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  } }, 'Download'));
}

// ---- changes

const nameAt = (path) => { const last = decode(path.split('/').pop()); return view.names.get(last) ?? last; };

// typed: the name that must be typed before the button works; without it, a plain question.
function confirm(question, text, yes, typed = '') {
  const d = $('ask'), field = $('ask-name'), button = $('ask-yes');
  $('ask-title').textContent = visible(question);
  put($('ask-text'), text);
  $('ask-typed').hidden = !typed;
  $('ask-which').textContent = visible(typed);
  button.textContent = yes;
  field.value = '';
  const fits = () => !typed || field.value === typed || field.value === visible(typed), // nobody can type what is shown as an escape
   check = () => { button.disabled = !fits(); };
  check();
  field.oninput = check;
  field.onkeydown = (e) => { if (e.key === 'Enter') { e.preventDefault(); if (fits()) d.close('yes'); } };
  d.returnValue = 'no';
  return new Promise((done) => {
    d.addEventListener('close', () => done(d.returnValue === 'yes'), { once: true });
    d.showModal();
    (typed ? field : $('ask-no')).focus();
  });
}

// Asks before a delete. If data is lost with it, the name must be typed.
async function confirmRemoval(op, path) {
  const modules = await formModules();
  if (!modules) { say('No connection: try again.'); return false; }
  const { isTyped, text } = modules[0].goingOf(op), name = nameAt(path);
  return confirm(words(op.id) + '?', [isTyped ? null : [el('strong', {}, breakable(name)), el('br')], text || 'This cannot be undone.'], 'Delete', isTyped ? name : '');
}

async function remove(op, path) {
  const name = nameAt(path), notice = $('view').querySelector('.notices');
  if (!await confirmRemoval(op, path)) return;
  const a = await call('DELETE', path, op);
  if (!a.ok) {
    put(notice, view.problem(a, { method: 'DELETE', template: op.template, retry: () => remove(op, path) }));
    return;
  }
  await afterRemoval(name, path);
}

async function afterRemoval(name, path) {
  const m = match(path), still = m ? await call('GET', path, m.op) : { status: 404 };
  flash = { about: name, text: still.ok ? ' is being deleted.' : ' is deleted.' };
  if (['project', 'organization'].includes(m?.op.tag)) nav.load(rename);
  go(still.ok ? path : parentOf(path));
}

// Modules of forms besides form.js. They are loaded soon after signing in, so that they are there when the connection is lost; undefined: loading failed.
const formModules = () => Promise.all([import('./essentials.js'), import('./preview.js')]).catch(() => undefined);

// The idempotency key of a POST: the service performs it only once, even if it is sent again after a lost answer.
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');

async function showForm(at, mine) {
  const m = match(at.path === '/' ? '' : at.path, spec.ops.find((o) => o.id === at.op)?.method);
  if (!m || m.op.id !== at.op) { put(frame(at.path, 'There is no such operation here', true).content, el('p', { class: 'empty' }, at.op)); return; }
  const { op, params } = m, get = match(at.path), edits = ['PATCH', 'PUT'].includes(op.method);
  Object.assign(known, params);
  const parts = frame(at.path, words(op.id), true), back = '#' + (get ? at.path : parentOf(at.path));
  put(parts.actions, el('p', { class: 'muted' }, el('code', {}, op.method + ' ' + fill(op.template, params)), op.summary && op.summary !== words(op.id) ? ' ' + op.summary : '', op.deprecated ? ' (deprecated)' : ''));
  put(parts.content, el('p', { class: 'muted', 'aria-busy': 'true' }, 'Asking the service.'));
  let value;
  if (edits && get && op.schema) {
    const a = await call('GET', at.path, get.op);
    if (mine !== turn) return;
    if (a.ok) { view.learn(a.body); value = a.body; }
  }
  let sent = '', key = '';
  const send = async ({ query, body }, retry) => {
    if (op.method === 'DELETE' && !await confirmRemoval(op, at.path)) return {};
    const path = at.path + (query.length ? '?' + new URLSearchParams(query) : '');
    if (sent !== path + canon(body)) { sent = path + canon(body); key = newKey(); }
    const a = await call(op.method, path, op, { body, key: op.method === 'POST' ? key : undefined });
    if (a.status !== 0) sent = ''; // the next request gets a new key
    if (!a.ok) return { answer: a, node: view.problem(a, { method: op.method, template: op.template, retry: a.status === 400 ? null : retry }) };
    finish(op, at, a, get);
    return {};
  };
  const context = { params: { ...nav.context(), ...params }, ask: quietly, edits: value !== undefined, who: api.session.id };
  const modules = await formModules();
  if (mine !== turn) return;
  if (!modules) { put(parts.content, view.problem({ status: 0, at: Date.now(), headers: new Headers() }, { retry: () => show() })); return; }
  const [{ planOf }, { previewPart, changesPart }] = modules;
  await nav.loaded;
  const { lead, price } = await planOf(op, { ...context, places: nav.places() });
  if (mine !== turn) return;
  const urlOf = (query = []) => hrefAt((at.path === '/' ? '' : at.path) + (query.length ? '?' + new URLSearchParams(query) : ''));
  put(parts.content, form(op, { value, known, send, lead, cancel: back, submit: words(op.id), above: [price, value !== undefined && op.schema ? changesPart() : null].filter(Boolean),
    below: [previewPart(op, urlOf, new URL('api/oauth/token', api.home).href)] }));
}

function finish(op, at, a, get) {
  if (op.method === 'DELETE') { const last = decode(at.path.split('/').pop()); afterRemoval(view.names.get(last) ?? last, at.path); return; }
  const self = view.selfOf(a.body), to = self ?? (get ? at.path : null);
  const text = words(op.id) + ': done (' + a.status + ').';
  if (a.body && !self && op.method === 'POST') {
    const parts = frame(at.path, words(op.id), true);
    put(parts.notice, el('p', { class: 'done' }, text));
    put(parts.content, view.entity(a.body, 'Answer'), el('p', {}, el('a', { class: 'button', href: '#' + parentOf(at.path) }, 'Back')));
    say(text);
    return;
  }
  flash = { text, once: op.method === 'POST' && !Array.isArray(a.body?.results) ? a.body : undefined };
  go(to ?? parentOf(at.path));
}

// ---- pages of the console

// The console's data about the service may be outdated. Returns whether the token is still valid: it is not if the clock has passed its expiry.
async function refresh() {
  const holds = (await api.call('GET', spec.base, '', {})).status !== 401 || await api.renew();
  if (holds) await nav.load(rename);
  return holds;
}

async function showPage(at, mine) {
  const page = pageNamed(at.path), parts = frame(at.path, page?.title ?? 'There is no such page', true);
  if (!page) { put(parts.content, el('p', { class: 'empty' }, at.path)); return; }
  const isCurrent = () => mine === turn, module = await page.load();
  if (!isCurrent()) return;
  const context = { call, go, title: (text) => { if (isCurrent()) { parts.h1.textContent = visible(text); title(text); } }, isCurrent, query: at.query, confirm, refresh };
  const end = await module.open(parts.content, at.path.slice(page.name.length + 3), context);
  if (isCurrent()) endPage = end ?? null; else end?.();
}

// ---- the page itself

function show({ stay = false } = {}) {
  clearTimeout(timer);
  const mine = ++turn, at = where();
  endPage?.();
  endPage = entity = null;
  shownHash = location.hash;
  put($('banner'));
  $('path').value = at.full;
  if (!api.signedIn()) { askToSignIn(''); return; }
  nav.at(at.path);
  if (isRefused(at.path)) { put(frame('/', 'This address is refused', true).content, el('p', { class: 'problem', role: 'alert' }, REFUSED)); return; }
  if (at.path.startsWith('/~')) showPage(at, mine);
  else if (at.op) showForm(at, mine);
  else showResource(at, mine, stay);
}

function start() {
  log.start();
  nav.start();
  $('skip').addEventListener('click', (e) => { e.preventDefault(); $('main').focus(); });
  $('theme').addEventListener('change', (e) => { document.documentElement.dataset.theme = e.target.value; });
  $('go').addEventListener('submit', (e) => { e.preventDefault(); go('/' + $('path').value.trim().replace(/^\/+/, '')); });
  $('out').addEventListener('click', signOut);
  $('signin-form').addEventListener('submit', signIn);
  // Going back to an entry with another ?project= causes a popstate, but no hashchange. Most moves cause both, and are shown once.
  const moved = () => {
    const code = /^#\/~signin\/(.*)$/s.exec(location.hash)?.[1];
    if (code !== undefined) { history.replaceState(null, '', location.pathname + location.search + (shownHash ?? '')); useLink(code); return; }
    if (location.hash === shownHash || (location.hash !== '' && !location.hash.startsWith('#/'))) return;
    const at = where();
    if (entity?.full !== at.full || at.op) { show(); return; }
    shownHash = location.hash; // only the tab differs
    entity.show(at.tab);
  };
  for (const event of ['hashchange', 'popstate']) addEventListener(event, moved);
  addEventListener('keydown', (e) => {
    const menu = e.key === 'Escape' ? document.querySelector('.menu[open]') : null;
    if (menu) { menu.open = false; menu.firstChild.focus(); }
  });
  setInterval(() => { who(); refreshTimes(); }, 10000);
  palette.start(() => (api.signedIn() && $('signin').hidden ? { ...nav.context(), ...match(where().path)?.params } : null));
  $('signin-go').disabled = false;
  readService();
}

start();
