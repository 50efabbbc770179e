// The "Metrics" tab of a cluster or a process: measurements of the hosts, one chart per metric with a line per host. The choices of hosts, metrics, range and
// granularity come from the OpenAPI document and the service. Alerts are shown above the charts, and as bands in them.
//
// The page polls while the range ends now and the page is visible: as often as the granularity gives a new point, later after a failure.

import { el, muted, newId, plural, put, sheet } from './dom.js';
import { opNamed, schemaOf } from './spec.js';
import { asked } from './entity.js';
import { problem, selfOf } from './view.js';
import { isObject, metricWords, resultsOf, stamp } from './format.js';
import { chart, choice, lanes } from './chart.js';
import { alertsOf, configsOf, hostsOf, inWords, shortHost } from './parts.js';

const HOUR = 3600e3, DAY = 864e5, FEW = 3, FEW_MARKS = 6, MOST_POINTS = 750, SLOWEST = 600; // hosts at first; alerts in words; points of a line; seconds
const RANGES = [['1 hour', HOUR, 'PT1H'], ['6 hours', 6 * HOUR, 'PT6H'], ['24 hours', DAY, 'PT24H'], ['7 days', 7 * DAY, 'P7D'], ['30 days', 30 * DAY, 'P30D']];
// Sources of series. part: parts of a host, by the parameter of the path that names one.
const SOURCES = [{ id: 'getProcessMeasurements', name: 'Process' }, { id: 'getProcessDiskMeasurements', name: 'Disk', part: 'partitionName', list: 'listProcessDisks' }, { id: 'getDatabaseMeasurements', name: 'Database', part: 'databaseName', list: 'listDatabases' }];
const FIRST = [/^SYSTEM_NORMALIZED_CPU_USER/, /^CONNECTIONS/, /^OPCOUNTER_CMD/, /^OPCOUNTER_QUERY/, /^(?!MAX).*MEMORY_USED/, /^(?!MAX).*IOPS_TOTAL/, /^(?!MAX).*SPACE_PERCENT_USED/];

const lengthOf = (iso) => { const m = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(iso) ?? []; return DAY * (m[1] ?? 0) + HOUR * (m[2] ?? 0) + 60e3 * (m[3] ?? 0); };
const namesOf = (op, parameter) => { const s = schemaOf(op?.query.find((p) => p.name === parameter)?.schema); return { all: schemaOf(s.items).enum ?? s.enum ?? [], most: s.maxItems ?? 20 }; };
const inLength = (iso) => { const n = lengthOf(iso); return n >= DAY ? plural(n / DAY, 'day') : n >= HOUR ? plural(n / HOUR, 'hour') : n / 60e3 + ' min'; };

