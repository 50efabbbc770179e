// Charts, timelines, topology and gauges: they are drawn from the service's data, and can be read by pointer, by keyboard and as
// a table.
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { nameless, pale, wide } from './inspect.mjs';
import { CLUSTER, service } from './service.mjs';
import { acme, company, newPage, plain, signIn, home, test, heading, state, tab, goto, problem } from './kit.mjs';

const ORDERS = async (s) => { const { results } = await s.call('GET', '/groups'), g = results.find((x) => x.name === 'production'); return { group: g.id, org: g.orgId, path: '/groups/' + g.id + '/clusters/orders' }; };
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const hash = (page) => page.run(() => location.hash);
const choose = (page, label, text) => page.until((l, t) => {
  const e = [...document.querySelectorAll('label')].find((x) => x.checkVisibility() && x.textContent.trim() === l)?.control, o = [...(e?.options ?? [])].find((x) => x.textContent.trim() === t);
  if (!o) return false;
  e.value = o.value;
  e.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}, 'the choice ' + label + ': ' + text, label, text);
const chartNamed = (page, name) => page.until((n) => [...document.querySelectorAll('.chart')].find((c) => c.checkVisibility() && c.querySelector('figcaption').textContent.startsWith(n) && c.querySelector('svg .line, svg .bar'))?.querySelectorAll('svg[role=img] .line, svg[role=img] .bar').length, 'the chart ' + name, name);

