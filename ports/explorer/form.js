// Forms, from the schemas of the OpenAPI document. A field knows its node, reads its value (undefined: it is not set), says what is
// wrong with it, and shows what the service says is: errors name the whole path of a field, as replicationSpecs[0].zoneName.
//
// What is optional and large is folded, and made only when somebody opens it: until then its value is the one that it was given. So a
// schema may hold itself, and what nobody touched goes back as it came.

import { el, newId, plural, put } from './dom.js';
import { schemaOf } from './spec.js';

const SECRET = /password|secret|privateKey|apiKey$|token$/i;
const MANY = 16; // values: more are not boxes to check
const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

function kindOf(s) {
  const type = [s.type].flat().find((t) => t && t !== 'null');
  if (s.oneOf) return s.discriminator ? 'union' : 'json';
  if (s.properties) return 'object';
  if (type === 'object') return isObject(s.additionalProperties) ? 'map' : 'json';
  if (type === 'array') return 'array';
  if (s.enum) return 'enum';
  return { boolean: 'boolean', integer: 'number', number: 'number', string: 'string' }[type] ?? 'json';
}

// The same for the same value, whatever the order of its members.
export const canon = (v) => JSON.stringify(v, (_, x) => (isObject(x) ? Object.fromEntries(Object.entries(x).sort(([a], [b]) => (a < b ? -1 : 1))) : x));

// ---- what all fields share

