// Takes the pictures of docs/console.md, of the pages that it describes. Copy build/web/console-*.png to docs/ when the console
// changes.
import assert from 'node:assert/strict';
import { goto, heading, home, test } from './kit.mjs';
import { pale, wide } from './inspect.mjs';
import { service } from './service.mjs';

const settle = (ms) => new Promise((done) => setTimeout(done, ms));

await test('pictures of the page docs/console.md', async () => {
  const s = await service('pictured', ['--world', 'company']);
  try { await take(s); } finally { await s.end(); }
});

// Five days later, an alert is open.
async function take(s) {
  const { results: groups } = await s.call('GET', '/groups'), group = groups.find((g) => g.name === 'production').id, name = 'orders', at = '/groups/' + group + '/clusters/' + name;
  await s.call('POST', '/groups/' + group + '/alertConfigs', { eventTypeName: 'OUTSIDE_METRIC_THRESHOLD', enabled: true, matchers: [], metricThreshold: { metricName: 'NORMALIZED_SYSTEM_CPU_USER', operator: 'GREATER_THAN', threshold: 1, units: 'RAW', mode: 'AVERAGE' },
    notifications: [{ typeName: 'EMAIL', emailAddress: 'oncall@globex.example', delayMin: 5, intervalMin: 60 }] });
  await s.advance(5 * 86400);
  const light = await home({ width: 1440, height: 900 }, s), dark = await home({ width: 1440, height: 900, scheme: 'dark' }, s);
  const shots = [
    [light, 'console-cluster', at, name, () => document.querySelector('.shards') && document.querySelector('.fact .big')],
    [dark, 'console-metrics', at + '?tab=metrics', name, () => document.querySelectorAll('svg path').length > 3],
    [light, 'console-form', '/groups/' + group + '/clusters!createCluster', 'Create cluster', () => /month/.test(document.querySelector('#content')?.textContent)],
    [light, 'console-reference', '/~reference/createCluster', 'Create cluster', () => document.querySelector('.reffacts')],
  ];
  for (const [page, file, to, title, isThere] of shots) {
    await goto(page, to);
    await heading(page, title);
    await page.until(isThere, file);
    await settle(600);
    assert.deepEqual(await wide(page), [], file);
    assert.deepEqual(await pale(page), [], file);
    await page.shot('build/web/' + file + '.png');
  }
}