// A choice of several entries of a list, folded, with a filter.
function picker(label, options, chosen, most, change) {
  const count = el('span', { class: 'muted' }), id = newId('pick');
  const tell = () => { count.textContent = ' ' + chosen.size + ' of ' + options.length; };
  const items = options.map(({ key, text }) => {
    const box = el('input', { type: 'checkbox', id: id + key, checked: chosen.has(key), 'data-f': label + key, onchange: () => {
      if (box.checked && chosen.size >= most) { box.checked = false; return; }
      if (box.checked) chosen.add(key); else chosen.delete(key);
      tell();
      change();
    } });
    return el('li', {}, box, el('label', { for: id + key }, text));
  });
  const filter = (e) => items.forEach((li) => { li.hidden = !li.textContent.toLowerCase().includes(e.target.value.trim().toLowerCase()); });
  tell();
  return el('details', { class: 'picks', 'data-f': 'pick ' + label }, el('summary', {}, label, count), el('div', { class: 'card' },
    options.length > 12 ? [el('label', { class: 'off', for: id }, 'Filter ' + label.toLowerCase()), el('input', { id, type: 'search', placeholder: 'Filter', autocomplete: 'off', oninput: filter })] : null, el('ul', {}, items)));
}
export async function open(place, x) {
  await sheet('charts.css');
  const { groupId } = x.params, hosts = x.tag === 'process' ? [{ id: x.params.processId, name: shortHost(x.body.userAlias ?? x.params.processId) }] : await hostsOf(x);
  if (!hosts?.length) { put(place, el('p', { class: 'empty' }, hosts ? 'No host of this cluster is known yet.' : 'The hosts of this cluster cannot be read: that needs a role that may read the project.')); return; }
  const sources = SOURCES.map((s) => ({ ...s, op: opNamed(s.id), ...namesOf(opNamed(s.id), 'm') })).filter((s) => s.op);
  const metrics = sources.flatMap((s) => s.all.map((name) => ({ key: s.name + ' ' + name, source: s, name, text: metricWords(name) })));
  const steps = namesOf(sources[0].op, 'granularity').all.filter(lengthOf).sort((a, b) => lengthOf(a) - lengthOf(b));
  const state = { range: 2, step: '', end: null, live: true, hosts: new Set(hosts.slice(0, FEW).map((h) => h.id)), metrics: new Set(FIRST.map((p) => metrics.find((m) => m.source.name !== 'Database' && p.test(m.name))?.key).filter(Boolean)) };
  const charts = new Map(), grid = el('div', { class: 'charts' }), wrong = el('div', {}), above = el('div', {}), tools = el('div', { class: 'row picker' }), told = el('span', { class: 'muted told', role: 'status' });
  let parts = {}, alerts = [], turn = 0, timer = 0, wait = 0, now = 0;

  const auto = () => steps.find((s) => RANGES[state.range][1] / lengthOf(s) <= MOST_POINTS) ?? steps.at(-1);
  const step = () => state.step || auto();
  // A disk or a database is read from the first host: all hosts of a cluster have the same.
  async function partOf(s) {
    if (!s.part || parts[s.name]) return;
    const a = await asked(s.list, { groupId, processId: hosts[0].id }), all = resultsOf(a).map((o) => o[s.part]).filter((v) => typeof v === 'string');
    parts[s.name] = { all, now: all.find((n) => !/^(admin|config|local)$/.test(n)) ?? all[0] };
    drawTools();
  }

  async function seriesOf(host, s, names) {
    const query = new URLSearchParams({ granularity: step() });
    if (state.end) { query.set('start', new Date(state.end - RANGES[state.range][1]).toISOString().slice(0, 19) + 'Z'); query.set('end', new Date(state.end).toISOString().slice(0, 19) + 'Z'); } else query.set('period', RANGES[state.range][2]);
    for (const n of names) query.append('m', n);
    return asked(s.id, { groupId, processId: host.id, ...(s.part ? { [s.part]: parts[s.name].now } : {}) }, query.toString(), { again: wait > 0 });
  }

  async function load() {
    const mine = ++turn, chosen = [...state.metrics].map((key) => metrics.find((m) => m.key === key)), used = sources.filter((s) => chosen.some((m) => m.source === s));
    clearTimeout(timer);
    await Promise.all(used.map(partOf));
    const wanted = hosts.filter((h) => state.hosts.has(h.id)), jobs = used.filter((s) => !s.part || parts[s.name].now).flatMap((s) => wanted.map((h) => ({ s, h, names: chosen.filter((m) => m.source === s).map((m) => m.name).slice(0, s.most) })));
    const answers = await Promise.all(jobs.map(async (j) => ({ ...j, a: await seriesOf(j.h, j.s, j.names) })));
    if (mine !== turn) return;
    const bad = answers.find(({ a }) => !a?.ok), good = answers.filter(({ a }) => a?.ok);
    put(wrong, bad ? problem(bad.a, { template: bad.s.op.template, retry: load }) : null);
    if (good.length || !bad) draw(chosen, good);
    again(bad?.a);
  }

  function draw(chosen, answers) {
    const ends = answers.map(({ a }) => Date.parse(a.body?.end)).filter((t) => t > 0), to = state.end ?? (Math.max(...ends, 0) || now || Date.now()), from = to - RANGES[state.range][1];
    if (!state.end) now = to;
    const bands = alerts.filter((a) => a.from <= to && a.to(to) >= from).map((a) => ({ from: a.from, to: a.to(to), kind: a.kind }));
    for (const [key, c] of charts) if (!state.metrics.has(key)) { c.node.remove(); charts.delete(key); }
    for (const m of chosen) {
      const found = answers.filter((j) => j.s === m.source).map((j) => ({ name: j.h.name, of: (Array.isArray(j.a.body?.measurements) ? j.a.body.measurements : []).find((s) => s?.name === m.name) })).filter((s) => s.of);
      const set = { label: m.text + (m.source.part && parts[m.source.name]?.now ? ' (' + parts[m.source.name].now + ')' : ''), unit: found[0]?.of.units, from, to, bands, empty: 'No data in this range: ' + stamp(from) + ' to ' + stamp(to) + '.',
        series: found.map((s) => ({ name: s.name, points: (Array.isArray(s.of.dataPoints) ? s.of.dataPoints : []).filter(isObject).map((p) => [Date.parse(p.timestamp), p.value ?? null]) })) };
      if (charts.has(m.key)) charts.get(m.key).update(set);
      else { charts.set(m.key, chart('lines', set)); grid.append(charts.get(m.key).node); }
    }
    if (!chosen.length || !state.hosts.size) put(wrong, el('p', { class: 'empty' }, 'Choose a metric and a host above.'));
    drawAlerts(from, to);
  }

  function drawAlerts(from, to) {
    const here = alerts.filter((a) => a.from <= to && a.to(to) >= from);
    put(above, here.length ? [lanes({ label: plural(here.length, 'alert') + ' in this range', from, to, rows: [{ name: 'Alerts', dots: here.map((a) => ({ at: Math.max(from, a.from), until: a.to(to), label: a.text, href: a.path, kind: a.kind })) }] }).node,
      el('ul', { class: 'plain marks' }, here.slice(-FEW_MARKS).reverse().map((a) => el('li', {}, a.path ? el('a', { href: '#' + a.path }, a.text) : a.text, muted(' ' + a.when))),
        here.length > FEW_MARKS ? el('li', { class: 'muted' }, 'and ' + (here.length - FEW_MARKS) + ' before') : null)] : null);
  }

  function again(bad) {
    const every = Math.min(300, Math.max(60, lengthOf(step()) / 1000));
    wait = bad ? Math.min(SLOWEST, Math.max(Number(bad.headers?.get('Retry-After') ?? 0), 2 * (wait || 15))) : every;
    told.textContent = !state.live ? 'Stopped' : state.end ? 'A time in the past: it does not change' : 'Looks again every ' + (wait >= 60 ? Math.round(wait / 60) + ' min' : wait + ' s');
    if (state.live && !state.end) timer = setTimeout(tick, 1000 * wait);
  }
  const isSeen = () => place.isConnected && !document.hidden && place.checkVisibility();
  // The page is hidden: polling continues when it is visible.
  function tick() { if (!place.isConnected) end(); else if (isSeen()) load(); else timer = setTimeout(tick, 5000); }
  const back = () => { if (!place.isConnected) end(); else if (isSeen() && state.live && !state.end) load(); };
  function end() { clearTimeout(timer); document.removeEventListener('visibilitychange', back); }

  const change = (f) => (v) => { f(v); wait = 0; drawTools(); load(); };
  const move = (by) => change(() => { const to = (state.end ?? now) + by * RANGES[state.range][1]; state.end = to >= now ? null : to; });
  function drawTools() {
    const at = document.activeElement, key = tools.contains(at) ? at.dataset.f : null, open_ = new Set([...tools.querySelectorAll('details[open]')].map((d) => d.dataset.f));
    if (key?.startsWith('Metrics') || key?.startsWith('Hosts')) return; // a picker keeps its text and scroll position
    const [, span] = RANGES[state.range];
    put(tools, choice('Range', RANGES.map(([name], i) => [String(i), name]), String(state.range), change((v) => { state.range = Number(v); if (state.step && (RANGES[state.range][1] / lengthOf(state.step) > 2000 || RANGES[state.range][1] < lengthOf(state.step))) state.step = ''; })),
      choice('Granularity', [['', 'Auto (' + inLength(auto()) + ')'], ...steps.map((s) => [s, inLength(s), span / lengthOf(s) > 2000 || span < lengthOf(s)])], state.step, change((v) => { state.step = v; })),
      hosts.length > 1 ? picker('Hosts', hosts.map((h) => ({ key: h.id, text: h.name + (h.role ? ' (' + h.role + ')' : '') })), state.hosts, 8, change(() => {})) : null,
      picker('Metrics', metrics, state.metrics, 20, change(() => {})),
      sources.filter((s) => parts[s.name]?.all.length > 1 && metrics.some((m) => m.source === s && state.metrics.has(m.key))).map((s) => choice(s.name, parts[s.name].all.map((n) => [n, n]), parts[s.name].now, change((v) => { parts[s.name].now = v; }))),
      el('span', { class: 'choice' }, el('button', { type: 'button', 'data-f': 'earlier', onclick: move(-1) }, 'Earlier'), el('button', { type: 'button', 'data-f': 'later', disabled: !state.end, onclick: move(1) }, 'Later')),
      el('label', { class: 'choice' }, el('input', { type: 'checkbox', checked: state.live, 'data-f': 'live', onchange: change(() => { state.live = !state.live; }) }), 'Live'), told);
    for (const d of tools.querySelectorAll('details')) d.open = open_.has(d.dataset.f);
    if (key) [...tools.querySelectorAll('[data-f]')].find((e) => e.dataset.f === key && !e.disabled)?.focus();
  }

  put(place, tools, wrong, above, grid);
  drawTools();
  document.addEventListener('visibilitychange', back);
  const own = new Set(hosts.map((h) => h.id)), all = await alertsOf(x, (a) => (x.tag === 'process' ? a.hostnameAndPort === x.params.processId : a.clusterName === x.params.clusterName || own.has(a.hostnameAndPort)));
  const configs = all?.some((a) => a.metricName) ? await configsOf(x) : new Map();
  alerts = (all ?? []).map((a) => ({ from: Date.parse(a.created), to: (end_) => (a.resolved ? Date.parse(a.resolved) : end_), kind: a.status === 'CLOSED' ? 'past' : 'bad', text: inWords(a, configs.get(a.alertConfigId)), path: selfOf(a), when: shortHost(a.userAlias ?? a.hostnameAndPort ?? '') + ', ' + stamp(Date.parse(a.created)) + (a.resolved ? ' to ' + stamp(Date.parse(a.resolved)) : ', open') })).filter((a) => a.from > 0);
  await load();
}
