// Charts as SVG: lines over time, stacked bars by day, and lanes of events. Each chart has a name for screen readers, can be read by pointer and by arrow keys,
// and has its numbers in a table behind "Data". Series differ by color, by dashes or hatching, and by marker.
//
// A missing value (null) is a gap: no line crosses it. All times are UTC. The width is that of the container, so texts keep their size.

import { el, newId, put, say, nodes } from './dom.js';
import { measure, scaleOf, stamp } from './format.js';

const NS = 'http://www.w3.org/2000/svg', MIN = 60e3, HOUR = 3600e3, DAY = 864e5;
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '14 4', '4 2 1 2', '1 4', '10 2 2 2'], KINDS = DASHES.length;
const MARKS = ['M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0', 'M-3.5-3.5h7v7h-7z', 'M0-4.5L4.5 3.5h-9z', 'M0-5L5 0L0 5L-5 0z'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const STEPS = [MIN, 5 * MIN, 10 * MIN, 15 * MIN, 30 * MIN, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 7 * DAY, 14 * DAY];

export function svg(tag, set, ...inside) {
  const e = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(set ?? {})) if (value !== undefined && value !== null && value !== false) e.setAttribute(name, value);
  e.append(...nodes(inside));
  return e;
}

// A choice of a few names, as buttons. change(i): another one was chosen.
export function toggle(label, names, at, change) {
  const node = el('div', { class: 'tabs', role: 'group', 'aria-label': label }, names.map((name, i) => el('button', { type: 'button', class: 'tab', 'aria-pressed': String(i === at), 'data-f': label + name, onclick: () => {
    [...node.children].forEach((b, k) => b.setAttribute('aria-pressed', String(k === i)));
    change(i);
  } }, name)));
  return node;
}
export function choice(label, options, value, change) {
  const id = newId('choice');
  return el('span', { class: 'choice' }, el('label', { for: id }, label), el('select', { id, 'data-f': 'choice ' + label, onchange: (e) => change(e.target.value) }, options.map(([key, text, disabled]) => el('option', { value: key, selected: key === value, disabled }, text))));
}

// ---- axes

// Ticks of a value axis from 0 or below: { ticks, digits, top, bottom }, in the unit of the scale.
function valueTicks(low, high, { by, prefix }) {
  const most = Math.max(high, 0) / by || (low < 0 ? 0 : 1), least = Math.min(low, 0) / by, rough = (most - least) / 4, ten = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(prefix ? 0.01 : 0, ten * [1, 2, 2.5, 5, 10].find((n) => n * ten >= rough * 0.999)), from = Math.floor(least / step), to = Math.ceil(most / step - 1e-9), ticks = [];
  for (let i = from; i <= to; i++) ticks.push(i * step);
  return { ticks, digits: prefix ? 2 : Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (step / ten === 2.5 ? 1 : 0)), top: to * step * by, bottom: from * step * by };
}

export const dayOf = (ms) => MONTHS[new Date(ms).getUTCMonth()] + ' ' + new Date(ms).getUTCDate();
function timeTicks(from, to, most) {
  const span = to - from, all = [], step = STEPS.find((s) => span / s <= most);
  if (!step) {
    const every = Math.max(1, Math.ceil(span / (30.4 * DAY) / most)), d = new Date(from);
    for (let y = d.getUTCFullYear(), m = d.getUTCMonth() + 1; ; m += every) {
      const at = Date.UTC(y, m, 1), t = new Date(at);
      if (at > to) return all;
      all.push([at, MONTHS[t.getUTCMonth()] + (t.getUTCMonth() === 0 ? ' ' + t.getUTCFullYear() : '')]);
    }
  }
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) all.push([at, at % DAY === 0 ? dayOf(at) : new Date(at).toISOString().slice(11, 16)]);
  return all;
}

// bands: times of open alerts, as strips on the axis.
function timeAxis(x, from, to, bottom, width, bands = []) {
  const drawn = bands.map((b) => { const left = Math.max(x(from), x(b.from)), right = Math.min(x(to), x(b.to)); return right >= left ? svg('rect', { class: 'band ' + (b.kind ?? ''), x: left, y: bottom - 3, width: Math.max(4, right - left), height: 6 }) : null; });
  return [timeTicks(from, to, Math.max(2, Math.floor(width / 85))).map(([at, text]) => [svg('line', { class: 'tickline', x1: x(at), x2: x(at), y1: bottom, y2: bottom + 4 }), svg('text', { class: 'tick', x: x(at), y: bottom + 17, 'text-anchor': 'middle' }, text)]),
    svg('line', { class: 'axis', x1: x(from), x2: x(to), y1: bottom, y2: bottom }), drawn];
}

