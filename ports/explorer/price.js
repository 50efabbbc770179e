// The place and size of a cluster: provider, region, tier and number of nodes, as four choices instead of the nested lists of the API; and the price.
//
// The fields are found by the shape of the schema, because a dialect may rename them: a list of shards, with a list of regions in it, each of which is one of
// several objects by provider. Without such a shape, the form shows the lists unchanged. The choices come from the service's list of regions, or from the
// schema's values if that cannot be read.
//
// The price comes from the service's list of SKUs, the table behind its invoices; a tier that is not in it has no price here.

import { el, put } from './dom.js';
import { schemaOf } from './spec.js';
import { money, perHour } from './format.js';
import { canon, Field, fieldOf } from './form.js';

const HOURS = 730;       // of a month, on average
const SHARED_NODES = 3;  // nodes of a cluster on shared machines, which cannot be chosen
const NODES = [3, 5, 7]; // electable ones, of all regions together

// ---- the shape

const propsOf = (s) => Object.entries(s.properties ?? {}).map(([k, v]) => [k, schemaOf(v)]).filter(([, v]) => !v.readOnly);
const keyOf = (props, fits) => props.find(([k, v]) => fits(k, v))?.[0];

function cloudOf(name, s) {
  const props = propsOf(s), specs = props.filter(([, v]) => keyOf(propsOf(v), (k, x) => /count$/i.test(k) && x.type === 'integer')).map(([k]) => k), main = specs.find((k) => /^elect/i.test(k));
  if (!main) return null;
  const inside = propsOf(schemaOf(s.properties[main])), sizes = inside.filter(([, v]) => v.enum).sort((a, b) => b[1].enum.length - a[1].enum.length)[0];
  const region = keyOf(props, (k, v) => /region/i.test(k) && v.enum);
  return sizes && region ? { name, specs, main, region, regions: schemaOf(s.properties[region]).enum, size: sizes[0], sizes: sizes[1].enum, count: keyOf(inside, (k) => /count$/i.test(k)),
    backing: keyOf(props, (k, v) => /backing/i.test(k) && v.enum), priority: keyOf(props, (k) => /priority/i.test(k)) } : null;
}

export function shapeOf(schema) {
  for (const [shards, s] of propsOf(schema)) for (const [regions, r] of propsOf(schemaOf(s.items ?? {}))) {
    const { discriminator: d } = schemaOf(r.items ?? {}), clouds = Object.entries(d?.mapping ?? {}).map(([k, ref]) => [k, cloudOf(k, schemaOf({ $ref: ref }))]);
    if (clouds.length && clouds.every(([, c]) => c)) return { shards, regions, by: d.propertyName, clouds: new Map(clouds), shared: clouds.find(([, c]) => c.backing)?.[1] };
  }
  return null;
}

// ---- choices

// { sizes, regions, usual } of a provider. listed: the answer of listClusterProviderRegions, if there is one.
function offersOf(shape, listed) {
  const all = new Map();
  for (const c of shape.clouds.values()) {
    if (c.backing) continue;
    const rows = listed?.find((p) => p?.provider === c.name)?.instanceSizes?.filter((s) => Array.isArray(s?.availableRegions)), names = (s) => s.availableRegions.map((r) => r.name);
    const usual = rows?.[0]?.availableRegions.find((r) => r.default)?.name ?? c.regions[0];
    // of the shared tiers, only the first can still be created
    const isOffered = (size) => c.sizes.includes(size) || size === shape.shared?.sizes[0];
    const by = new Map(rows?.length ? rows.filter((s) => isOffered(s.name)).map((s) => [s.name, new Set(names(s))]) : c.sizes.map((s) => [s, new Set(c.regions)]));
    all.set(c.name, { by, regions: [...new Set([...by.values()].flatMap((s) => [...s]))], usual, first: [...by.keys()].find((s) => c.sizes.includes(s)) });
  }
  return all;
}

// ---- prices

// By SKU, in millionths of a dollar per node and hour: "INSTANCE AWS M10, $0.027 an hour for each node".
export function pricesOf(skus) {
  const all = new Map();
  for (const s of skus ?? []) { const m = /\$([\d.]+) an hour for each/.exec(s?.description ?? ''); if (m && typeof s.id === 'string') all.set(s.id, Math.round(Number(m[1]) * 1e6)); }
  return all;
}

// The price of a cluster per hour, with its parts: { sum, parts: [{ n, size, each }] }. undefined: a part has no price.
export function costOf(body, shape, prices) {
  const parts = new Map();
  if (body?.paused === true) return { sum: 0, parts: [] };
  for (const r of (body?.[shape.shards] ?? []).flatMap((s) => s?.[shape.regions] ?? [])) {
    const c = shape.clouds.get(r?.[shape.by]);
    for (const k of c?.specs ?? []) {
      const n = c.backing && k === c.main ? SHARED_NODES : Number(r[k]?.[c.count] ?? 0), size = r[k]?.[c.size], each = prices.get('INSTANCE_' + c.name + '_' + size);
      if (!n || !size) continue;
      if (each === undefined) return undefined;
      const key = size + ' ' + each, p = parts.get(key) ?? { n: 0, size, each };
      parts.set(key, { ...p, n: p.n + n });
    }
  }
  const all = [...parts.values()];
  return all.length ? { sum: all.reduce((sum, p) => sum + p.n * p.each, 0), parts: all } : undefined;
}

