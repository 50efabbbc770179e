// The Lab's journal: requests as they arrive, with their answers. The service blanks secrets before it stores an entry. Entries have no numbers: new ones are
// found by the overlap of the last list with this one.

import { el, plural, put } from './dom.js';
import { isRefused, segment } from './address.js';
import * as api from './api.js';
import { copyButton, utc } from './format.js';
import { block } from './code.js';
import { field, save } from './lab.js';

const LIMIT = 200, MOST = 500; // entries per request, and entries shown
const OURS = /^(host|content-length|connection|accept-encoding|authorization|origin|referer|user-agent|cookie|sec-.*)$/i; // headers that curl sets itself, or that only a browser has

const quote = (text) => '\'' + text.replace(/'/g, '\'\\\'\'') + '\'';

// The target of a request, whoever sent it, at this service: text behind the page's own base names no other host, whatever it is.
const urlOf = (target) => api.home.href.replace(/\/$/, '') + (target.startsWith('/') ? '' : '/') + target.replace(/[\u0000-\u0020"<>\\^\x60\u007f-\uffff]/gu, segment);

// The request as a shell command. Headers that the journal does not have are left out; secrets in the body stay blanked, and a line explains that.
export function curlOf(e) {
  const target = String(e.target), headers = (e.request?.headers ?? []).filter((h) => !OURS.test(h.name) && h.value !== '***'), body = e.request?.body, auth = (e.request?.headers ?? []).find((h) => /^authorization$/i.test(h.name))?.value ?? '';
  const who = /^bearer/i.test(auth) ? ['-H "Authorization: Bearer $TOKEN"'] : /^digest/i.test(auth) ? ['--digest --user "$PUBLIC_KEY:$PRIVATE_KEY"'] : /^basic/i.test(auth) ? ['--user "$CLIENT_ID:$CLIENT_SECRET"'] : [];
  const parts = ['curl -sS -X ' + quote(String(e.method)), ...who, ...headers.map((h) => '-H ' + quote(h.name + ': ' + h.value)), ...(body === null || body === undefined ? [] : ['--data-raw ' + quote(typeof body === 'string' ? body : JSON.stringify(body))]), ...(/[[\]{}]/.test(target) ? ['-g'] : []), ...(isRefused(target) ? ['--path-as-is'] : []), quote(urlOf(target))];
  return (parts.some((p) => p.includes('***')) ? '# *** stands for a secret that the journal does not have\n' : '') + parts.join(' \\\n  ');
}

// Returns the number of new entries in the list. If several overlaps are possible, the one with the fewest new entries counts.
export function fresh(before, now) {
  for (let k = 0; k < before.length; k++) {
    const same = before.length - k;
    if (same <= now.length && before.slice(k).every((t, i) => t === now[i])) return now.length - same;
  }
  return now.length;
}

function details(e) {
  const heads = (list) => (list ?? []).map((h) => h.name + ': ' + h.value).join('\n'), part = (title, m) => [el('h3', {}, title), block(heads(m?.headers) + (m?.body === null || m?.body === undefined ? '' : '\n\n' + (typeof m.body === 'string' ? m.body : JSON.stringify(m.body, null, 2))), title.toLowerCase())];
  if (e.fault !== undefined) return block(JSON.stringify(e, null, 2), 'strike');
  return el('div', {}, el('p', { class: 'row' }, copyButton(curlOf(e), 'as curl', 'Copy as curl'), el('span', { class: 'muted' }, e.caller ? 'Caller: ' + (e.caller.name ?? e.caller.id) : 'The caller is unknown.')), part('Request', e.request), part('Answer', e.response));
}

function line(e) {
  const good = e.status < 400, place = el('div', {});
  const fold = el('details', { ontoggle: () => { if (fold.open && !place.firstChild) put(place, details(e)); } }, el('summary', {}, e.fault !== undefined
    ? [el('span', { class: 'lab-status' }, 'fault'), el('span', { class: 'lab-method' }, String(e.fault)), el('code', { class: 'lab-target' }, 'struck ' + [e.about, e.order, e.outcome].filter(Boolean).join(', '))]
    : [el('span', { class: 'lab-status ' + (good ? 'good' : e.status === 429 ? 'warn' : 'bad') }, String(e.status)), el('span', { class: 'lab-method' }, e.method), el('code', { class: 'lab-target' }, e.target), e.errorCode ? el('span', { class: 'lab-code' }, e.errorCode) : null],
  el('time', { class: 'muted' }, utc(e.time).replace(' UTC', ''))), place);
  return { e, node: el('li', {}, fold), text: JSON.stringify(e).toLowerCase() };
}

export function open(place, lab) {
  const list = el('ol', { class: 'lab-journal', 'aria-label': 'Requests, the newest first' }), none = el('p', { class: 'empty', hidden: true }), count = el('span', { class: 'muted' });
  let before = [], rows = [], paused = false;
  const method = field('Method', {}, ['All', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((m) => el('option', {}, m))), path = field('Path has', { type: 'search' }), text = field('Text has', { type: 'search' });
  const status = field('Status', {}, [['', 'All'], ['2', '2xx'], ['4', '4xx'], ['5', '5xx'], ['429', '429'], ['fault', 'Faults']].map(([value, word]) => el('option', { value }, word)));
  const apply = () => {
    const [m, s, p, t] = [method, status, path, text].map((f) => f.input.value.trim());
    let n = 0;
    for (const r of rows) {
      const e = r.e, fits = (m === 'All' || e.method === m) && (!s || (s === 'fault' ? e.fault !== undefined : String(e.status ?? '').startsWith(s))) && (!p || String(e.target ?? '').toLowerCase().includes(p.toLowerCase())) && (!t || r.text.includes(t.toLowerCase()));
      r.node.hidden = !fits;
      n += fits;
    }
    count.textContent = n < rows.length ? n + ' of ' + plural(rows.length, 'request') : plural(rows.length, 'request');
    none.hidden = n > 0;
    none.textContent = rows.length ? 'No request fits the filter.' : 'There are no requests yet.';
  };
  for (const f of [method, status, path, text]) f.input.addEventListener('input', apply);
  const pause = el('button', { type: 'button', 'aria-pressed': 'false', onclick: () => { paused = !paused; pause.textContent = paused ? 'Go on' : 'Pause'; pause.setAttribute('aria-pressed', String(paused)); if (!paused) show(); } }, 'Pause');
  const clear = async () => { if ((await lab.act('DELETE', 'journal', undefined, { done: 'The journal is empty.' })).ok) { latest = before = rows = []; put(list); apply(); } };
  const har = async () => { const a = await lab.act('GET', 'journal?format=har&limit=1000'); if (a.ok) save(a.text, 'journal.har'); };
  let latest = [];
  const show = () => {
    const texts = latest.map((e) => JSON.stringify(e)), n = fresh(before, texts), added = latest.slice(latest.length - n).map(line);
    before = texts;
    rows = [...added.reverse(), ...rows];
    for (const r of rows.splice(MOST)) r.node.remove();
    list.prepend(...added.map((r) => r.node));
    apply();
  };
  put(place, el('div', { class: 'row lab-tools' }, method.node, status.node, path.node, text.node), el('div', { class: 'row between' }, el('div', { class: 'row' }, pause, el('button', { type: 'button', onclick: har }, 'Download HAR'), el('button', { type: 'button', class: 'danger', onclick: clear }, 'Clear')), count), none, list);
  apply();
  lab.poll(() => 'journal?limit=' + LIMIT, (all) => { latest = Array.isArray(all) ? all : []; if (!paused) show(); }, 1000, 10000);
}
