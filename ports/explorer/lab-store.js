// The Lab's store: snapshots of the whole state, the reset to its start, and worlds, which are files that describe resources to create.

import { el, put, say } from './dom.js';
import { segment } from './address.js';
import { bytes, utc } from './format.js';
import { block } from './code.js';
import { field, redraw, save } from './lab.js';

const fileName = (name) => name.replace(/\.[^.]*$/, '').replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 64) || 'snapshot';

export function open(place, lab) {
  const table = el('div', {}), report = el('div', {}), { confirm } = lab.context;
  let all = [];
  const name = field('Name', { value: 'snapshot-1', required: true, maxlength: 64, pattern: '[A-Za-z0-9._\\-]+', title: 'Letters, digits, dots, hyphens and underscores' });
  const button = (text, label, f, set) => el('button', { type: 'button', class: 'small', 'data-f': label, 'aria-label': label, onclick: f, ...set }, text);
  const at = (n, more = '') => 'snapshots/' + segment(n) + more;
  const take = async (e) => {
    e.preventDefault();
    const n = name.input.value;
    if (all.some((s) => s.name === n) && !await confirm('Replace the snapshot?', n, 'Replace')) return;
    const a = await lab.act('POST', 'snapshots', { name: n }, { done: 'The snapshot ' + n + ' is taken.' });
    if (!a.ok) return;
    name.input.value = n.replace(/\d*$/, (d) => String(Number(d) + 1));
    list.now();
  };
  const restore = async (n) => { if (await confirm('Restore the snapshot?', n + ': what has happened since is lost, and the clock goes back to that time.', 'Restore')) lab.act('POST', at(n, ':restore'), undefined, { done: n + ' is restored.', changes: true }); };
  const remove = async (n) => { if (await confirm('Delete the snapshot?', n, 'Delete') && (await lab.act('DELETE', at(n), undefined, { done: n + ' is deleted.' })).ok) list.now(); };
  const download = async (n) => { const a = await lab.act('GET', at(n)); if (a.ok) save(a.blob ?? new Blob([a.text]), n + '.svcsnap'); };
  const reset = async () => { if (await confirm('Reset the service?', 'Store, clock and limiter go back to the start of svcd. Faults and the journal are removed.', 'Reset') && (await lab.act('POST', 'reset', undefined, { done: 'The service was reset to its start.', changes: true })).ok) list.now(); };
  const upload = async (file) => {
    if (!file) return;
    const n = fileName(file.name);
    if (all.some((s) => s.name === n) && !await confirm('Replace the snapshot?', n, 'Replace')) return;
    if ((await lab.act('PUT', at(n), file, { done: 'The snapshot ' + n + ' is uploaded.', type: 'application/octet-stream' })).ok) list.now();
  };
  const apply = async (text, what) => {
    const a = await lab.act('POST', 'world', text, { changes: true }), b = a.body ?? {};
    if (!a.ok) return;
    const line = what + ' is applied: ' + [[b.made, 'made'], [b.changed, 'changed'], [b.kept, 'kept']].map(([n, w]) => (n ?? 0) + ' ' + w).join(', ') + '.';
    say(line);
    put(report, el('p', { class: 'done' }, line), el('details', {}, el('summary', {}, 'Names and secrets of the created resources'), el('p', { class: 'muted' }, 'The service does not show secrets again.'), block(JSON.stringify({ names: b.names, secrets: b.secrets }, null, 2), 'report')));
  };
  const world = field('World', {}, el('option', { value: '' }, 'Choose'));
  const shipped = async () => { const n = world.input.value; if (!n) return; const a = await lab.act('GET', 'worlds/' + segment(n)); if (a.ok) await apply(a.text, 'The world ' + n); };
  const chooser = (label, accept, f) => field(label, { type: 'file', accept, onchange: async (e) => { const file = e.target.files[0]; await f(file); e.target.value = ''; } });
  put(place, el('div', { class: 'lab-grid' },
    el('section', { class: 'card', 'aria-labelledby': 'lab-snaps' }, el('h2', { id: 'lab-snaps' }, 'Snapshot'), el('p', { class: 'muted' }, 'The whole state of the service, and its time. Up to 16 snapshots are kept in memory.'),
      el('form', { class: 'row', onsubmit: take }, name.node, el('button', { class: 'primary', 'data-f': 'take' }, 'Take')), chooser('Upload a snapshot file', '.svcsnap,application/octet-stream', upload).node,
      el('div', { class: 'row' }, el('button', { type: 'button', class: 'danger', 'data-f': 'reset', onclick: reset }, 'Reset the service'))),
    el('section', { class: 'card', 'aria-labelledby': 'lab-world' }, el('h2', { id: 'lab-world' }, 'World'), el('p', { class: 'muted' }, 'A file that describes resources. Either all of them are created, or none.'),
      el('div', { class: 'row' }, world.node, el('button', { type: 'button', 'data-f': 'apply', onclick: shipped }, 'Apply')), chooser('Apply a world file', '.json,application/json', async (file) => { if (file) await apply(await file.text(), file.name); }).node,
      el('div', { class: 'row' }, el('button', { type: 'button', 'data-f': 'export', onclick: async () => { const a = await lab.act('GET', 'world'); if (a.ok) save(a.text, 'world.json'); } }, 'Download the resources as a world')), report)),
  el('h2', {}, 'Snapshots'), table);
  lab.act('GET', 'worlds').then((a) => { for (const n of Array.isArray(a.body) ? a.body : []) world.input.append(el('option', { value: n }, String(n))); });
  const list = lab.poll(() => 'snapshots', (found) => {
    all = Array.isArray(found) ? found : [];
    redraw(table, all.length === 0 ? el('p', { class: 'empty' }, 'No snapshot has been taken.') : el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Snapshots' }, el('table', { class: 'list' },
      el('thead', {}, el('tr', {}, ['Name', 'Taken at', 'Size', 'Records', ''].map((h) => el('th', { scope: 'col', class: /Size|Records/.test(h) ? 'number' : '' }, h || el('span', { class: 'off' }, 'Actions'))))),
      el('tbody', {}, all.map((s) => el('tr', {}, el('th', { scope: 'row' }, s.name), el('td', {}, utc(s.time)), el('td', { class: 'number' }, bytes(s.bytes)), el('td', { class: 'number' }, s.records.toLocaleString('en-US')),
        el('td', {}, el('div', { class: 'row lab-acts' }, button('Restore', 'Restore ' + s.name, () => restore(s.name)), button('Download', 'Download ' + s.name, () => download(s.name)), button('Delete', 'Delete ' + s.name, () => remove(s.name), { class: 'small danger' })))))))));
  }, 2000);
}