// ---- series

const colour = (i) => 'c' + i % KINDS;
const marker = (i, x, y, tag = 'mark') => svg('path', { class: tag + ' fill ' + colour(i), d: MARKS[i % MARKS.length], transform: 'translate(' + x + ' ' + y + ')' });

function linesOf(series, x, y) {
  return series.map((s) => {
    let d = '', pen = false;
    const alone = [];
    s.points.forEach(([t, v], i) => {
      if (typeof v !== 'number') { pen = false; return; }
      d += (pen ? 'L' : 'M') + x(t).toFixed(1) + ' ' + y(v).toFixed(1);
      if (!pen && typeof s.points[i + 1]?.[1] !== 'number') alone.push([t, v]);
      pen = true;
    });
    const end = s.points.findLast(([, v]) => typeof v === 'number');
    return [svg('path', { class: 'line ' + colour(s.i), d, 'stroke-dasharray': DASHES[s.i % KINDS] || null }), alone.map(([t, v]) => marker(s.i, x(t), y(v))), end ? marker(s.i, x(end[0]), y(end[1])) : null];
  });
}

// Hatching covers the color of every other series.
function hatches(id) {
  const lines = [null, 'M0 6L6 0', 'M0 3H6', 'M3 0V6'];
  return svg('defs', {}, lines.map((d, i) => (d ? svg('pattern', { id: id + i, width: 6, height: 6, patternUnits: 'userSpaceOnUse' }, svg('path', { d, class: 'hatch' })) : null)));
}
function barsOf(series, x, y, step, id) {
  const height = new Map(), width = Math.max(2, 0.78 * (x(step) - x(0)));
  return [hatches(id), series.map((s) => s.points.map(([t, v]) => {
    if (!(v > 0)) return null;
    const below = height.get(t) ?? 0, box = { x: x(t + step / 2) - width / 2, y: y(below + v), width, height: Math.max(0.5, y(below) - y(below + v)) };
    height.set(t, below + v);
    return [svg('rect', { class: 'bar fill ' + colour(s.i), ...box }), s.i % 4 ? svg('rect', { ...box, fill: 'url(#' + id + s.i % 4 + ')' }) : null];
  }))];
}

// ---- one chart

function table(series, times, unit, head) {
  const rows = series.map((s) => new Map(s.points));
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Data' }, el('table', { class: 'list' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, head), series.map((s) => el('th', { scope: 'col', class: 'number' }, s.name)))),
    el('tbody', {}, [...times].reverse().map((t) => el('tr', {}, el('th', { scope: 'row' }, head === 'Day' ? stamp(t).slice(0, 10) : stamp(t)), rows.map((r) => el('td', { class: 'number' }, measure(r.get(t), unit))))))));
}

function onWidth(place, draw) {
  let seen = 0;
  new ResizeObserver(() => { if (place.clientWidth !== seen) { seen = place.clientWidth; draw(); } }).observe(place);
}

export function dataFold(make) {
  const place = el('div', {}), fold = el('details', { class: 'data', ontoggle: () => { if (fold.open) put(place, make()); } }, el('summary', {}, 'Data'), place);
  return { fold, again: () => { if (fold.open) put(place, make()); } };
}

