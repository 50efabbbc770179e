// The pictures of docs/console.md, taken of the pages that it describes: build/web/console-*.png are copied to docs/ when the console changes.
import assert from 'node:assert/strict';
import { company, goto, heading, home, test } from './kit.mjs';
import { pale, wide } from './inspect.mjs';

const settle = (ms) => new Promise((done) => setTimeout(done, ms));

await test('pictures of the page docs/console.md', async () => {
  const { results: groups } = await company.call('GET', '/groups'), group = groups.find((g) => g.name === 'production').id;
  const { results: clusters } = await company.call('GET', '/groups/' + group + '/clusters'), { results: alerts } = await company.call('GET', '/groups/' + group + '/alerts?itemsPerPage=500');
  const last = alerts.filter((a) => clusters.some((c) => c.name === a.clusterName)).sort((a, b) => (a.created < b.created ? 1 : -1))[0], name = last?.clusterName ?? clusters[0].name;
  const at = '/groups/' + group + '/clusters/' + name, light = await home({ width: 1440, height: 900 }, company), dark = await home({ width: 1440, height: 900, scheme: 'dark' }, company);
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
});