// Counts the pixels of a part of the page that are colored: neither gray nor nearly gray.
async function coloured(page, selector) {
  const clip = await page.until((s) => { const e = [...document.querySelectorAll(s)].find((x) => x.checkVisibility()); e?.scrollIntoView({ block: 'center' }); const r = e?.getBoundingClientRect(); return r && { x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height, scale: 1 }; }, selector, selector);
  const png = Buffer.from((await page.cdp('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true })).data, 'base64'), parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), size = png[25] === 6 ? 4 : 3, raw = inflateSync(Buffer.concat(parts)), line = width * size;
  let before = Buffer.alloc(line), n = 0;
  for (let y = 0; y < height; y++) {
    const kind = raw[y * (line + 1)], now = Buffer.from(raw.subarray(y * (line + 1) + 1, (y + 1) * (line + 1)));
    for (let i = 0; i < line; i++) {
      const a = i >= size ? now[i - size] : 0, b = before[i], c = i >= size ? before[i - size] : 0, p = a + b - c, near = [a, b, c].reduce((x, v) => (Math.abs(p - v) < Math.abs(p - x) ? v : x));
      now[i] = (now[i] + [0, a, b, (a + b) >> 1, near][kind]) & 255;
    }
    for (let i = 0; i < line; i += size) if (Math.max(now[i], now[i + 1], now[i + 2]) - Math.min(now[i], now[i + 1], now[i + 2]) > 60) n++;
    before = now;
  }
  return n;
}

await test('charts: the tab is in the address', async () => {
  const { path } = await ORDERS(company), page = await newPage({ width: 1440 }), shown = (name) => page.until((n) => document.querySelector('[role=tab][aria-selected=true]')?.textContent === n && document.querySelector('[data-tab=' + n + ']').checkVisibility(), 'the tab ' + name, name);
  await company.advance(61);
  await page.goto(company.url + '/#' + path + '?tab=backup');
  await signIn(page, company);
  await shown('Backup');
  await page.until(() => document.querySelector('.lanes .dot'), 'the timeline');
  assert.ok(!(await company.control('journal?limit=50')).some((r) => /tab=/.test(r.target ?? r.path ?? '')), 'no call has the tab');
  await tab(page, 'Settings');
  await shown('Settings');
  assert.ok((await hash(page)).endsWith('/clusters/orders?tab=settings'));
  const calls = await page.run(() => document.querySelectorAll('#log li').length);
  await page.run(() => history.back());
  await shown('Backup');
  await page.run(() => history.forward());
  await shown('Settings');
  assert.equal(await page.run(() => document.querySelectorAll('#log li').length), calls, 'Back between tabs asks nobody');
  await page.run(() => document.querySelector('[role=tab][aria-selected=true]').focus());
  await page.key('ArrowRight');
  await shown('Related');
  await page.run(() => history.back());
  await shown('Backup');
  await tab(page, 'Overview');
  assert.ok((await hash(page)).endsWith('/clusters/orders'));
  await tab(page, 'JSON');
  await company.advance(61);
  await page.cdp('Page.reload');
  await page.until(() => document.querySelector('#signin')?.checkVisibility() && !document.querySelector('#signin-go').disabled, 'to be asked');
  await signIn(page, company);
  await shown('JSON');
  assert.equal(await page.run(() => document.querySelector('#path').value), path);
  await page.click('button', 'Refresh');
  await shown('JSON');
});

await test('charts: metrics of a cluster, drawn from the numbers', async () => {
  const { group, path } = await ORDERS(company), page = await home({ width: 1440 }, company);
  await goto(page, path + '?tab=metrics');
  await heading(page, 'orders');
  assert.equal(await chartNamed(page, 'Connections'), 3, 'three hosts at first');
  const names = await page.run(() => [...document.querySelectorAll('.charts figcaption > :first-child')].map((e) => e.textContent));
  assert.deepEqual(names, ['System normalized CPU user', 'Connections', 'Opcounter cmd', 'Opcounter query', 'System memory used', 'Disk partition IOPS total (data)', 'Disk partition space percent used (data)']);
  assert.equal(await page.run(() => [...document.querySelectorAll('#log .where')].filter((e) => /clusters.orders|processes|alerts|invoices/.test(e.textContent)).length), 12, 'calls at the beginning');
  // as many points as the service has, from left to right
  const { results } = await company.call('GET', '/groups/' + group + '/processes'), first = results.find((p) => p.userAlias.startsWith('orders-shard-00-00')).id;
  const { measurements: [own] } = await company.call('GET', '/groups/' + group + '/processes/' + encodeURIComponent(first) + '/measurements?granularity=PT5M&period=PT24H&m=CONNECTIONS');
  const line = await page.run(() => [...document.querySelectorAll('.charts .chart')][1].querySelector('svg[role=img] .line').getAttribute('d'));
  assert.equal(line.match(/[ML]/g).length, own.dataPoints.length);
  assert.ok(own.dataPoints.length > 280);
  for (const scheme of ['light', 'dark']) {
    await page.scheme(scheme);
    assert.ok(await coloured(page, '.charts .chart:nth-child(2) .plot') > 800, 'the lines are seen in ' + scheme);
    assert.deepEqual(await pale(page), []);
  }
  await page.scheme('light');
  // by pointer
  const at = await page.run(() => { const r = [...document.querySelectorAll('.charts .plot')][1].getBoundingClientRect(); return [r.right - 3, r.y + 60]; });
  await page.cdp('Input.dispatchMouseEvent', { type: 'mouseMoved', x: at[0], y: at[1] });
  const tip = await page.until(() => [...document.querySelectorAll('.tip')].find((t) => t.checkVisibility())?.innerText.replace(/\s+/g, ' '), 'the box');
  assert.ok(tip.startsWith(own.dataPoints.at(-1).timestamp.slice(0, 16).replace('T', ' ') + ' UTC') && tip.includes('orders-shard-00-00 ' + own.dataPoints.at(-1).value) && tip.includes('orders-shard-00-02'), tip);
  await page.shot('build/web/chart-hover-light.png');
  await page.cdp('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 5, y: 5 });
  await page.until(() => ![...document.querySelectorAll('.tip')].some((t) => t.checkVisibility()), 'no box');
  // by keyboard: the value is also announced to screen readers
  await page.run(() => [...document.querySelectorAll('.charts .plot')][1].focus());
  await page.key('ArrowRight');
  await page.key('ArrowRight');
  await page.until((t) => document.querySelector('#said').textContent.startsWith(t), 'to be told', own.dataPoints[1].timestamp.slice(0, 16).replace('T', ' ') + ' UTC: orders-shard-00-00 ' + own.dataPoints[1].value);
  await page.key('Escape');
  // the legend hides a host, the focus stays
  const key = (n) => page.run((i) => [...document.querySelectorAll('.charts .chart')][1].querySelectorAll('.key')[i].ariaPressed, n);
  await page.run(() => [...document.querySelectorAll('.charts .chart')][1].querySelector('.key').focus());
  await page.key('Enter');
  assert.deepEqual([await key(0), await chartNamed(page, 'Connections'), await page.run(() => document.activeElement.textContent)], ['false', 2, 'orders-shard-00-00']);
  await page.key('Enter');
  assert.equal(await chartNamed(page, 'Connections'), 3);
  assert.equal(new Set(await page.run(() => [...[...document.querySelectorAll('.charts .chart')][1].querySelectorAll('.key line')].map((e) => e.getAttribute('stroke-dasharray')))).size, 3, 'lines differ by their dashes');
  assert.match(await page.run(() => [...document.querySelectorAll('.charts svg[role=img]')][1].ariaLabel), /^Connections, 3 series, from .* UTC to .* UTC: \d+ to \d+$/);
  // the numbers as a table
  await page.run(() => [...document.querySelectorAll('.charts .chart')][1].querySelector('summary').click());
  const rows = await page.until(() => { const t = [...document.querySelectorAll('.charts .chart')][1].querySelectorAll('tbody tr'); return t.length && [...t].map((r) => r.innerText.replace(/\s+/g, ' ')); }, 'the table');
  assert.equal(rows.length, own.dataPoints.length);
  assert.ok(rows[0].includes(own.dataPoints.at(-1).timestamp.slice(0, 10)) && rows[0].includes(' ' + own.dataPoints.at(-1).value));
  assert.deepEqual(await nameless(page), []);
  for (const w of [390, 1080, 2560]) {
    await page.resize(w, 900, w < 400, 1);
    await page.until((v) => [...document.querySelectorAll('.charts svg[role=img]')].every((s) => Math.abs(s.viewBox.baseVal.width - s.parentElement.clientWidth) <= 1) && innerWidth === v, 'charts of another width', w);
    assert.deepEqual(await wide(page), []);
    await page.shot('build/web/charts-' + w + '.png', w === 390);
  }
});

await test('charts: range, granularity, hosts, metrics, alerts, live', async () => {
  const { path } = await ORDERS(company), page = await home({ width: 1440 }, company), asked = () => page.run(() => [...document.querySelectorAll('#log .where')].map((e) => e.textContent).filter((t) => t.includes('measurements?')));
  const clear = () => page.run(() => document.querySelector('#log').replaceChildren()), drawn = () => page.until(() => [...document.querySelectorAll('#log .where')].filter((e) => e.textContent.includes('measurements?')).length >= 6, 'the answers').then(() => pause(150));
  await goto(page, path + '?tab=metrics');
  await chartNamed(page, 'Connections');
  assert.equal(await page.run(() => document.querySelectorAll('.marks li').length), 0, 'no alert today');
  await clear();
  await choose(page, 'Range', '30 days');
  await drawn();
  assert.ok((await asked()).every((q) => q.includes('granularity=PT1H') && q.includes('period=P30D')));
  // two hosts were down in December: they are marked, and link to their alerts
  const marks = await page.until(() => { const l = [...document.querySelectorAll('.marks li')]; return l.length && l.map((e) => e.innerText); }, 'alerts');
  assert.equal(marks.length, 2);
  assert.match(marks[0], /^Host does not answer orders-shard-00-0[34], 2029-12-13 22:00 UTC to 2029-12-13 23:00 UTC$/);
  assert.ok(await page.run(() => document.querySelectorAll('.charts .chart:nth-child(2) .band.past').length === 2 && document.querySelectorAll('.lanes .dot.past').length === 2));
  // the line of a host that was down has a gap
  await page.click('.picks summary', 'Hosts 3 of 5');
  const box = (text) => page.run((t) => { const l = [...document.querySelectorAll('.picks label')].find((e) => e.checkVisibility() && e.textContent.startsWith(t)); l.control.focus(); l.control.click(); }, text);
  await clear();
  await box('orders-shard-00-03');
  await page.until(() => document.querySelectorAll('.charts .chart:nth-child(2) svg[role=img] .line').length === 4, 'four hosts');
  const paths = await page.run(() => [...document.querySelectorAll('.charts .chart:nth-child(2) svg[role=img] .line')].map((e) => e.getAttribute('d').match(/M/g).length));
  assert.deepEqual([paths[0], paths[3] > 1], [1, true], 'the line has a gap: ' + paths);
  assert.ok(await page.run(() => document.activeElement.type === 'checkbox'), 'the focus is still in the picker');
  await page.run(() => { document.querySelector('.picks[open]').open = false; document.activeElement.blur(); });
  await clear();
  await choose(page, 'Granularity', '1 day');
  await page.until(() => document.querySelector('.charts .chart:nth-child(2) svg[role=img] .line').getAttribute('d').match(/[ML]/g).length <= 31, 'a point a day');
  await choose(page, 'Range', '1 hour');
  await page.until(() => document.querySelector('.charts .chart:nth-child(2) svg[role=img] .line').getAttribute('d').match(/[ML]/g).length >= 60, 'a point a minute');
  assert.equal(await page.run(() => [...document.querySelectorAll('label')].find((l) => l.textContent === 'Granularity').control.value), '', 'a day is longer than an hour: auto');
  // metrics of a database, which need a choice of database
  await page.click('.picks summary', 'Metrics 7 of 169');
  await page.fill('Filter metrics', 'database data');
  await box('Database data size');
  await chartNamed(page, 'Database data size (');
  await page.run(() => { document.querySelector('.picks[open]').open = false; document.activeElement.blur(); });
  // earlier, and back
  await page.click('button', 'Earlier');
  await page.until(() => /does not change/.test(document.querySelector('.told').textContent), 'a time in the past');
  assert.match((await asked())[0], /start=.*end=/);
  await page.click('button', 'Later');
  await page.until(() => /Looks again every 1 min/.test(document.querySelector('.told').textContent), 'to be live');
  // the page refreshes when the user comes back to it, and shows the new point
  const last = () => page.run(() => document.querySelector('.charts .chart:nth-child(2) svg[role=img]').ariaLabel), before = await last();
  await company.advance(600);
  await page.run(() => { document.dispatchEvent(new Event('visibilitychange')); });
  await page.until((b) => document.querySelector('.charts .chart:nth-child(2) svg[role=img]').ariaLabel !== b, 'newer points', before);
  await page.click('label', 'Live');
  await page.until(() => document.querySelector('.told').textContent === 'Stopped', 'no more looks');
  await company.noFaults();
  await company.fault({ operation: 'getProcessMeasurements', status: 503, count: 50 });
  await choose(page, 'Range', '6 hours');
  await problem(page, 503);
  await company.noFaults();
  await page.click('.problem button', 'Try again');
  await page.until(() => !document.querySelector('[data-tab=Metrics] .problem') && document.querySelector('.charts .chart:nth-child(2) svg[role=img] .line').getAttribute('d').match(/[ML]/g).length >= 360, 'the charts again');
  // the page of a process has the tab, with its own line
  await page.click('[role=tab]', 'Overview');
  await page.click('.hosts a', 'orders-shard-00-00');
  await page.until(() => document.querySelector('#view h1').textContent.includes('shard-00-00'), 'the process');
  await tab(page, 'Metrics');
  assert.equal(await chartNamed(page, 'Connections'), 1);
  assert.match(await page.run(() => document.querySelector('.charts figcaption').textContent), /now \d/);
});

await test('charts: cost of an organization by day and by cluster', async () => {
  const { org, path } = await ORDERS(company), page = await home({ width: 1440 }, company), { results: bills } = await company.call('GET', '/orgs/' + org + '/invoices'), bill = await company.call('GET', '/orgs/' + org + '/invoices/' + bills.find((b) => b.startDate.startsWith('2029-12')).id);
  const dollars = (c) => '$' + (c / 100).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ','), total = (of) => bill.lineItems.filter(of).reduce((n, i) => n + i.totalPriceCents, 0);
  await goto(page, '/orgs/' + org + '?tab=cost');
  await choose(page, 'Period', '2029-12-01 to 2030-01-01');
  await page.until((t) => document.querySelector('.sum .big')?.textContent === t, 'the total', dollars(total(() => true)));
  assert.equal(dollars(total(() => true)), dollars(bill.subtotalCents));
  // each day has a bar for each cluster
  assert.equal(await page.run(() => document.querySelectorAll('[data-tab=Cost] svg[role=img] .bar').length), new Set(bill.lineItems.map((i) => i.startDate + i.groupId + i.clusterName)).size);
  assert.ok(await coloured(page, '[data-tab=Cost] .plot') > 5000);
  const rows = await page.run(() => [...document.querySelectorAll('.ranking tbody tr')].map((r) => [r.cells[0].innerText, r.cells[2].innerText]));
  assert.deepEqual(rows.find((r) => r[0] === 'production / orders'), ['production / orders', dollars(total((i) => i.clusterName === 'orders' && i.groupName === 'production'))]);
  assert.equal(rows.length, 4);
  await page.run(() => document.querySelector('[data-tab=Cost] .plot').focus());
  await page.key('ArrowRight');
  const one = bill.lineItems.filter((i) => i.startDate.startsWith('2029-12-01')).reduce((n, i) => n + i.totalPriceCents, 0);
  assert.match(await page.until(() => [...document.querySelectorAll('.tip')].find((t) => t.checkVisibility())?.innerText.replace(/\s+/g, ' '), 'the box'), new RegExp('^2029-12-01 .*Total \\' + dollars(one) + '$'));
  await page.shot('build/web/cost-light.png');
  await page.click('button', 'By SKU');
  await page.until(() => [...document.querySelectorAll('.ranking tbody th')].some((e) => e.textContent === 'INSTANCE_AWS_M30'), 'by SKU');
  await page.scheme('dark');
  assert.deepEqual(await pale(page), []);
  await page.shot('build/web/cost-dark.png');
  assert.deepEqual(await nameless(page), []);
  await goto(page, path + '?tab=cost');
  await choose(page, 'Period', '2029-12-01 to 2030-01-01');
  await page.until((t) => document.querySelector('.sum .big')?.textContent === t, 'the total of the cluster', dollars(total((i) => i.clusterName === 'orders' && i.groupName === 'production')));
  await page.resize(390, 800, true, 2);
  assert.deepEqual(await wide(page), []);
});

await test('charts: backups on a timeline, the schedule in words, restore jobs', async () => {
  const { group, path } = await ORDERS(company), page = await home({ width: 1440 }, company), snaps = await company.call('GET', path + '/backup/snapshots?itemsPerPage=500'), done = snaps.results.find((s) => s.status === 'completed');
  const job = await company.call('POST', path + '/backup/restoreJobs', { deliveryType: 'automated', snapshotId: done.id, targetClusterName: 'orders', targetGroupId: group });
  await goto(page, path + '?tab=backup');
  await page.until(() => document.querySelector('.lanes .dot'), 'the timeline');
  await page.click('button', '1 year');
  await page.until((n) => document.querySelectorAll('.lanes .dot').length === n, 'every snapshot, the restore and the next', snaps.results.filter((s) => Date.parse(s.createdAt)).length + 2);
  const text = await page.run(() => document.querySelector('[data-tab=Backup]').innerText);
  for (const words of ['Every 6 hours, kept for 7 days', 'Every day, kept for 7 days', 'Every Saturday, kept for 4 weeks', 'On the last day of every month, kept for 12 months', 'Every year in December, kept for 1 year']) assert.ok(text.includes(words), words);
  assert.match(text, /Next snapshot: 20\d\d-\d\d-\d\d \d\d:00 UTC/);
  const dot = await page.run((id) => [...document.querySelectorAll('.lanes a')].find((a) => a.getAttribute('href').endsWith(id))?.textContent, done.id);
  assert.match(dot, /snapshot of .* UTC: completed, \d.* [MG]B, kept until .* UTC$/);
  assert.ok(await page.run((id) => [...document.querySelectorAll('.lanes a')].some((a) => a.getAttribute('href').endsWith(id)) && [...document.querySelectorAll('.part a')].some((a) => a.getAttribute('href').endsWith(id)), job.id), 'the restore job');
  assert.ok(await coloured(page, '.lanes') > 1500);
  assert.deepEqual(await nameless(page), []);
  await page.run(() => document.querySelector('[data-tab=Backup] .data summary').click());
  await page.until((n) => document.querySelectorAll('[data-tab=Backup] .data tbody tr').length === n, 'the table', snaps.results.length);
  await page.resize(390, 800, true, 2);
  assert.deepEqual(await wide(page), []);
});

await test('charts: topology, limits as gauges, events as a timeline', async () => {
  const { group, path } = await ORDERS(company), page = await home({ width: 1440 }, company);
  await goto(page, path);
  const regions = await page.until(() => { const r = [...document.querySelectorAll('.region')]; return r.length && r.map((e) => [e.querySelector('strong').textContent, e.querySelectorAll('.node').length, e.querySelector('.nodes').ariaLabel]); }, 'the topology');
  assert.deepEqual(regions, [['US_EAST_1', 3, '3 electable'], ['EU_WEST_1', 2, '2 electable']]);
  assert.deepEqual(await page.run(() => [...document.querySelectorAll('.hosts li')].map((e) => e.innerText.replace(/\s+/g, ' ').trim())), ['orders-shard-00-00 primary', ...[1, 2, 3, 4].map((n) => 'orders-shard-00-0' + n + ' secondary')]);
  await tab(page, 'Events');
  await page.until(() => document.querySelectorAll('.event').length === 100, 'the timeline');
  const days = await page.run(() => [...document.querySelectorAll('.dayline h3')].map((e) => e.textContent));
  assert.ok(days.length > 3 && days.every((d) => /^20\d\d-\d\d-\d\d UTC$/.test(d)) && new Set(days).size === days.length);
  assert.ok(new Set(await page.run(() => [...document.querySelectorAll('.event .sign')].map((e) => e.textContent))).size > 1);
  await choose(page, 'Type', 'CPS snapshot started');
  await page.until(() => [...document.querySelectorAll('.event')].every((e) => e.innerText.includes('CPS snapshot started')), 'one type');
  await page.click('button', 'Table');
  await page.until(() => document.querySelector('[data-tab=Events] table.list'), 'the table');
  for (const scheme of ['light', 'dark']) { await page.scheme(scheme); assert.deepEqual(await pale(page), []); }
  await goto(page, '/groups/' + group);
  const limits = await company.call('GET', '/groups/' + group + '/limits'), one = limits.find((l) => /clusters$/.test(l.name));
  const gauges = await page.until(() => { const l = [...document.querySelectorAll('.gauges li')]; return l.length && l.map((e) => [e.querySelector('a').textContent, e.querySelector('meter').value, e.lastChild.textContent]); }, 'gauges');
  assert.deepEqual(gauges[0], ['Deployment clusters', one.currentUsage / one.value, one.currentUsage + ' of ' + one.value]);
  assert.deepEqual(await nameless(page), []);
  await page.click('.part a', 'All limits');
  await page.until((n) => document.querySelectorAll('#content td meter').length === n, 'a gauge per limit with a usage', limits.filter((l) => typeof l.currentUsage === 'number').length);
});

await test('charts: who may not read bills or hosts has the rest', async () => {
  const { path } = await ORDERS(company), page = await home({ width: 1440 }, company);
  for (const operation of ['listInvoicePending', 'listInvoices', 'listGroupProcesses']) await company.fault({ operation, errorCode: 'ACCESS_FORBIDDEN', count: 50 });
  await goto(page, path);
  await page.until(() => document.querySelector('.shard') && document.querySelector('.alerts'), 'topology and alerts');
  assert.ok(await page.run(() => !document.querySelector('.below .chart') && !document.querySelector('.hosts') && ![...document.querySelectorAll('.fact dt')].some((e) => e.textContent === 'Cost this month')));
  await tab(page, 'Cost');
  await problem(page, 403);
  await tab(page, 'Metrics');
  await page.until(() => /hosts of this cluster cannot be read/.test(document.querySelector('[data-tab=Metrics]').innerText), 'why');
  await company.noFaults();
});

await test('charts: why did this cluster alert, and what does it cost?', async () => {
  const s = await service('alarmed', ['--world', 'company']);
  try {
    const { group, org } = await ORDERS(s);
    await s.call('POST', '/groups/' + group + '/alertConfigs', { eventTypeName: 'OUTSIDE_METRIC_THRESHOLD', enabled: true, matchers: [], metricThreshold: { metricName: 'NORMALIZED_SYSTEM_CPU_USER', operator: 'GREATER_THAN', threshold: 1, units: 'RAW', mode: 'AVERAGE' },
      notifications: [{ typeName: 'EMAIL', emailAddress: 'oncall@globex.example', delayMin: 5, intervalMin: 60 }] });
    await s.advance(26 * 3600);
    const page = await newPage({ width: 1440 });
    await page.goto(s.url + '/');
    await signIn(page, s);
    await choose(page, 'Project', 'production');
    await heading(page, 'production');
    await page.click('summary', 'Deployment');
    await page.click('nav a', 'Clusters');
    await page.click('a', 'orders');
    await heading(page, 'orders');
    const part = (name) => page.until((n) => { const e = [...document.querySelectorAll('section')].find((x) => x.checkVisibility() && x.innerText.startsWith(n)); return e && !/^\S+$/.test(e.innerText) && e.innerText.replace(/\s+/g, ' '); }, name, name);
    const open = (await s.call('GET', '/groups/' + group + '/alerts?status=OPEN')).results.filter((a) => a.clusterName === 'orders');
    assert.ok(open.length > 0);
    const why = await part('Open alerts');
    assert.match(why, /Normalized system CPU user above 1 % for 5 min: 1\.\d+ % on orders-shard-00-0\d, since 2030-01-0\d \d\d:\d\d UTC/);
    assert.equal(why.match(/OPEN Normalized system CPU user above/g).length, Math.min(6, open.length));
    const cost = await part('Cost this month by day');
    const { results: [pending] } = await s.call('GET', '/orgs/' + org + '/invoices/pending'), cents = pending.lineItems.filter((i) => i.groupId === group && i.clusterName === 'orders').reduce((n, i) => n + i.totalPriceCents, 0);
    assert.ok(cents > 2000 && cost.includes('total $' + (cents / 100).toFixed(2)) && cost.includes('INSTANCE_AWS_M30 BACKUP_STORAGE_AWS'), cost);
    assert.ok(await page.run(() => [...document.querySelectorAll('section')].find((x) => x.innerText.startsWith('Cost this month')).querySelectorAll('svg[role=img] .bar').length) >= 2, 'a bar for each SKU');
    for (const scheme of ['light', 'dark']) {
      await page.scheme(scheme);
      assert.deepEqual(await pale(page), []);
      await page.shot('build/web/why-' + scheme + '.png', true);
    }
    await page.scheme('light');
    assert.deepEqual(await nameless(page), []);
    // the same alerts appear in the charts
    await tab(page, 'Metrics');
    await chartNamed(page, 'Connections');
    await page.until(() => document.querySelector('.charts .band.bad') && document.querySelector('.lanes .dot.bad'), 'alerts that are open');
    assert.match(await page.run(() => document.querySelector('.marks').innerText), /Normalized system CPU user above 1 % for 5 min: 1\.\d+ % orders-shard-00-0\d, .* UTC, open/);
    await page.shot('build/web/metrics-alerts-light.png', true);
  } finally {
    await s.end();
  }
});

await test('charts: a sharded cluster, with routers beside its members', async () => {
  const { id } = await plain.call('POST', '/groups', { name: 'Sharded', orgId: plain.orgId }), nodes = (nodeCount) => ({ instanceSize: 'M30', nodeCount });
  const spec = { regionConfigs: [{ providerName: 'AWS', regionName: 'US_EAST_1', priority: 7, electableSpecs: nodes(3), readOnlySpecs: nodes(1), analyticsSpecs: nodes(1) }] }, path = '/groups/' + id + '/clusters/big';
  await plain.call('POST', '/groups/' + id + '/clusters', { name: 'big', clusterType: 'SHARDED', replicationSpecs: [spec, spec] });
  await plain.advance(3600);
  const page = await home({ width: 1440 });
  await goto(page, path);
  await page.until(() => document.querySelectorAll('.hosts li').length === 10, 'the members of both shards');
  assert.deepEqual(await page.run(() => [...document.querySelectorAll('.shard')].map((s) => [s.querySelector('h3').firstChild.textContent, s.querySelectorAll('.region').length, s.querySelectorAll('.nodes .node').length, s.querySelectorAll('.nodes .primary').length, s.querySelector('.nodes').ariaLabel, s.querySelectorAll('.hosts li').length, s.querySelector('.hosts li').innerText.replace(/\s+/g, ' ').trim().slice(0, 12)])),
    [0, 1].map((i) => ['Shard ' + (i + 1), 1, 5, 1, '3 electable, 1 read-only, 1 analytics', 5, 'big-shard-0' + i]));
  for (const scheme of ['light', 'dark']) { await page.scheme(scheme); assert.deepEqual(await pale(page), []); await page.shot('build/web/topology-' + scheme + '.png', true); }
  await tab(page, 'Metrics');
  await page.until(() => document.querySelector('.charts .key'), 'the legend');
  const names = await page.run(() => [...document.querySelectorAll('.charts .chart:first-child .key')].map((k) => k.textContent));
  assert.ok(names.length === 3 && new Set(names).size === 3, String(names));
  await page.click('.picks summary', 'Hosts 3 of 20');
  assert.ok(await page.run(() => [...document.querySelectorAll('.picks label')].some((l) => l.textContent === 'big-shard-00-00:27016 (router)')));
});

await test('charts: a dialect leaves out what it calls otherwise, and has the rest', async () => {
  const { id } = await acme.call('POST', '/groups', { name: 'Charts', orgId: acme.orgId }), shard = { regionConfigs: [{ providerName: 'AMAZON', regionName: 'US_EAST_1', priority: 7, electableSpecs: { tier: 'M10', nodeCount: 3 } }] };
  await acme.call('POST', '/groups/' + id + '/machines', { name: 'orders', clusterType: 'SET', shards: [shard] });
  await acme.advance(3600);
  const page = await home({ width: 1440 }, acme);
  await goto(page, '/groups/' + id + '/machines/orders');
  await heading(page, 'orders');
  await page.until(() => document.querySelector('.below section'), 'the parts of the overview');
  for (const [name, what] of [['Metrics', '.charts .line'], ['Backup', '[data-tab=Backup] .part, [data-tab=Backup] .empty'], ['Cost', '[data-tab=Cost] .chart'], ['Events', '.event']]) {
    await tab(page, name);
    await page.until((w) => document.querySelector(w), name, what);
    assert.equal(await page.run(() => document.querySelector('.problem')?.innerText ?? ''), '');
  }
});

await test('charts: a change of the cluster leaves the charts and the focus as they are', async () => {
  const { results } = await plain.call('GET', '/groups'), group = results.find((g) => g.name === 'Sharded')?.id ?? (await plain.call('POST', '/groups', { name: 'Kept', orgId: plain.orgId })).id, path = '/groups/' + group + '/clusters/kept';
  await plain.call('POST', '/groups/' + group + '/clusters', { name: 'kept', ...CLUSTER });
  await plain.advance(3600);
  await plain.call('PATCH', path, { replicationSpecs: [{ regionConfigs: [{ ...CLUSTER.replicationSpecs[0].regionConfigs[0], electableSpecs: { instanceSize: 'M20', nodeCount: 3 } }] }] });
  const page = await home({ width: 1440 });
  await goto(page, path + '?tab=metrics');
  await state(page, 'UPDATING');
  await chartNamed(page, 'Connections');
  await page.run(() => { const plot = [...document.querySelectorAll('.charts .plot')][1]; plot.mine = true; plot.focus(); });
  await plain.advance(1800);
  await state(page, 'IDLE');
  assert.ok(await page.run(() => document.activeElement.mine && document.activeElement.checkVisibility() && document.querySelector('[role=tab][aria-selected=true]').textContent === 'Metrics'), 'the same chart has the focus');
  await tab(page, 'Overview');
  await page.until(() => /M20/.test(document.querySelector('.region')?.innerText), 'the topology as it is now');
});