const monthly = (sum) => money(Math.round(sum * HOURS / 1e4));

// cost(value): as costOf. For an update it also shows the present price.
export function pricePart(cost, isEdit) {
  const node = el('div', { class: 'price', role: 'status', hidden: true });
  let shown = '';
  return { node, update({ was, now, isBroken }) {
    const c = isBroken ? undefined : cost(now), before = isEdit && was ? cost(was) : undefined, key = canon([c, before]);
    node.hidden = !c;
    if (!c || key === shown) return;
    shown = key;
    put(node, el('p', { class: 'sum' }, before && before.sum !== c.sum ? [el('span', { class: 'muted' }, perHour(before.sum), ' → ')] : null, el('strong', {}, perHour(c.sum)), ' per hour',
      el('span', { class: 'month' }, ' about ', el('strong', {}, monthly(c.sum)), ' a month')),
    el('p', { class: 'hint' }, c.parts.length ? c.parts.map((p) => p.n + ' × ' + p.size + ' at ' + perHour(p.each)).join(' + ') + '. ' : 'A paused cluster is not billed for its nodes. ', 'Snapshots and data transfer are billed by use, on top.'));
  } };
}

// ---- the fields

const row = (label, control, note) => el('div', { class: 'field' }, el('label', { for: control.id }, label), control, note ?? null);

export class Place extends Field {
  constructor(schema, more) {
    super(schema, more);
    Object.assign(this, more.entry.place); // shape, offers, prices, isEdit
    this.now = structuredClone(this.value ?? this.start());
    this.node = el('div', { class: 'place' });
    this.simple = this.isUniform();
    if (!this.simple) this.raw = this.whole();
    this.draw();
  }
  start() {
    const { shape, offers } = this, [name, o] = [...offers][0], c = shape.clouds.get(name);
    return [{ [shape.regions]: [{ [shape.by]: name, [c.region]: o.usual, ...(c.priority ? { [c.priority]: 7 } : {}), [c.main]: { [c.size]: o.first, [c.count]: NODES[0] } }] }];
  }
  whole() { return fieldOf(this.schema, { value: this.now, name: this.name, required: true, parent: this.parent, known: this.known }); }
  list() { return (Array.isArray(this.now) ? this.now : []).flatMap((s) => (Array.isArray(s?.[this.shape.regions]) ? s[this.shape.regions] : [])); }
  cloudOf(r) { return this.shape.clouds.get(r?.[this.shape.by]); }
  sizeOf(r) { const c = this.cloudOf(r); return r[c.main]?.[c.size]; }
  // one tier for all: only then it can be chosen
  isUniform() { const all = this.list(); return all.length > 0 && all.every((r) => this.cloudOf(r)) && new Set(all.map((r) => this.sizeOf(r)).filter(Boolean)).size === 1; }
  // one region for all shards: only then it can be chosen
  isSingle() {
    const key = (r) => { const c = this.cloudOf(r); return canon([c.name, r[c.backing], r[c.region], r[c.main]?.[c.count]]); };
    return this.now.every((s) => s?.[this.shape.regions]?.length === 1) && new Set(this.list().map(key)).size === 1;
  }
  inside() { return this.simple ? [] : [this.raw]; }
  check() { return this.simple ? [] : this.raw.check(); }
  read() { return this.simple ? this.now : this.raw.read(); }
  control() { return this.simple ? super.control() : this.raw.control(); }

  // ---- changes: valid choices stay

  where() { const r = this.list().find((x) => this.sizeOf(x)), c = this.cloudOf(r); return { cloud: r[c.backing] ?? c.name, region: r[c.region], size: this.sizeOf(r), nodes: c.backing ? SHARED_NODES : r[c.main][c.count] }; }
  set(change) {
    this.now = structuredClone(this.now); // earlier readers keep their copy
    const { shape, offers } = this, to = { ...this.where(), ...change }, o = offers.get(to.cloud), isNew = change.cloud !== undefined;
    if (isNew && !o.by.has(to.size)) to.size = [...o.by.keys()].find((s) => s === to.size.split('_')[0]) ?? o.first;
    if (isNew && !o.regions.includes(to.region)) to.region = o.usual;
    if (o && this.isSingle() && !o.by.get(to.size)?.has(to.region)) to.size = o.first;
    const isShared = shape.shared?.sizes.includes(to.size), c = isShared ? shape.shared : shape.clouds.get(to.cloud);
    // another provider has other disks: the old values are dropped
    const moved = (r) => { const is = this.cloudOf(r) === c; return { ...(is ? r : (c.priority ? { [c.priority]: r[c.priority] } : {})), [shape.by]: c.name, ...(isShared ? { [c.backing]: to.cloud } : {}), [c.region]: to.region,
      [c.main]: { ...(is ? r[c.main] : {}), [c.size]: to.size, ...(isShared ? {} : { [c.count]: to.nodes }) } }; };
    if (this.isSingle()) for (const s of this.now) s[shape.regions] = s[shape.regions].map((r) => this.resized(moved(r), to.size));
    else for (const s of this.now) s[shape.regions] = s[shape.regions].map((r) => this.resized(r, to.size));
    this.draw(Object.keys(change)[0]);
  }
  // analytics nodes have a tier of their own
  resized(r, size) {
    const c = this.cloudOf(r);
    return { ...r, ...Object.fromEntries(c.specs.filter((k) => r[k] && !/^analy/i.test(k)).map((k) => [k, { ...r[k], [c.size]: size }])) };
  }

