// The Lab's clock: the service's time, its speed, and the next due steps. Time only moves forwards; snapshots and a reset move it back.

import { el, put } from './dom.js';
import { ago, utc, idOf } from './format.js';
import { clock, iso, moves, note, now, told } from './control.js';
import { field, redraw } from './lab.js';

const UNITS = [['seconds', 1], ['minutes', 60], ['hours', 3600], ['days', 86400]];
const HAPPENS = { state: (d) => d.state + ' ends', expiry: () => 'is deleted', run: () => 'runs', order: (d) => 'order ' + (d.action ?? '') + ' is carried out', erase: () => 'is erased', hostDown: () => 'goes down', hostUp: () => 'comes up' };

// The same day of the next month, or that month's last day.
function month(ms) {
  const d = new Date(ms), day = d.getUTCDate();
  d.setUTCMonth(d.getUTCMonth() + 1);
  if (d.getUTCDate() !== day) d.setUTCDate(0);
  return d.getTime();
}
const left = (ms) => { const s = Math.ceil((ms - now()) / 1000); return s <= 0 ? 'now' : s < 60 ? 'in ' + s + ' s' : ago(ms, now()); };
const sentence = (d) => [el('strong', {}, [d.noun, d.name].filter(Boolean).join(' ') || 'Something'), ' ' + (HAPPENS[d.what]?.(d) ?? 'has work to do')];

export function open(place, lab) {
  const time = el('time', { class: 'lab-time' }), state = el('span', { class: 'badge' }), due = el('div', {}), next = el('p', { class: 'muted' });
  const move = async (body, done) => {
    const a = await lab.act('POST', 'clock', body, { done, changes: true });
    if (a.ok) { note(a.body); list.now(); }
  };
  const to = (ms, done) => move({ now: iso(Math.ceil(ms / 1000) * 1000) }, done);
  const button = (text, f, set) => el('button', { type: 'button', 'data-f': text, onclick: f, ...set }, text);
  const rate = field('Times as fast', { type: 'number', min: 1, max: 1000000, step: 1, value: clock.rate || 60, required: true }), amount = field('By', { type: 'number', min: 1, step: 1, value: 10, required: true });
  const unit = field('Unit', {}, UNITS.map(([name, n]) => el('option', { value: n, selected: name === 'minutes' }, name)));
  const at = field('To (UTC)', { value: iso(now()), pattern: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d)?Z', title: 'A time such as 2030-01-31T12:00:00Z', required: true });
  const form = (f, ...inside) => el('form', { class: 'row', onsubmit: (e) => { e.preventDefault(); f(); } }, inside);
  const stop = button('Stop', () => move({ rate: 0 }, 'The clock is stopped.')), jump = button('Jump to the next step', () => move({ toNextDue: true }, 'The next step is done.'), { class: 'primary' });
  const drawClock = () => {
    time.textContent = told(now());
    time.dateTime = iso(now());
    state.textContent = moves();
    state.className = 'badge' + (clock.rate && clock.manual ? ' busy' : '');
    stop.disabled = !clock.manual || !clock.rate;
    jump.disabled = !clock.manual || clock.nextDueMs === null;
    put(next, clock.nextDueMs === null ? 'Nothing is due.' : ['Next step ', left(clock.nextDueMs), ', at ' + utc(iso(clock.nextDueMs)) + '.']);
  };
  const steps = clock.manual ? [
    el('div', { class: 'lab-grid' },
      el('section', { class: 'card', 'aria-labelledby': 'lab-speed' }, el('h2', { id: 'lab-speed' }, 'Speed'), el('p', { class: 'muted' }, 'A stopped clock moves only when you move it.'), form(() => move({ rate: Number(rate.input.value) }, 'The clock runs.'), rate.node, el('button', { 'data-f': 'run' }, 'Run'), stop)),
      el('section', { class: 'card', 'aria-labelledby': 'lab-move' }, el('h2', { id: 'lab-move' }, 'Move'), el('p', { class: 'muted' }, 'Everything that becomes due on the way happens, in order.'),
        el('div', { class: 'row' }, [['1 min', 60], ['1 hour', 3600], ['1 day', 86400]].map(([text, s]) => button('+ ' + text, () => move({ advanceSeconds: s }, text + ' later.'))), button('+ 1 month', () => to(month(now()), 'A month later.'))),
        form(() => move({ advanceSeconds: Number(amount.input.value) * Number(unit.input.value) }, 'The clock has moved.'), amount.node, unit.node, el('button', { 'data-f': 'advance' }, 'Advance')),
        form(() => to(Date.parse(at.input.value), 'The clock has moved.'), at.node, el('button', { 'data-f': 'set' }, 'Set'))))]
    : [el('p', { class: 'empty' }, 'This is the clock of the machine, which cannot be moved. Start svcd with ', el('code', {}, '--clock manual'), ' or ', el('code', {}, '--clock-rate 60'), '.')];
  put(place, el('section', { class: 'card lab-clock', 'aria-label': 'Clock of the service' }, el('div', { class: 'row' }, time, state), next, clock.manual ? jump : null), steps,
    el('section', { 'aria-labelledby': 'lab-due' }, el('h2', { id: 'lab-due' }, 'Due steps'), due));
  const drawDue = (all) => redraw(due, all.length === 0 ? el('p', { class: 'empty' }, 'Nothing is due. Create a cluster to see its steps here.') : el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Due steps' }, el('table', { class: 'list lab-table' },
    el('thead', {}, el('tr', {}, ['When', 'Time (UTC)', 'What', 'Id', ''].map((h) => el('th', { scope: 'col' }, h || el('span', { class: 'off' }, 'Actions'))))),
    el('tbody', {}, all.map((d) => el('tr', {}, el('td', { class: 'lab-left', 'data-ms': d.timeMs }, left(d.timeMs)), el('td', {}, utc(iso(d.timeMs)).replace(' UTC', '')), el('td', {}, sentence(d)), el('td', {}, /^0+$/.test(d.id ?? '0') ? null : idOf(d.id)),
      el('td', {}, clock.manual ? button('Jump', () => to(d.timeMs, 'The clock has moved.'), { class: 'small', 'data-f': 'jump ' + d.timeMs + ' ' + d.id + d.what, 'aria-label': 'Jump to ' + utc(iso(d.timeMs)) }) : null)))))));
  lab.listen('tick', () => { drawClock(); for (const e of due.querySelectorAll('.lab-left')) e.textContent = left(Number(e.dataset.ms)); });
  drawClock();
  const list = lab.poll(() => 'due?limit=100', (all) => {
    if (!Array.isArray(all)) return;
    clock.nextDueMs = all[0]?.timeMs ?? null;
    drawClock();
    drawDue(all);
  });
}
