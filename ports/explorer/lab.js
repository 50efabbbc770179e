// The Lab: test control by hand. Its tabs are modules of their own (lab-*.js), each with open(place, lab), which may return a function that ends it.
//
// lab.act() calls test control and shows errors. lab.poll() polls, less and less often while nothing changes, and never while the page is hidden. lab.redraw()
// keeps the focus. Test control has a token of its own: the page asks for it once and keeps it in a variable.

import { el, newId, put, say, sheet } from './dom.js';
import * as api from './api.js';
import { problem } from './view.js';
import * as control from './control.js';

const TABS = [['clock', 'Clock', () => import('./lab-clock.js')], ['faults', 'Faults', () => import('./lab-faults.js')],
  ['store', 'Snapshots and worlds', () => import('./lab-store.js')], ['journal', 'Journal', () => import('./lab-journal.js')]];

export function redraw(to, ...nodes) {
  const at = document.activeElement, key = to.contains(at) ? at.dataset.f : undefined;
  put(to, nodes);
  if (key !== undefined) ([...to.querySelectorAll('[data-f]')].find((e) => e.dataset.f === key) ?? to.closest('[tabindex]'))?.focus();
}

// A field with its label: field('Name', { value }).
export function field(label, set, ...inside) {
  const id = newId('lab'), input = el(inside.length ? 'select' : 'input', { id, autocomplete: 'off', spellcheck: 'false', 'data-f': label, ...set }, ...inside);
  return { node: el('span', { class: 'lab-field' }, el('label', { for: id }, label), input), input };
}

export function save(content, name, type = 'application/json') {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function poller(look, fastest, slowest) {
  let timer = 0, wait = fastest, over = false, busy = false, again = false;
  const turn = async () => {
    clearTimeout(timer);
    if (busy) { again = true; return; }
    if (over || document.hidden) return; // visibilitychange continues
    busy = true;
    const changed = await look();
    busy = false;
    if (over) return;
    wait = changed ? fastest : Math.min(slowest, wait * 1.5);
    timer = setTimeout(turn, again ? 0 : wait);
    again = false;
  };
  const seen = () => { if (!document.hidden) { wait = fastest; turn(); } };
  document.addEventListener('visibilitychange', seen);
  turn();
  return { now: () => { wait = fastest; turn(); }, end: () => { over = true; clearTimeout(timer); document.removeEventListener('visibilitychange', seen); } };
}

function askToken(done) {
  const f = field('Token of test control', { type: 'password', required: true, autocomplete: 'off' }), wrong = el('div', { role: 'alert' }), go = el('button', { class: 'primary' }, 'Open the Lab');
  const send = async (e) => {
    e.preventDefault();
    api.useTestToken(f.input.value.trim());
    f.input.value = '';
    go.disabled = true;
    const a = await control.look();
    go.disabled = false;
    if (a.ok) { done(); return; }
    api.useTestToken('');
    put(wrong, a.status === 401 ? el('p', { class: 'error' }, 'This is not the token of test control.') : problem(a));
    f.input.focus();
  };
  return el('form', { class: 'card lab-token', onsubmit: send }, el('p', {}, 'The Lab can do everything to this service, so it asks for the token of test control. The token lives in this page only.'), wrong,
    el('div', { class: 'row' }, f.node, go),
    el('p', { class: 'hint' }, 'It is ', el('code', {}, 'testToken'), ' in ', el('code', {}, 'bootstrap.json'), ', or what was given in ', el('code', {}, 'SVCD_TEST_CONTROL_TOKEN'), ' or ', el('code', {}, '--test-control-token-file'), '. A sign-in link of svcd brings it along.'));
}

export function open(place, rest, context) {
  const [name, label, load] = TABS.find(([n]) => n === rest) ?? TABS[0], ends = [], notice = el('div', {}), past = el('div', {}), body = el('div', {});
  let over = false;
  context.title('Lab: ' + label.toLowerCase());
  const close = () => { for (const f of ends.splice(0)) f(); };
  const draw = async () => {
    close();
    await sheet('lab.css');
    if (over) return;
    put(place, el('nav', { class: 'lab-tabs', 'aria-label': 'Parts of the Lab' }, TABS.map(([n, text]) => el('a', { href: '#/~lab/' + n, 'aria-current': n === name ? 'page' : null }, text))), notice, past, body);
    if (!api.hasTestToken()) { put(body, askToken(draw)); return; }
    const end = (await load()).open(body, lab);
    if (over) end?.(); else if (end) ends.push(end);
  };
  const told = (a, method, retry) => {
    if (over) return;
    if (a.status === 401) { put(notice, el('p', { class: 'problem', role: 'alert', 'data-status': 401 }, 'Test control no longer accepts the token. Enter it again.')); draw(); return; }
    if (!a.ok) put(notice, problem(a, { method: method === 'GET' ? 'GET' : 'PUT', retry })); else put(notice);
  };
  const lab = {
    context, isOver: () => over,
    // done: the message after success. changes: other parts of the console may be outdated.
    async act(method, path, sent, { done, changes, type } = {}) {
      const a = await api.control(method, path, sent, type);
      told(a, method);
      if (a.ok && done) say(done);
      if (a.ok && changes) { await control.look(); context.refresh().then((holds) => { if (!over) put(past, holds ? null : el('p', { class: 'hint' }, 'Your token has expired by the clock of the service, or is unknown. The Lab still works; the other pages will ask you to sign in.')); }); }
      return a;
    },
    // seen(body): returns whether it is new. Errors are shown until they are over; 429 and 503 wait for Retry-After.
    poll(path, seen, fastest = 1000, slowest = 15000) {
      let text, until = 0, bad = false;
      const p = poller(async () => {
        if (Date.now() < until || !api.hasTestToken()) return false;
        const a = await api.control('GET', path());
        if (over) return false;
        if (!a.ok) { bad = true; until = Date.now() + 1000 * Number(a.headers.get('Retry-After') ?? 0); told(a, 'GET', () => p.now()); return false; }
        if (bad) { bad = false; told(a); }
        const news = text !== a.text;
        text = a.text;
        if (news) seen(a.body);
        return news;
      }, fastest, slowest);
      ends.push(p.end);
      return p;
    },
    listen(event, f) { api.events.addEventListener(event, f); ends.push(() => api.events.removeEventListener(event, f)); },
  };
  draw();
  return () => { over = true; close(); };
}