// kind: lines or bars. set: { label, unit, series: [{ name, points: [[ms, value or null]] }], from, to, bands, empty, step }; step: the width of a bar in ms.
// Returns { node, update(set) }: an update keeps hidden series and the focus.
export function chart(kind, set) {
  const id = newId('chart'), hidden = new Set(), height = set.height ?? 190, place = el('div', { class: 'plot', tabindex: 0, role: 'group', 'data-f': id }), box = el('div', { class: 'tip', hidden: true }), legend = el('div', { class: 'legend' }), title = el('span', {}), latest = el('span', { class: 'muted' });
  const data = dataFold(() => table(set.series, times(), set.unit, kind === 'bars' ? 'Day' : 'Time'));
  let at = -1, geometry = null;
  const visible = () => set.series.map((s, i) => ({ ...s, i })).filter((s) => !hidden.has(s.name));
  const times = () => [...new Set(set.series.flatMap((s) => s.points.map(([t]) => t)))].sort((a, b) => a - b);
  const half = () => (kind === 'bars' ? set.step / 2 : 0);

  function draw() {
    const width = place.clientWidth, shown = visible(), values = kind === 'bars' ? times().map((t) => shown.reduce((sum, s) => sum + (s.points.find((p) => p[0] === t)?.[1] ?? 0), 0)) : shown.flatMap((s) => s.points.map((p) => p[1]).filter((v) => typeof v === 'number'));
    const isEmpty = !set.series.some((s) => s.points.some(([, v]) => typeof v === 'number'));
    at = Math.min(at, times().length - 1);
    place.hidden = data.fold.hidden = isEmpty;
    none.hidden = !isEmpty;
    if (!width || isEmpty) return;
    const high = Math.max(0, ...values), low = Math.min(0, ...values), scale = scaleOf(Math.max(high, -low), set.unit), { ticks, digits, top, bottom } = valueTicks(low, high, scale);
    const texts = ticks.map((n) => measure(n * scale.by, set.unit, scale, digits)), left = 10 + 6.6 * Math.max(...texts.map((t) => t.length)), y0 = 8, y1 = height - 24;
    const x = (t) => left + (width - left - 12) * (t - set.from) / (set.to - set.from || 1), y = (v) => y1 - (y1 - y0) * (v - bottom) / (top - bottom || 1);
    geometry = { x, y, y0, y1, width, cursor: svg('g', { class: 'cursor' }) };
    const picture = svg('svg', { role: 'img', 'aria-label': describe(shown, values), width: '100%', height, viewBox: '0 0 ' + width + ' ' + height },
      ticks.map((n, i) => [svg('line', { class: 'gridline', x1: left, x2: width - 12, y1: y(n * scale.by), y2: y(n * scale.by) }), svg('text', { class: 'tick', x: left - 6, y: y(n * scale.by) + 4, 'text-anchor': 'end' }, texts[i])]),
      timeAxis(x, set.from, set.to, y1, width - left, set.bands), kind === 'bars' ? barsOf(shown, x, y, set.step, id) : linesOf(shown, x, y), geometry.cursor);
    put(place, picture, box);
    point();
  }

  const describe = (shown, values) => set.label + ', ' + (shown.length === 1 ? shown[0].name : shown.length + ' series') + ', from ' + stamp(set.from) + ' to ' + stamp(set.to) + (values.length ? ': ' + measure(Math.min(...values), set.unit) + ' to ' + measure(Math.max(...values), set.unit) : '');

  // The crosshair, and a box with all values at its time.
  function point(isKey) {
    const all = times(), t = all[at];
    box.hidden = t === undefined;
    put(geometry.cursor);
    if (t === undefined) return;
    const { x, y, y0, y1, width, cursor } = geometry, px = x(t + half()), rows = visible().map((s) => ({ ...s, v: s.points.find((p) => p[0] === t)?.[1] })).filter((s) => kind !== 'bars' || s.v), when = kind === 'bars' ? stamp(t).slice(0, 10) : stamp(t);
    cursor.append(svg('line', { class: 'cross', x1: px, x2: px, y1: y0, y2: y1 }), ...(kind === 'bars' ? [] : rows.filter((s) => typeof s.v === 'number').map((s) => marker(s.i, px, y(s.v), 'mark over'))));
    const sum = kind === 'bars' && rows.length > 1 ? rows.reduce((n, s) => n + s.v, 0) : undefined;
    put(box, el('strong', {}, when), el('ul', {}, rows.map((s) => el('li', {}, sample(s.i), el('span', {}, s.name), el('b', {}, measure(s.v, set.unit)))), sum === undefined ? null : el('li', {}, el('span', {}), el('span', {}, 'Total'), el('b', {}, measure(sum, set.unit)))));
    const right = px > width / 2;
    box.style.left = right ? '' : px + 12 + 'px';
    box.style.right = right ? width - px + 12 + 'px' : '';
    if (isKey) say(when + ': ' + rows.map((s) => s.name + ' ' + measure(s.v, set.unit)).join(', '));
  }
  const sample = (i) => (kind === 'bars' ? svg('svg', { class: 'sample', width: 14, height: 14, 'aria-hidden': 'true' }, svg('rect', { class: 'bar fill ' + colour(i), width: 14, height: 14 }), i % 4 ? svg('rect', { width: 14, height: 14, fill: 'url(#' + id + i % 4 + ')' }) : null)
    : svg('svg', { class: 'sample', width: 30, height: 12, 'aria-hidden': 'true' }, svg('line', { class: 'line ' + colour(i), x1: 0, x2: 30, y1: 6, y2: 6, 'stroke-dasharray': DASHES[i % KINDS] || null }), marker(i, 15, 6)));

  function drawLegend() {
    put(title, set.label);
    const values = set.series.length === 1 ? set.series[0].points.map((p) => p[1]).filter((v) => typeof v === 'number') : [];
    put(latest, kind === 'lines' && values.length ? 'now ' + measure(values.at(-1), set.unit) : set.note ?? '');
    const focused = legend.contains(document.activeElement) ? document.activeElement.dataset.f : null;
    put(legend, set.series.length < 2 ? null : set.series.map((s, i) => el('button', { type: 'button', class: 'key', 'aria-pressed': String(!hidden.has(s.name)), title: 'Show or hide ' + s.name, 'data-f': id + s.name, onclick: () => {
      if (!hidden.delete(s.name)) hidden.add(s.name);
      drawLegend();
      draw();
    } }, sample(i), s.name)));
    if (focused) [...legend.children].find((b) => b.dataset.f === focused)?.focus();
  }

  const none = el('p', { class: 'empty' }, set.empty ?? 'No data in this range.');
  place.addEventListener('pointermove', (e) => {
    const all = times(), px = e.clientX - place.getBoundingClientRect().left;
    if (!geometry || !all.length) return;
    let best = 0;
    all.forEach((t, i) => { if (Math.abs(geometry.x(t + half()) - px) < Math.abs(geometry.x(all[best] + half()) - px)) best = i; });
    if (best !== at) { at = best; point(); }
  });
  for (const event of ['pointerleave', 'blur']) place.addEventListener(event, () => { at = -1; if (geometry) point(); });
  place.addEventListener('keydown', (e) => {
    const n = times().length, to = { ArrowRight: at < 0 ? 0 : at + 1, ArrowLeft: at < 0 ? n - 1 : at - 1, Home: 0, End: n - 1, Escape: -1 }[e.key];
    if (to === undefined || !geometry) return;
    e.preventDefault();
    at = e.key === 'Escape' ? -1 : Math.max(0, Math.min(n - 1, to));
    point(true);
  });
  onWidth(place, draw);
  const name = () => place.setAttribute('aria-label', set.label + ': read its values with the arrow keys');
  name();
  drawLegend();
  draw();
  return { node: el('figure', { class: 'chart' }, el('figcaption', {}, title, latest), place, none, legend, data.fold),
    update: (to) => { set = { ...set, ...to }; name(); drawLegend(); draw(); data.again(); } };
}

