// The "Events" tab: what happened, day by day, with a symbol and color by kind and a filter by type. A table of the same events is one click away.

import { el, muted, plural, put, sheet } from './dom.js';
import { opNamed } from './spec.js';
import { asked } from './entity.js';
import { list, problem, selfOf } from './view.js';
import { isDate, metricWords, utc } from './format.js';
import { TABLE, valuesOf } from './columns.js';
import { choice, toggle } from './chart.js';

// kind, symbol, pattern of types: the first match counts.
const KINDS = [['trouble', '!', /FAIL|DOWN|ERROR|OUTSIDE|ALERT|DENIED|EXPIR/], ['gone', '−', /DELET|REMOV|TERMINAT|REVOK/], ['new', '+', /CREAT|ADDED|JOINED|INVIT/], ['backup', '↺', /SNAPSHOT|BACKUP|RESTORE|CPS/],
  ['change', '~', /UPDAT|MODIF|CHANG|SCAL|RESIZ|PAUS|RESUM|READY|UPGRAD|EDIT/], ['other', '·', /./]];
const kindOf = (type) => KINDS.find(([, , p]) => p.test(type)) ?? KINDS.at(-1);
const column = (head) => TABLE.event.find((c) => c[0] === head)[1];

export async function open(place, x) {
  await sheet('charts.css');
  const { groupId, orgId, clusterName } = x.params, id = groupId ? 'listGroupEvents' : 'listOrgEvents', only = clusterName && opNamed(id).query.some((p) => p.name === 'clusterNames') ? 'clusterNames=' + encodeURIComponent(clusterName) : '';
  const a = await asked(id, { groupId, orgId }, 'itemsPerPage=100' + (only ? '&' + only : ''));
  if (!a.ok || !Array.isArray(a.body?.results)) { put(place, problem(a, { template: a.op.template })); return; }
  const all = a.body.results, types = [...new Set(all.map((e) => String(e.eventTypeName ?? '')))].filter(Boolean).sort(), inside = el('div', {});
  let type = '', asTable = false;

  const line = (e) => {
    const [kind, sign] = kindOf(String(e.eventTypeName ?? '')), to = selfOf(e), text = metricWords(e.eventTypeName ?? 'Event'), who = valuesOf(e, column('Who'))[0], what = valuesOf(e, column('What'))[0];
    return el('li', { class: 'event ' + kind }, el('span', { class: 'sign', title: kind, 'aria-hidden': 'true' }, sign), el('time', { datetime: e.created, title: isDate(e.created) ? utc(e.created) : null }, String(e.created ?? '').slice(11, 16)),
      el('span', {}, to ? el('a', { href: '#' + to }, text) : text, what ? el('span', {}, ' ' + what) : null, who ? muted(' by ' + who) : null));
  };
  function draw() {
    const some = all.filter((e) => !type || e.eventTypeName === type), days = [...new Set(some.map((e) => String(e.created ?? '').slice(0, 10)))];
    put(inside, all.length === 0 ? el('p', { class: 'empty' }, 'There are no events yet.') : asTable ? list({ ...a.body, results: some, links: [] }, a.path, a.op, draw)
      : days.map((d) => el('section', { class: 'dayline' }, el('h3', {}, d, muted(' UTC')), el('ol', { class: 'plain' }, some.filter((e) => String(e.created ?? '').startsWith(d)).map(line)))));
  }
  put(place, el('div', { class: 'row picker' }, toggle('Shown as', ['Timeline', 'Table'], 0, (i) => { asTable = i === 1; draw(); }), choice('Type', [['', 'All types'], ...types.map((t) => [t, metricWords(t)])], '', (v) => { type = v; draw(); }),
    muted(a.body.totalCount > all.length ? 'The latest ' + all.length + ' of ' + plural(a.body.totalCount, 'event') : plural(all.length, 'event')), el('a', { class: 'button', href: '#' + a.path + (only ? '?' + only : '') }, 'All events')), inside);
  draw();
}
