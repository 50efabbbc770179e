// Forms: the essentials first, what a cluster costs, choices that depend on others, previews that run, what an update changes, and deleting by name.
import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { CLUSTER } from './service.mjs';
import { nameless, pale, wide } from './inspect.mjs';
import { acme, company, costly, plain, browser, newPage, signIn, home, test, heading, state, problem, goto, lastPatch } from './kit.mjs';

const labels = (page) => page.run(() => [...document.querySelectorAll('#content form label, #content form legend')].filter((e) => e.checkVisibility() && !e.closest('.picks, .checks')).map((e) => e.firstChild.textContent.trim()));
const options = (page, label) => page.run((l) => [...[...document.querySelectorAll('#content label')].find((e) => e.firstChild.textContent.trim() === l).control.options].map((o) => o.value), label);
const valueOf = (page, label) => page.run((l) => [...document.querySelectorAll('#content label')].find((e) => e.firstChild.textContent.trim() === l)?.control.value, label);
const pick = (page, legend, text) => page.until((l, t) => {
  const set = [...document.querySelectorAll('#content fieldset')].find((f) => f.checkVisibility() && f.querySelector('legend').firstChild.textContent.trim() === l), label = [...(set?.querySelectorAll('.picks label') ?? [])].find((e) => e.textContent.startsWith(t));
  label?.click();
  return Boolean(label);
}, legend + ' ' + text, legend, text);
const picked = (page, legend) => page.run((l) => [...document.querySelectorAll('#content fieldset')].find((f) => f.querySelector('legend').firstChild.textContent.trim() === l)?.querySelector(':checked')?.value, legend);
const formAt = async (page, path, text) => { await goto(page, path); await page.until((t) => document.querySelector('#view h1')?.textContent === t && document.querySelector('#content form'), 'the form ' + path, text); };
const preview = (page) => page.run(() => document.querySelector('.preview pre').textContent);
const body = async (page) => { await page.click('.preview [role=tab]', 'JSON'); return JSON.parse(await preview(page)); };
const schemes = async (page, name) => {
  for (const scheme of ['light', 'dark']) {
    await page.scheme(scheme);
    assert.deepEqual(await pale(page), [], name + ' ' + scheme);
    await page.shot('build/web/' + name + '-' + scheme + '.png', true);
  }
  await page.scheme('light');
};

await test('forms: from sign-in to a cluster in three clicks', async () => {
  const page = await newPage({ width: 1440 });
  let clicks = 0;
  const click = async (...at) => { clicks++; await page.click(...at); };
  await page.goto(plain.url + '/');
  await page.fill('Client id', plain.clientId);
  await page.fill('Client secret', plain.clientSecret);
  await click('#signin-go');
  await page.until(() => document.querySelector('.glance .primary'), 'what one has');
  await schemes(page, 'forms-home');
  await click('.glance a', 'Create cluster');
  await page.until(() => document.querySelector('#content form'), 'the form');
  assert.deepEqual(await labels(page), ['Name', 'Provider', 'Region', 'Tier', 'Nodes']);
  await page.fill('Name', 'clicked');
  await schemes(page, 'forms-cluster');
  await click('button.primary', 'Create cluster');
  await heading(page, 'clicked');
  await state(page, 'CREATING');
  assert.ok(clicks <= 4, clicks + ' clicks');
});