// ---- lanes

// rows: [{ name, dots: [{ at, until, label, href, kind, size }] }]; a line goes from a dot to "until". now: the time of a line labeled so. A dot can be
// clicked; for the keyboard, its link is in the table behind the lanes.
export function lanes(set) {
  const place = el('div', { class: 'plot lanes' }), node = el('figure', { class: 'chart' }, el('figcaption', {}, el('span', {}, set.label)), place);
  function draw() {
    const width = place.clientWidth, left = 14 + 6.8 * Math.max(...set.rows.map((r) => r.name.length)), high = 30, bottom = set.rows.length * high + 8;
    if (!width) return;
    const x = (t) => left + 8 + (width - left - 24) * (t - set.from) / (set.to - set.from || 1), inside = (t) => Math.min(set.to, Math.max(set.from, t));
    put(place, svg('svg', { role: 'img', 'aria-label': set.label + ', from ' + stamp(set.from) + ' to ' + stamp(set.to) + ': ' + set.rows.map((r) => r.name + ' ' + r.dots.length).join(', '), width: '100%', height: bottom + 24, viewBox: '0 0 ' + width + ' ' + (bottom + 24) },
      timeAxis(x, set.from, set.to, bottom, width - left),
      set.now ? [svg('line', { class: 'cross', x1: x(set.now), x2: x(set.now), y1: 4, y2: bottom })] : null,
      set.rows.map((r, i) => {
        const y = i * high + high / 2 + 4;
        return [svg('text', { class: 'tick', x: left - 8, y: y + 4, 'text-anchor': 'end' }, r.name), svg('line', { class: 'gridline', x1: left, x2: width - 16, y1: y, y2: y }),
          r.dots.map((d) => (d.until > d.at && d.until >= set.from ? svg('line', { class: 'kept ' + colour(i) + ' ' + (d.kind ?? ''), x1: x(inside(d.at)), x2: x(inside(d.until)), y1: y, y2: y }) : null)),
          r.dots.filter((d) => d.at >= set.from && d.at <= set.to).map((d) => svg('a', { href: d.href ? '#' + d.href : null, tabindex: -1 }, svg('circle', { class: 'dot fill ' + colour(i) + ' ' + (d.kind ?? ''), cx: x(d.at), cy: y, r: d.size ?? 5 }, svg('title', {}, d.label))))];
      })));
  }
  onWidth(place, draw);
  return { node, update: (to) => { set = { ...set, ...to }; draw(); } };
}
