// Test control on every page: a bar which tells that this is no production service, with the service's clock. This module is loaded only if test control is on.
// Reading the clock needs the token of test control; without it, the bar shows no time.

import { $, el, put } from './dom.js';
import * as api from './api.js';
import { utc } from './format.js';

const FASTEST = 5000, SLOWEST = 30000; // ms between two reads of the clock, which another tab or a test may move
export const clock = { known: false, manual: false, rate: 0, nowMs: 0, nextDueMs: null, at: 0 };
let timer = 0, wait = FASTEST, ticking = 0;

export const now = () => clock.nowMs + clock.rate * (performance.now() - clock.at);
export const iso = (ms) => new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
// "stopped at 2030-01-01 00:00 UTC": with seconds if they are not 0, or if the clock runs
export const told = (ms) => utc(iso(ms)).replace(clock.rate ? /$^/ : /:00 UTC$/, ' UTC');
export const moves = () => (!clock.manual ? 'the machine’s' : clock.rate ? 'running' + (clock.rate > 1 ? ' × ' + clock.rate.toLocaleString('en-US') : '') : 'stopped');

function tick() {
  const place = $('control').querySelector('time');
  if (place) place.textContent = told(now());
  api.events.dispatchEvent(new Event('tick'));
}

function draw() {
  const shown = clock.known && api.hasTestToken();
  put($('control'), el('span', {}, el('strong', {}, 'Test control is on'), ': this is not a production service.'),
    shown ? el('span', { class: 'clock' }, 'Clock: ' + moves() + ' at ', el('time', {}, told(now()))) : null, el('a', { href: '#/~lab' }, 'Lab'));
  $('control').hidden = false;
  clearInterval(ticking);
  ticking = shown && clock.rate ? setInterval(tick, 1000) : 0;
}

// Takes the answer of /_svc/clock. Returns whether it has changed.
export function note(body) {
  if (typeof body?.nowMs !== 'number') return false;
  const before = now(), same = clock.known && clock.rate === body.rate && Math.abs(before - body.nowMs) < 1500 * Math.max(1, body.rate) && clock.nextDueMs === body.nextDueMs;
  Object.assign(clock, { known: true, manual: body.manual === true, rate: body.rate, nowMs: body.nowMs, nextDueMs: body.nextDueMs ?? null, at: performance.now() });
  draw();
  tick();
  return !same;
}

export async function look() {
  const a = await api.control('GET', 'clock');
  const news = a.ok && note(a.body);
  wait = news ? FASTEST : Math.min(SLOWEST, wait * 1.5);
  return a;
}

function turn() {
  clearTimeout(timer);
  timer = setTimeout(async () => { if (!document.hidden && api.hasTestToken()) await look(); turn(); }, wait);
}

export async function start() {
  if (api.hasTestToken()) await look();
  draw();
  turn();
}

export function forget() {
  clearTimeout(timer);
  clearInterval(ticking);
  clock.known = false;
  $('control').hidden = true;
  put($('control'));
}
