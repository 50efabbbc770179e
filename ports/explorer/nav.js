// The sidebar: the current organization and project, and what they have, by area. Both are in the address (?org=…&project=…), so a reload or a shared link
// returns to them; nothing is stored. On a narrow screen the same element is a drawer.

import { $, el, put, decode } from './dom.js';
import { spec, opNamed, match, fill, pathOf } from './spec.js';
import { names as areaNames, below } from './areas.js';
import * as api from './api.js';
import { names, learn } from './view.js';
import { short } from './format.js';
import { pageNamed, pagesHere } from './pages.js';

const MOST = 500; // of each, which is the largest page
const orgs = new Map(), projects = new Map(); // by id, from the lists
const opened = new Map(); // areas that the user has opened or closed
const now = { orgId: '', groupId: '', path: '/' };
const byName = (a, b) => String(a.name).localeCompare(String(b.name), 'en', { numeric: true });

// ---- known organizations and projects

function note(tag, o) {
  if (typeof o?.id !== 'string') return;
  if (tag === 'organization') orgs.set(o.id, o);
  if (tag === 'project') projects.set(o.id, o);
}
const draft = () => [...orgs.values(), ...projects.values()].map((o) => o.id + ' ' + o.name).join();

// Takes organizations and projects from any answer that shows them, for the pickers.
export function see(tag, body) {
  if (tag !== 'organization' && tag !== 'project') return;
  const before = draft();
  (Array.isArray(body?.results) ? body.results : [body]).forEach((o) => note(tag, o));
  if (draft() !== before) draw();
}

// changed: called when new names are known.
export let loaded = Promise.resolve();
export const load = (changed) => { loaded = read(changed); };
async function read(changed) {
  const ask = async (id) => {
    const op = opNamed(id), a = op ? await api.call('GET', spec.base, op.template + '?itemsPerPage=' + MOST, { template: op.template, accept: op.accept }) : null;
    return a?.ok && Array.isArray(a.body?.results) ? a.body : null;
  };
  const found = await Promise.all([ask('listOrgs'), ask('listGroups')]);
  if (!api.signedIn()) return;
  [orgs, projects].forEach((m, i) => { if (found[i]) m.clear(); });
  found.forEach((body, i) => { if (body) { learn(body); body.results.forEach((o) => note(['organization', 'project'][i], o)); } });
  settle();
  draw();
  changed();
}

export function forget() {
  orgs.clear();
  projects.clear();
  opened.clear();
  Object.assign(now, { orgId: '', groupId: '', path: '/' });
  put($('nav-inside'));
}

export const places = () => ({ orgs: [...orgs.values()].sort(byName), projects: [...projects.values()].sort(byName) });
export const orgOf = (groupId) => projects.get(groupId)?.orgId;

// Determines organization and project: from the path, otherwise from the address, otherwise the only one that exists.
function settle() {
  const asked = new URLSearchParams(location.search), params = match(now.path === '/' ? '' : now.path)?.params ?? partial(now.path);
  const group = params.groupId ?? (projects.has(now.groupId) ? now.groupId : asked.get('project') ?? '');
  now.groupId = params.groupId || projects.has(group) ? group : projects.size === 1 ? [...projects.keys()][0] : '';
  const org = params.orgId ?? projects.get(now.groupId)?.orgId ?? (now.orgId || asked.get('org') || '');
  now.orgId = params.orgId || orgs.has(org) ? org : orgs.size === 1 ? [...orgs.keys()][0] : '';
  if (params.orgId && projects.get(now.groupId) && projects.get(now.groupId).orgId !== params.orgId) now.groupId = '';
  for (const [key, id] of [['org', now.orgId], ['project', now.groupId]]) if (id) asked.set(key, id); else if (orgs.size) asked.delete(key);
  const search = asked.size ? '?' + asked : '';
  if (search !== location.search) history.replaceState(history.state, '', location.pathname + search + location.hash);
}
// The project or organization of a path that no operation reads, such as that of a form.
function partial(path) {
  const parts = path.split('/').map(decode), of = (id) => opNamed(id)?.template.split('/')[1];
  return parts[2] && parts[1] === of('getGroup') ? { groupId: parts[2] } : parts[2] && parts[1] === of('getOrg') ? { orgId: parts[2] } : {};
}

