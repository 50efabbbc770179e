// The first page after signing in: projects with their clusters, and the button that creates a cluster. It sends one request of its own, for all clusters; if
// that is refused, it shows the projects alone.

import { el, plural, put } from './dom.js';
import { fill, opNamed, pathOf } from './spec.js';
import { isObject } from './format.js';

const MOST = 12; // projects; a longer list has a page of its own
const LONG = 6;  // clusters of a project

const link = (text, to, kind) => (to ? el('a', { href: '#' + to, class: kind ?? null }, text) : el('span', {}, text));
const at = (id, params) => { const op = opNamed(id); return op ? fill(op.template, params) : null; };

function clustersOf(summary) {
  const by = new Map();
  for (const g of summary?.results ?? []) if (typeof g?.groupId === 'string' && Array.isArray(g.clusters)) by.set(g.groupId, g.clusters.filter((c) => isObject(c) && typeof c.name === 'string'));
  return by;
}

function project(p, clusters, isFirst) {
  const { id: groupId } = p, here = clusters ?? [], make = at('createCluster', { groupId }), alerts = here.reduce((n, c) => n + (Number(c.alertCount) || 0), 0);
  return el('article', { class: 'card' }, el('h3', {}, link(String(p.name ?? groupId), pathOf('groupId', groupId))),
    here.length ? el('ul', { class: 'plain' }, here.slice(0, LONG).map((c) => el('li', {}, link(c.name, at('getCluster', { groupId, clusterName: c.name })), typeof c.nodeCount === 'number' ? el('span', { class: 'muted' }, ' ' + plural(c.nodeCount, 'node')) : null)),
      here.length > LONG ? el('li', { class: 'muted' }, '+ ' + (here.length - LONG)) : null) : el('p', { class: 'muted' }, clusters || !p.clusterCount ? 'No clusters yet.' : plural(p.clusterCount, 'cluster')),
    alerts ? el('p', {}, link(plural(alerts, 'open alert'), at('listAlerts', { groupId }), 'bad')) : null,
    make ? el('a', { class: isFirst ? 'button primary' : 'button', href: '#' + make + '!createCluster', 'aria-label': 'Create cluster in ' + (p.name ?? groupId) }, 'Create cluster') : null);
}

// places: { orgs, projects }; ask(id): the answer of an operation, or undefined.
export async function draw(node, { orgs, projects }, ask) {
  const by = clustersOf(projects.length ? await ask('listClusterDetails') : undefined), all = [...by.values()].flat().length;
  const make = opNamed('createGroup'), newProject = make ? el('a', { class: projects.length ? 'button' : 'button primary', href: '#' + make.template + '!createGroup' }, 'Create project') : null;
  const more = projects.length > MOST ? el('p', {}, link('All ' + plural(projects.length, 'project'), opNamed('listGroups')?.template)) : null;
  const counts = [plural(orgs.length, 'organization'), plural(projects.length, 'project'), by.size || !projects.length ? plural(all, 'cluster') : null].filter(Boolean).join(', ');
  put(node, el('div', { class: 'row between' }, el('h2', {}, counts), newProject),
    orgs.length > 1 ? orgs.map((o) => { const mine = projects.filter((p) => p.orgId === o.id).slice(0, MOST); return mine.length ? [el('h3', { class: 'of' }, link(String(o.name ?? o.id), pathOf('orgId', o.id))), el('div', { class: 'cards' }, mine.map((p) => project(p, by.get(p.id), p === projects[0])))] : null; })
      : el('div', { class: 'cards' }, projects.slice(0, MOST).map((p, i) => project(p, by.get(p.id), i === 0))), more);
}
