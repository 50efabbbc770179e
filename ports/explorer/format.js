// Values as people read them: states as badges, times as "3 min ago", cents as money, ids short and with a button that copies them.
// The rule: nothing is lost. The title of each has the full value, and what is copied is what the service sent.

import { el, say } from './dom.js';

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;
const HAPPENED = /^(created|createDate|createdAt|updated|updatedAt|lastUsedAt|lastPing|resolved|acknowledgedAt)$/;
const UNITS = [['year', 31557600], ['month', 2629800], ['day', 86400], ['hour', 3600], ['min', 60]];

export const isObject = (v) => v !== null && typeof v === 'object';
export const isDate = (v) => typeof v === 'string' && DATE.test(v) && !Number.isNaN(Date.parse(v));
export const isState = (key) => /^(state|status)(Name)?$|(State|Status)$/.test(key);

// ---- states

export const isBusy = (v) => typeof v === 'string' && (/(^|_)(PENDING|QUEUED|REQUESTED|SUBMITTED)$|IN_?PROGRESS/i.test(v)
  || (/^[A-Z_]+ING$/.test(v) && !/^(RUNNING|SIMULATING|WORKING|TRACKING|STREAMING|FORECASTING)$/.test(v)));
const isBad = (v) => /FAIL|ERROR|DEAD|EXPIRED|CANCEL|STALE|REJECT/i.test(v);
const isGood = (v) => /^(IDLE|ACTIVE|READY|AVAILABLE|COMPLETED?|SUCCE.*|STEADY|RUNNING|STARTED|APPLIED|CLOSED|OPEN|ENABLED|PAID|FREE)$/i.test(v);
// The same word is good of one resource and bad of another: by tag, then by value.
const KINDS = { alert: { OPEN: 'bad', TRACKING: 'warn', CLOSED: '' }, invoice: { PENDING: '', FORECASTING: '' }, 'organization user': { PENDING: 'warn' } };
// States of these resources last for days or a month: the page does not look again and again whether they have changed.
export const LASTING = new Set(['invoice', 'organization user', 'organization invitation', 'project invitation', 'cluster summary']);

export function badge(value, tag = '') {
  const kind = KINDS[tag]?.[value] ?? (isBusy(value) ? 'busy' : isBad(value) ? 'bad' : isGood(value) ? 'good' : '');
  return el('span', { class: ('badge ' + kind).trim() }, value);
}

// ---- times

// A service with a clock of its own, as in a test, may be years ahead of the browser. Nothing was created in the future: so where an answer says that
// something was, the two clocks differ, and "3 min ago" would be wrong. Then the page shows times as they are.
let ahead = false;
export function noteTimes(o) {
  for (const [k, v] of Object.entries(isObject(o) ? o : {})) if (HAPPENED.test(k) && isDate(v) && Date.parse(v) > Date.now() + 60000) ahead = true;
}
export const forgetTimes = () => { ahead = false; };

// "3 min ago", "in 2 days"; below a minute "just now".
export function ago(ms, now = Date.now()) {
  const s = Math.round((now - ms) / 1000), size = Math.abs(s), unit = UNITS.find(([, n]) => size >= n);
  if (!unit) return s < 0 ? 'in a moment' : 'just now';
  const n = Math.floor(size / unit[1]), text = n + ' ' + unit[0] + (n === 1 || unit[0] === 'min' ? '' : 's');
  return s < 0 ? 'in ' + text : text + ' ago';
}
const human = (v) => (ahead ? v.slice(0, 16).replace('T', ' ') : ago(Date.parse(v)));

export const utc = (v) => v.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');
export const time = (v) => (isDate(v) ? el('time', { datetime: v, title: utc(v), 'data-ago': '' }, human(v)) : el('span', { class: 'value' }, String(v)));
export const fullTime = (v) => el('span', { class: 'value' }, el('time', { datetime: v }, utc(v)), ahead ? null : el('span', { class: 'muted' }, ' (', time(v), ')'));
export const day = (v) => (isDate(v) ? v.slice(0, 10) : String(v));

// Times go on while the page is open.
export function refreshTimes() {
  for (const t of document.querySelectorAll('time[data-ago]')) {
    const text = human(t.dateTime);
    if (t.textContent !== text) t.textContent = text;
  }
}

// ---- money, ids

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
export const money = (cents) => (typeof cents === 'number' && Number.isFinite(cents) ? dollars.format(cents / 100) : String(cents));

// Without https the clipboard of the page is closed, except on this machine: then an invisible field is copied, as before there was one.
async function toClipboard(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* the older way */ }
  const field = el('textarea', { class: 'off', 'aria-hidden': 'true', value: text }), at = document.activeElement;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  at?.focus();
  return done;
}

export function copyButton(text, what, label = '') {
  const b = el('button', { type: 'button', class: label ? 'small' : 'copy', title: 'Copy ' + what, 'aria-label': 'Copy ' + what, 'data-f': 'copy ' + what + ' ' + text.slice(0, 200) }, label || null);
  b.addEventListener('click', async () => {
    const done = await toClipboard(text);
    b.classList.toggle('copied', done);
    say(done ? 'Copied ' + what + '.' : 'The browser does not allow to copy.');
    setTimeout(() => b.classList.remove('copied'), 1500);
  });
  return b;
}

const isCode = (v) => /^[0-9a-f]{24}$/.test(v);
export const short = (id) => (id.length > 12 ? '…' + id.slice(-6) : id);
// inside: a link, say, instead of the short id
export const idOf = (id, inside) => el('span', { class: 'id', title: id }, inside ?? el('code', {}, short(id)), copyButton(id, 'id'));
export const isId = (key, v) => typeof v === 'string' && /(^id|Id)$/.test(key) && isCode(v);

// 13418 -> "13.1 KB"
export const bytes = (n) => { const i = n < 1024 ? 0 : n < 1048576 ? 1 : 2; return (n / 1024 ** i).toLocaleString('en-US', { maximumFractionDigits: i ? 1 : 0 }) + [' B', ' KB', ' MB'][i]; };