export function at(path) {
  now.path = path;
  settle();
  draw();
}

// ---- what is shown

function picker(id, label, all, current, every, go) {
  const known = all.some((o) => o.id === current);
  return el('div', { class: 'pick' }, el('label', { for: id }, label), el('select', { id, onchange: (e) => { location.hash = go(e.target.value); } },
    current ? null : el('option', { value: '', selected: true, disabled: true }, 'Choose'),
    current && !known ? el('option', { value: current, selected: true }, names.get(current) ?? short(current)) : null,
    all.sort(byName).map((o) => el('option', { value: o.id, selected: o.id === current }, String(o.name ?? o.id))),
    el('option', { value: '*' }, every)));
}

// The longest item whose path is that of the page or above it.
function currentOf(items) {
  let best = '';
  for (const { to } of items) if ((now.path === to || now.path.startsWith(to + '/')) && to.length > best.length) best = to;
  return best;
}

// The innermost resource of the path that has something below it, apart from project and organization: a cluster, a workspace.
function innermost() {
  const parts = now.path.split('/');
  for (let n = parts.length; n > 3; n--) {
    const m = match(parts.slice(0, n).join('/'));
    if (m && m.op.names.length > 1 && m.op.template.endsWith('}') && Object.keys(below(spec.ops, m.op.template)).length) return { m, name: decode(parts[n - 1]) };
  }
  return null;
}

function sections() {
  const all = {}, add = (template, params, inside) => {
    for (const [area, items] of Object.entries(template === undefined ? {} : below(spec.ops, template)))
      (all[area] ??= []).push(...items.map(({ op, label }) => ({ label, inside, to: fill(op.template, params) })));
  };
  const one = innermost();
  if (now.groupId) add(opNamed('getGroup')?.template, { groupId: now.groupId }, '');
  if (one) add(one.m.op.template, one.m.params, names.get(one.name) ?? one.name);
  if (now.orgId) add(opNamed('getOrg')?.template, { orgId: now.orgId }, now.groupId ? 'Organization' : '');
  add('', {}, 'Service');
  return all;
}

// Everything in one list, for the search: { label, area, inside, to }.
export function pages() {
  const tops = [['listOrgs', 'All organizations'], ['listGroups', 'All projects']].filter(([id]) => opNamed(id)).map(([id, label]) => ({ label, area: 'Organization', to: opNamed(id).template }));
  const places = [...orgs.values(), ...projects.values()].map((o) => ({ label: String(o.name ?? o.id), area: projects.has(o.id) ? 'project' : 'organization', to: pathOf(projects.has(o.id) ? 'groupId' : 'orgId', o.id) })).filter((p) => p.to);
  return [...pagesHere().map((p) => ({ label: p.title, area: p.note, to: '/~' + p.name })), ...places, ...Object.entries(sections()).flatMap(([area, items]) => items.map((i) => ({ ...i, area }))), ...tops];
}
export const context = () => ({ ...(now.orgId ? { orgId: now.orgId } : {}), ...(now.groupId ? { groupId: now.groupId } : {}) });

function lists(items, current) {
  const groups = [...new Set(items.map((i) => i.inside))];
  return groups.map((g) => [g ? el('p', { class: 'inside' }, g) : null, el('ul', {}, items.filter((i) => i.inside === g)
    .map((i) => el('li', {}, el('a', { href: '#' + i.to, 'aria-current': i.to === current ? 'page' : null }, i.label))))]);
}

function section(area, items, current) {
  const here = items.some((i) => i.to === current);
  const fold = el('details', { class: 'area', open: opened.get(area) ?? here, 'data-area': area }, el('summary', { onclick: () => opened.set(area, !fold.open) }, area), lists(items, current));
  return fold;
}

