// Values in a readable form: states as badges, times as "3 min ago", cents as money, ids shortened with a copy button. The rule: nothing is lost. The title of
// each value has the full value, and copying gives what the service sent.

import { el, say } from './dom.js';

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;
const HAPPENED = /^(created|createDate|createdAt|updated|updatedAt|lastUsedAt|lastPing|resolved|acknowledgedAt)$/;
const UNITS = [['year', 31557600], ['month', 2629800], ['day', 86400], ['hour', 3600], ['min', 60]];

export const isObject = (v) => v !== null && typeof v === 'object';
export const resultsOf = (a) => (Array.isArray(a?.body?.results) ? a.body.results : Array.isArray(a?.body) ? a.body : []).filter(isObject); // of an answer
export const isDate = (v) => typeof v === 'string' && DATE.test(v) && !Number.isNaN(Date.parse(v));
export const isState = (key) => /^(state|status)(Name)?$|(State|Status)$/.test(key);

// ---- states

export const isBusy = (v) => typeof v === 'string' && (/(^|_)(PENDING|QUEUED|REQUESTED|SUBMITTED)$|IN_?PROGRESS/i.test(v)
  || (/^[A-Z_]+ING$/.test(v) && !/^(RUNNING|SIMULATING|WORKING|TRACKING|STREAMING|FORECASTING)$/.test(v)));
const isBad = (v) => /FAIL|ERROR|DEAD|EXPIRED|CANCEL|STALE|REJECT/i.test(v);
const isGood = (v) => /^(IDLE|ACTIVE|READY|AVAILABLE|COMPLETED?|SUCCE.*|STEADY|RUNNING|STARTED|APPLIED|CLOSED|OPEN|ENABLED|PAID|FREE)$/i.test(v);
// The same word is good for one resource and bad for another: by tag, then by value.
const KINDS = { alert: { OPEN: 'bad', TRACKING: 'warn', CLOSED: '' }, invoice: { PENDING: '', FORECASTING: '' }, 'organization user': { PENDING: 'warn' } };
// States of these resources last for days or a month: the page does not poll them.
export const LASTING = new Set(['invoice', 'organization user', 'organization invitation', 'project invitation', 'cluster summary']);

export function badge(value, tag = '') {
  const kind = KINDS[tag]?.[value] ?? (isBusy(value) ? 'busy' : isBad(value) ? 'bad' : isGood(value) ? 'good' : '');
  return el('span', { class: ('badge ' + kind).trim() }, value);
}

// ---- times

// A service with its own clock, as in a test, may be years ahead of the browser. Nothing is created in the future: so if an answer has such a time of creation,
// the clocks differ, and "3 min ago" would be wrong. Then the page shows absolute times.
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

// Updates times while the page is open.
export function refreshTimes() {
  for (const t of document.querySelectorAll('time[data-ago]')) {
    const text = human(t.dateTime);
    if (t.textContent !== text) t.textContent = text;
  }
}

// ---- money, ids

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
export const money = (cents) => (typeof cents === 'number' && Number.isFinite(cents) ? dollars.format(cents / 100) : String(cents));

const fine = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 6 });
export const perHour = (millionths) => fine.format(millionths / 1e6);

// Without https the browser blocks the clipboard, except on localhost: then an invisible field is copied, the old way.
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
    say(done ? 'Copied ' + what + '.' : 'The browser does not allow copying.');
    setTimeout(() => b.classList.remove('copied'), 1500);
  });
  return b;
}

// ---- amounts

export const bytes = (n) => {
  if (typeof n !== 'number') return undefined;
  const unit = ['B', 'KB', 'MB', 'GB', 'TB'], i = Math.min(4, n > 0 ? Math.floor(Math.log10(n) / 3) : 0);
  return (n / 1000 ** i).toFixed(i && n / 1000 ** i < 10 ? 1 : 0) + ' ' + unit[i];
};

const PREFIXES = [['', 1], ['k', 1e3], ['M', 1e6], ['G', 1e9], ['T', 1e12]], SPANS = [['ms', 1], ['s', 1e3], ['min', 6e4], ['h', 36e5], ['d', 864e5]];
const INTO = { KILOBYTES: 1e3, MEGABYTES: 1e6, GIGABYTES: 1e9, SECONDS: 1e3, MINUTES: 6e4, HOURS: 36e5, DAYS: 864e5 };
// How to write amounts up to "most" in a unit of the service: divide by "by" and append "suffix". So all ticks of an axis have the same suffix.
export function scaleOf(most, unit) {
  const [, base, per] = /^(.*?)(?:_PER_(SECOND|HOUR))?$/.exec(String(unit ?? '').toUpperCase()), into = INTO[base] ?? 1, behind = per ? (per === 'HOUR' ? '/h' : '/s') : '';
  if (base === 'CENTS') return { by: 100, prefix: '$', suffix: '' };
  if (base === 'PERCENT') return { by: 1, suffix: ' %' };
  const isTime = /SECONDS$|MINUTES|HOURS|DAYS/.test(base), isSize = /BYTES$/.test(base), list = isTime ? SPANS : PREFIXES;
  const [name, by] = [...list].reverse().find(([, n]) => Math.abs(most) * into >= n) ?? list[0], text = isSize ? ' ' + name.toUpperCase() + 'B' : isTime ? ' ' + name : name ? ' ' + name : '';
  return { by: by / into, suffix: text + behind };
}
// 93.2 %, 1.2 GB, 25, 4.87/s
export function measure(v, unit, { by, prefix = '', suffix } = scaleOf(v, unit), digits) {
  if (typeof v !== 'number') return '–';
  if (prefix && digits === undefined) return money(v);
  const n = v / by, size = Math.abs(n);
  return prefix + (digits === undefined ? String(Number(n.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3))) : n.toFixed(digits)) + suffix;
}
// SYSTEM_NORMALIZED_CPU_USER as "System normalized CPU user"
export const metricWords = (name) => {
  const text = String(name).toLowerCase().replace(/_/g, ' ').replace(/\b(cpu|iops|fts|db|io|gb|mb|irq|ttl|cps|aws|gcp|dns|ldap|api|ip)\b/g, (w) => w.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
};
export const stamp = (ms) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ') + ' UTC';

export const gauge = (share, label) => el('span', { class: 'gauge' }, el('meter', { min: 0, max: 1, low: 0.75, high: 0.9, optimum: 0, value: share, 'aria-label': label }), ' ' + measure(100 * share, 'PERCENT'));

const isCode = (v) => /^[0-9a-f]{24}$/.test(v);
export const short = (id) => (id.length > 12 ? '…' + id.slice(-6) : id);
// inside: replaces the short id, for example by a link
export const idOf = (id, inside) => el('span', { class: 'id', title: id }, inside ?? el('code', {}, short(id)), copyButton(id, 'id'));
export const isId = (key, v) => typeof v === 'string' && /(^id|Id)$/.test(key) && isCode(v);