class Field {
  constructor(schema, { value, name = '', required = false, parent = null, known = {} }) {
    Object.assign(this, { schema, value, name, required, parent, known });
    this.id = newId('field');
    this.wrong = el('p', { class: 'error', id: this.id + '-wrong', hidden: true });
  }
  path() { return this.parent ? this.parent.pathTo(this) : ''; }
  inside() { return []; }
  all() { return [this, ...this.inside().flatMap((f) => f.all())]; }
  check() { return this.inside().flatMap((f) => f.check()); }
  control() { return this.input ?? this.node.querySelector('input, select, textarea, summary, button'); }
  show(text) {
    this.wrong.textContent = text;
    this.wrong.hidden = !text;
    if (this.input) this.input.toggleAttribute('aria-invalid', Boolean(text));
    for (let e = this.node.parentElement; text && e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    if (text && this.node.tagName === 'DETAILS') this.node.open = true;
  }
}

function hint(s) {
  const most = s.maxLength ?? s.maximum, least = s.minLength ?? s.minimum, of = s.maxLength !== undefined || s.minLength !== undefined ? ' characters' : '';
  return [s.description, { int32: '', int64: '', trimmed: '', hex24: '24 hexadecimal digits', ip: 'an IP address', cidr: 'a network in CIDR notation' }[s.format] ?? s.format,
    least !== undefined && most !== undefined ? least + ' to ' + most + of : least !== undefined ? 'at least ' + least + of : most !== undefined ? 'at most ' + most + of : '',
    s.default !== undefined && typeof s.default !== 'object' ? 'default: ' + s.default : ''].filter(Boolean).join('; ');
}

// ---- one value

class Single extends Field {
  constructor(schema, more) {
    super(schema, more);
    const { id, name, required } = this, text = hint(schema);
    this.input = this.make();
    for (const [k, v] of Object.entries({ id, 'aria-describedby': (text ? id + '-hint ' : '') + id + '-wrong', 'aria-required': required ? 'true' : null })) if (v) this.input.setAttribute(k, v);
    this.input.addEventListener('input', () => this.show(''));
    this.node = el('div', { class: 'field' }, el('label', { for: id }, name || 'value', required ? el('span', { class: 'must' }, ' required') : null),
      this.input, text ? el('p', { class: 'hint', id: id + '-hint' }, text) : null, this.wrong);
  }
  check() {
    const text = this.input.value, s = this.schema;
    if (text === '') return this.required ? [[this, 'is required']] : [];
    return [this.wrongWith(text, s)].filter(Boolean).map((why) => [this, why]);
  }
  wrongWith() { return ''; }
}

class Text extends Single {
  make() {
    const { schema: s, value, name, required, known } = this, secret = s.writeOnly && SECRET.test(name);
    const kind = secret || SECRET.test(name) ? 'password' : { date: 'date', email: 'email', uri: 'url' }[s.format] ?? 'text';
    const preset = value ?? (required && /Id$/.test(name) ? known[name] : undefined) ?? '';
    if (/certificate|pem$|^description$|^policy$/i.test(name) || String(preset).includes('\n')) return el('textarea', { rows: 3, value: String(preset) });
    return el('input', { type: kind, value: String(preset), autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', placeholder: s.format === 'date-time' ? '2030-01-31T12:00:00Z' : null });
  }
  read() { return this.input.value === '' ? undefined : this.input.value; }
  wrongWith(text, s) {
    if (s.minLength && text.length < s.minLength) return 'must have at least ' + plural(s.minLength, 'character');
    if (s.maxLength && text.length > s.maxLength) return 'must have at most ' + plural(s.maxLength, 'character');
    if (s.format === 'date-time' && Number.isNaN(Date.parse(text))) return 'must be a date such as 2030-01-31T12:00:00Z';
    try { if (s.pattern && !new RegExp(s.pattern, 'u').test(text)) return 'must be like ' + s.pattern; } catch { /* the service will say */ }
    return '';
  }
}

class Numeric extends Single {
  make() { return el('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', value: this.value === undefined || this.value === null ? '' : String(this.value) }); }
  read() { return this.input.value.trim() === '' ? undefined : Number(this.input.value); }
  wrongWith(text, s) {
    const n = Number(text);
    if (Number.isNaN(n) || ([s.type].flat().includes('integer') && !Number.isInteger(n))) return 'must be a ' + (s.type === 'integer' ? 'whole ' : '') + 'number';
    if (s.minimum !== undefined && n < s.minimum) return 'must be at least ' + s.minimum;
    return s.maximum !== undefined && n > s.maximum ? 'must be at most ' + s.maximum : '';
  }
}

class Choice extends Single {
  make() {
    const values = this.schema.enum ?? ['true', 'false'], now = this.value === undefined || this.value === null ? '' : String(this.value);
    return el('select', { value: now }, el('option', { value: '' }, this.required ? 'choose one' : 'not set'),
      [...new Set(now === '' ? values : [...values, now])].map((v) => el('option', { selected: String(v) === now }, String(v))));
  }
  read() {
    const text = this.input.value, values = this.schema.enum;
    return text === '' ? undefined : !values ? text === 'true' : typeof values[0] === 'number' ? Number(text) : text;
  }
}

class Json extends Single {
  make() { return el('textarea', { rows: 4, class: 'code', spellcheck: 'false', value: this.value === undefined ? '' : JSON.stringify(this.value, null, 2) }); }
  // a word needs no quotes
  parse(text) { try { return JSON.parse(text); } catch { return /^[\w .:@/-]+$/.test(text) ? text : undefined; } }
  read() { const text = this.input.value.trim(); return text === '' ? undefined : this.parse(text); }
  wrongWith(text) { return this.parse(text.trim()) === undefined ? 'must be JSON' : ''; }
}

// Several values, a line each; or boxes, where there are few to choose from.
class Lines extends Single {
  make() { return el('textarea', { rows: 2, value: (this.value ?? []).join('\n'), placeholder: 'one on each line', spellcheck: 'false' }); }
  lines() { return this.input.value.split('\n').map((l) => l.trim()).filter((l) => l !== ''); }
  read() {
    const all = this.lines(), numbers = ['integer', 'number'].includes(schemaOf(this.schema.items).type);
    return all.length === 0 && !this.required && !this.value?.length ? undefined : numbers ? all.map(Number) : all;
  }
}

class Boxes extends Field {
  constructor(schema, more) {
    super(schema, more);
    const now = this.value ?? [];
    this.boxes = schemaOf(schema.items).enum.map((v) => ({ v, box: el('input', { type: 'checkbox', id: newId('box'), checked: now.includes(v) }) }));
    this.node = el('fieldset', { class: 'field boxes', 'aria-describedby': this.id + '-wrong' }, el('legend', {}, this.name, this.required ? el('span', { class: 'must' }, ' required') : null),
      el('div', { class: 'checks' }, this.boxes.map(({ v, box }) => el('span', {}, box, el('label', { for: box.id }, v)))), this.wrong);
  }
  read() {
    const all = this.boxes.filter((b) => b.box.checked).map((b) => b.v);
    return all.length === 0 && !this.value?.length ? undefined : all;
  }
  check() { return this.required && !this.read() ? [[this, 'is required']] : []; }
}

// ---- what is folded

class Folded extends Field {
  constructor(schema, more) {
    super(schema, more);
    this.made = false;
    this.body = el('div', { class: 'group' });
    if (!this.name) { this.node = el('div', {}, this.wrong, this.body); this.open(); return; }
    const open = this.required || (this.parent && this.parent.isItems);
    this.node = el('details', { class: 'fold', open, ontoggle: () => { if (this.node.open) this.open(); } },
      el('summary', {}, this.name, this.required ? el('span', { class: 'must' }, ' required') : null, this.value !== undefined && !open ? el('span', { class: 'muted' }, ' is set') : null), this.wrong, this.body);
    if (open) this.open();
  }
  open() { if (!this.made) { this.made = true; this.build(); } }
  read() { return this.made ? this.take() : this.value; }
  check() {
    if (!this.made) return this.required && this.value === undefined ? [[this, 'is required']] : [];
    return !this.required && this.take() === undefined ? [] : super.check();
  }
}

class Fields extends Folded {
  build() {
    const { schema: s, value = {}, known } = this, must = new Set(s.required ?? []);
    const rows = Object.entries(s.properties).map(([name, raw]) => ({ name, schema: schemaOf(raw) })).filter((r) => !r.schema.readOnly && r.name !== 'links' && r.name !== this.schema.skip);
    const make = (r) => fieldOf(r.schema, { value: value[r.name], name: r.name, required: must.has(r.name), parent: this, known });
    const shown = rows.filter((r) => must.has(r.name) || value[r.name] !== undefined || rows.length <= 4), rest = rows.filter((r) => !shown.includes(r));
    this.fields = shown.sort((a, b) => must.has(b.name) - must.has(a.name)).map(make);
    put(this.body, this.fields.map((f) => f.node));
    if (rest.length === 0) return;
    const more = el('div', { class: 'group' });
    const fold = el('details', { class: 'more', ontoggle: () => {
      if (!fold.open || more.firstChild) return;
      const made = rest.map(make);
      this.fields.push(...made);
      put(more, made.map((f) => f.node));
    } }, el('summary', {}, plural(rest.length, 'more field')), more);
    this.body.append(fold);
  }
  inside() { return this.made ? this.fields : []; }
  pathTo(f) { const p = this.path(); return p ? p + '.' + f.name : f.name; }
  take() {
    const out = {}, s = this.schema;
    for (const f of this.fields) { const v = f.read(); if (v !== undefined) out[f.name] = v; }
    if (Object.keys(out).length === 0 && !this.required && this.value === undefined) return undefined;
    // what can only be read goes back as it came, but for the outermost, of which only that is sent which changed
    if (this.parent && this.value) for (const [k, v] of Object.entries(this.value)) if (schemaOf(s.properties[k] ?? {}).readOnly && k !== 'links') out[k] = v;
    return out;
  }
}

// One of several objects, by the value of a member.
class Union extends Folded {
  build() {
    const { propertyName: by, mapping = {} } = this.schema.discriminator, now = this.value?.[by];
    this.by = by;
    this.select = new Choice({ enum: Object.keys(mapping) }, { name: by, value: now, required: true, parent: this });
    this.part = el('div', {});
    const change = () => {
      const kind = this.select.input.value;
      this.of = kind ? fieldOf({ ...schemaOf({ $ref: mapping[kind] }), skip: by }, { value: kind === now ? this.value : undefined, required: true, parent: this, known: this.known }) : null;
      put(this.part, this.of?.node);
    };
    this.select.input.addEventListener('change', change);
    change();
    put(this.body, this.select.node, this.part);
  }
  inside() { return this.made ? [this.select, this.of].filter(Boolean) : []; }
  pathTo(f) { const p = this.path(); return f === this.select ? (p ? p + '.' : '') + this.by : p; }
  take() { const kind = this.select.read(); return kind === undefined ? undefined : { [this.by]: kind, ...this.of.read() }; }
}

class Items extends Folded {
  get isItems() { return true; }
  build() {
    this.items = [];
    this.list = el('ol', { class: 'items' });
    const add = el('button', { type: 'button', onclick: () => this.add(undefined)?.control()?.focus() }, 'Add ' + (this.name || 'one'));
    put(this.body, this.list, add);
    for (const v of this.value ?? []) this.add(v);
    if (this.items.length === 0 && (this.required || this.schema.minItems)) this.add(undefined);
  }
  add(value) {
    const f = fieldOf(schemaOf(this.schema.items), { value, required: true, parent: this, known: this.known });
    const row = el('li', {}, f.node, el('button', { type: 'button', class: 'small', 'aria-label': 'Remove this one of ' + this.name, onclick: () => {
      this.items.splice(this.items.indexOf(f), 1);
      row.remove();
      this.node.querySelector('summary')?.focus();
    } }, 'Remove'));
    this.items.push(f);
    this.list.append(row);
    return f;
  }
  inside() { return this.made ? this.items : []; }
  pathTo(f) { return this.path() + '[' + this.items.indexOf(f) + ']'; }
  take() { return this.items.length === 0 && !this.value?.length && !this.required ? undefined : this.items.map((f) => f.read()); }
}

// A required object that contains one of its own kind has no end: so deep inside, a field is a text of JSON.
const DEEPEST = 12;
const depthOf = (field) => (field ? 1 + depthOf(field.parent) : 0);

function fieldOf(schema, more) {
  if (depthOf(more.parent) >= DEEPEST && ['union', 'object', 'array'].includes(kindOf(schema))) return new Json(schema, more);
  const items = schema.items ? schemaOf(schema.items) : null, plain = items && ['string', 'number', 'enum'].includes(kindOf(items));
  const kinds = { union: Union, object: Fields, map: Json, array: plain ? (items.enum && items.enum.length <= MANY ? Boxes : Lines) : Items, enum: Choice, boolean: Choice, number: Numeric, string: Text, json: Json };
  return new kinds[kindOf(schema)](schema, more);
}

// ---- the form of an operation

// value: what is edited. send({ query, body }) gives an answer, and its errors are shown.
export function form(op, { value, known, query = {}, send, cancel, submit = 'Send' }) {
  const patch = op.method === 'PATCH';
  const asked = op.query.map((p) => fieldOf(schemaOf(p.schema), { name: p.name, required: Boolean(p.required), value: query[p.name], known }));
  // of a PATCH nothing is required: what is not sent stays
  const schema = op.schema ? { ...schemaOf(op.schema), ...(patch ? { required: [] } : {}) } : null;
  // of a PUT the member that chooses the kind may be left out: the form asks for it all the same
  if (!patch && schema?.discriminator) schema.oneOf ??= schema.anyOf;
  const begin = (v) => (schema ? fieldOf(schema, { value: v, required: op.bodyRequired, known }) : null);
  let root = begin(value), first = root?.read(), raw = null;
  const place = el('div', {}), wrong = el('div', {});
  const area = el('textarea', { id: newId('json'), class: 'code', rows: 18, spellcheck: 'false', 'aria-label': 'Body as JSON' });
  const body = () => (raw ? (area.value.trim() === '' ? undefined : JSON.parse(area.value)) : changed());
  const changed = () => {
    const now = root?.read();
    if (!patch || !isObject(now)) return now === undefined && op.schema && op.bodyRequired ? {} : now;
    const was = isObject(first) ? first : {}, out = {};
    for (const k of new Set([...Object.keys(was), ...Object.keys(now)])) if (canon(was[k]) !== canon(now[k])) out[k] = now[k] === undefined ? null : now[k];
    return out;
  };
  const tabs = ['Form', 'JSON'].map((name, i) => el('button', { type: 'button', class: 'tab', 'aria-pressed': i === 0 ? 'true' : 'false', onclick: () => turn(i === 1) }, name));
  function turn(toRaw) {
    put(wrong);
    if (toRaw === Boolean(raw)) return;
    if (toRaw) area.value = JSON.stringify(changed() ?? {}, null, 2);
    else {
      try { const v = JSON.parse(area.value || '{}'); root = begin(patch ? { ...value, ...v } : v); } catch (e) { put(wrong, el('p', { class: 'error', role: 'alert' }, 'This is no JSON: ' + e.message)); return; }
    }
    raw = toRaw;
    tabs.forEach((t, i) => t.setAttribute('aria-pressed', String((i === 1) === toRaw)));
    put(place, toRaw ? area : root.node);
  }
  const fields = () => [...(root && !raw ? root.all() : []), ...asked];
  function showAll(found) {
    fields().forEach((f) => f.show(''));
    found.forEach(([f, why]) => f.show(why.charAt(0).toUpperCase() + why.slice(1)));
    found[0]?.[0].control()?.focus();
    return found.length > 0;
  }
  const example = op.example === undefined ? null : el('button', { type: 'button', onclick: () => {
    const o = isObject(op.example) ? { ...op.example } : op.example;
    if (isObject(o)) for (const k of Object.keys(o)) if (/Id$/.test(k) && known[k]) o[k] = known[k];
    root = begin(o);
    if (raw) area.value = JSON.stringify(o, null, 2);
    else put(place, root.node);
    (raw ? area : root.control())?.focus();
  } }, 'Fill in an example');
  const go = el('button', { class: 'primary' }, submit);
  async function onsubmit(e) {
    e.preventDefault();
    put(wrong);
    if (showAll([...asked, ...(root && !raw ? [root] : [])].flatMap((f) => f.check()))) return;
    let sent;
    try { sent = body(); } catch (x) { put(wrong, el('p', { class: 'error', role: 'alert' }, 'This is no JSON: ' + x.message)); area.focus(); return; }
    go.disabled = true;
    const params = asked.flatMap((f) => [f.read()].flat().filter((v) => v !== undefined).map((v) => [f.name, String(v)]));
    const { answer, node } = await send({ query: params, body: sent }, () => node_.requestSubmit());
    go.disabled = false;
    put(wrong, node);
    const told = answer?.body?.badRequestDetail?.fields ?? [], at = new Map(fields().map((f) => [f.path() || f.name, f]));
    showAll(told.filter((t) => at.has(t.field)).map((t) => [at.get(t.field), t.description]));
  }
  const node_ = el('form', { class: 'card form', novalidate: true, onsubmit }, wrong,
    root ? el('div', { class: 'row between' }, el('div', { class: 'tabs', role: 'group', 'aria-label': 'How to edit' }, tabs), value === undefined ? example : null) : null,
    place, asked.length ? el('details', { class: 'more', open: !root || asked.some((f) => f.required) }, el('summary', {}, 'Parameters'), el('div', { class: 'group' }, asked.map((f) => f.node))) : null,
    el('div', { class: 'row' }, go, cancel ? el('a', { class: 'button', href: cancel }, 'Cancel') : null));
  if (root) put(place, root.node);
  return node_;
}