export function draw() {
  if (!api.signedIn() || !spec.ops.length) return;
  const place = $('nav-inside'), focused = place.contains(document.activeElement) ? document.activeElement : null, key = focused && (focused.id || focused.getAttribute('href') || focused.textContent);
  const all = sections(), current = currentOf(Object.values(all).flat()), root = (id) => opNamed(id)?.template ?? '/';
  const mine = [...projects.values()].filter((p) => !now.orgId || p.orgId === now.orgId);
  const home = [['getGroup', 'groupId', 'Project overview'], ['getOrg', 'orgId', 'Organization overview']].filter(([op, id]) => now[id] && opNamed(op))
    .map(([, id, label]) => ({ label, to: pathOf(id, now[id]) })).filter((i) => i.to);
  put(place, picker('pick-org', 'Organization', [...orgs.values()], now.orgId, 'All organizations', (v) => (v === '*' ? root('listOrgs') : pathOf('orgId', v))),
    picker('pick-project', 'Project', mine, now.groupId, 'All projects', (v) => (v !== '*' ? pathOf('groupId', v) : now.orgId && opNamed('getOrgGroups') ? fill(root('getOrgGroups'), { orgId: now.orgId }) : root('listGroups'))),
    el('ul', { class: 'tops' }, home.map((i) => el('li', {}, el('a', { href: '#' + i.to, 'aria-current': i.to === now.path ? 'page' : null }, i.label)))),
    areaNames.filter((area) => all[area]).map((area) => section(area, all[area], current)),
    el('ul', { class: 'tops' }, pagesHere().map((p) => el('li', {}, el('a', { href: '#/~' + p.name, 'aria-current': pageNamed(now.path) === p ? 'page' : null }, p.title)))));
  if (key) [...place.querySelectorAll('a, select, summary')].find((e) => (e.id || e.getAttribute('href') || e.textContent) === key)?.focus();
}

// ---- the current location by names: organization, project, and what is below them

export function crumbs(path) {
  const page = pageNamed(path), rest = page ? path.slice(page.name.length + 3) : '';
  if (page) return el('ol', {}, el('li', {}, el('a', { href: '#/' }, 'Home')), rest ? el('li', {}, el('a', { href: '#/~' + page.name }, page.title)) : null, el('li', {}, el('span', { 'aria-current': 'page' }, rest ? decode(rest) : page.title)));
  const parts = path.split('/').filter(Boolean), { groupId, orgId } = match(path)?.params ?? partial(path), items = [{ text: 'Home', to: '/' }];
  const named = (id) => names.get(id) ?? (/^[0-9a-f]{24}$/.test(id) ? short(id) : id);
  const owner = groupId ? projects.get(groupId)?.orgId : undefined, short_ = (groupId ?? orgId) !== undefined && decode(parts[1] ?? '') === (groupId ?? orgId);
  if (owner && short_) items.push({ text: named(owner), title: owner, to: pathOf('orgId', owner) });
  parts.forEach((p, i) => {
    if (i === 0 && short_) return; // the name of the project stands for it
    const to = '/' + parts.slice(0, i + 1).join('/'), m = match(to), text = decode(p);
    const isValue = m ? m.op.template.split('/')[i + 1]?.includes('{') : i > 0 && spec.ops.some((op) => op.pattern.test(path) && op.template.split('/')[i + 1]?.startsWith('{'));
    items.push({ text: isValue ? named(text) : text, title: isValue ? text : null, to: m ? to : null });
  });
  return el('ol', {}, items.map((c, i) => el('li', {}, i === items.length - 1 ? el('span', { 'aria-current': 'page', title: c.title }, c.text) : c.to ? el('a', { href: '#' + c.to, title: c.title }, c.text) : c.text)));
}

// ---- the drawer

function drawer(open) {
  $('nav').classList.toggle('open', open);
  $('menu').setAttribute('aria-expanded', String(open));
  $('shade').hidden = !open;
}
const isDrawer = () => $('menu').checkVisibility();

export function start() {
  $('menu').addEventListener('click', () => {
    const open = !$('nav').classList.contains('open');
    drawer(open);
    if (open) $('nav').querySelector('select, a, summary')?.focus();
  });
  $('shade').addEventListener('click', () => drawer(false));
  addEventListener('hashchange', () => drawer(false));
  addEventListener('keydown', (e) => {
    if (e.key !== 'Escape' || !$('nav').classList.contains('open') || !isDrawer()) return;
    drawer(false);
    $('menu').focus();
  });
  // the focus has left the drawer
  $('nav').addEventListener('focusout', (e) => { if (isDrawer() && e.relatedTarget && !$('nav').contains(e.relatedTarget) && e.relatedTarget !== $('menu')) drawer(false); });
}