  // ---- display

  tiers(now, regions) {
    const o = this.offers.get(now.cloud), kinds = [['Shared', (s) => this.shape.shared?.sizes.includes(s)], ['With local disks', (s) => /NVME/.test(s)], ['Low CPU', (s) => /^R/.test(s)], ['Dedicated', () => true]], by = new Map(kinds.map(([k]) => [k, []]));
    // a dedicated cluster cannot go back to shared machines
    const fits = [...(o?.by ?? [])].filter(([s, at]) => regions.every((r) => at.has(r)) && !(this.isEdit && kinds[0][1](s))).map(([s]) => s);
    for (const s of fits.includes(now.size) ? fits : [now.size, ...fits]) by.get(kinds.find(([, f]) => f(s))[0]).push(s);
    const label = (s) => {
      const next = structuredClone(this.now).map((x) => ({ ...x, [this.shape.regions]: x[this.shape.regions].map((r) => this.resized(r, s)) })), c = this.shape.shared?.sizes.includes(s) ? undefined : costOf({ [this.shape.shards]: next }, this.shape, this.prices);
      return s + (this.shape.shared?.sizes[0] === s ? ' · free' : c && !this.cloudOf(this.list()[0]).backing ? ' · ' + perHour(c.sum) + ' per hour' : '');
    };
    return ['Shared', 'Dedicated', 'Low CPU', 'With local disks'].filter((k) => by.get(k).length).map((k) => el('optgroup', { label: k }, by.get(k).map((s) => el('option', { value: s, selected: s === now.size }, label(s)))));
  }
  draw(focus) {
    const { id } = this, turn = (simple) => { if (simple) { this.now = this.raw.read(); if (!this.isUniform()) return; } else this.raw = this.whole(); this.simple = simple; this.draw('turn'); };
    const other = (text) => el('button', { type: 'button', class: 'small', id: id + '-turn', onclick: () => turn(!this.simple) }, text);
    if (!this.simple) { put(this.node, this.wrong, this.raw.node, el('p', {}, other('Back to the short form'))); this.raw.node.open = true; } else this.drawSimple(other);
    if (focus) this.node.querySelector('#' + id + '-' + focus + ', input[name="' + id + '-' + focus + '"]:checked')?.focus();
  }
  drawSimple(other) {
    const { id, offers } = this, now = this.where(), single = this.isSingle(), isShared = this.shape.shared?.sizes.includes(now.size), o = offers.get(now.cloud);
    const radios = (key, label, all, note) => el('fieldset', { class: 'field choice' }, el('legend', {}, label), el('div', { class: 'picks' }, all.map((v, i) => el('span', {}, el('input', { type: 'radio', name: id + '-' + key, id: id + '-' + key + i, value: v, checked: v === now[key],
      onchange: () => this.set({ [key]: v }) }), el('label', { for: id + '-' + key + i }, String(v))))), note ?? null);
    const regions = single && o ? (o.regions.includes(now.region) ? o.regions : [now.region, ...o.regions]) : [];
    put(this.node, single ? radios('cloud', 'Provider', [...offers.keys()]) : null,
      single ? row('Region', el('select', { id: id + '-region', onchange: (e) => this.set({ region: e.target.value }) }, regions.map((r) => el('option', { value: r, selected: r === now.region }, r + (r === o?.usual ? ' (default)' : ''))))) : null,
      row('Tier', el('select', { id: id + '-size', onchange: (e) => this.set({ size: e.target.value }) }, this.tiers(now, single ? [now.region] : [])), single ? null : el('p', { class: 'hint' }, 'Of all regions and shards.')),
      single && !isShared ? radios('nodes', 'Nodes', [...new Set([...NODES, now.nodes])], el('p', { class: 'hint' }, 'They vote for the primary, so their number is odd.')) : null,
      isShared ? el('p', { class: 'hint' }, SHARED_NODES + ' nodes on shared machines.') : null, this.wrong, el('p', {}, other('All regions, shards and hardware')));
  }
}

export function placeOf(schema, listed, prices, isEdit) {
  const shape = shapeOf(schema);
  return shape ? { shape, prices, isEdit, offers: offersOf(shape, listed) } : null;
}
