// Forms, from the schemas of the OpenAPI document. A field has a node, reads its value (undefined: not set), checks it, and shows the service's errors about
// it. Errors have the full path of a field, such as replicationSpecs[0].zoneName.
//
// Optional large fields are folded, and created only when they are opened: until then they keep the value that they were given. So a schema may contain itself,
// and untouched fields are sent back unchanged.

import { el, newId, plural, put } from './dom.js';
import { schemaOf } from './spec.js';

export const SECRET = /password|secret|privateKey|apiKey$|token$/i;
const MANY = 16; // values; checkboxes only up to this number
const FEW = 4;   // values; radio buttons only up to this number
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

// The same text for equal values, whatever the order of their members.
export const canon = (v) => JSON.stringify(v, (_, x) => (isObject(x) ? Object.fromEntries(Object.entries(x).sort(([a], [b]) => (a < b ? -1 : 1))) : x));

// ---- all fields

// entry: the field's entry in essentials.js: { label, list: [[value, description]], isStrict, schema, lead (nested fields), field (the class), preset, within:
// { field, values(its value) }: the values that another field allows }.
export class Field {
  constructor(schema, { value, name = '', required = false, parent = null, known = {}, entry = {}, lead }) {
    Object.assign(this, { schema, value, name, required, parent, known, entry, lead });
    this.id = newId('field');
    this.wrong = el('p', { class: 'error', id: this.id + '-wrong', hidden: true });
  }
  path() { return this.parent ? this.parent.pathTo(this) : ''; }
  inside() { return []; }
  all() { return [this, ...this.inside().flatMap((f) => f.all())]; }
  check() { return this.inside().flatMap((f) => f.check()); }
  control() { return this.input ?? this.node.querySelector('input, select, textarea, summary, button'); }
  title(otherwise = '') {
    return [this.entry.label ?? (this.name || otherwise), this.required ? el('span', { class: 'must' }, ' required') : null, this.entry.label && this.name ? el('code', { class: 'api' }, this.name) : null];
  }
  show(text) {
    this.wrong.textContent = text;
    this.wrong.hidden = !text;
    if (this.input) this.input.toggleAttribute('aria-invalid', Boolean(text));
    for (let e = this.node.parentElement; text && e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    if (text && this.node.tagName === 'DETAILS') this.node.open = true;
  }
}

// The document puts names of fields and values between backticks.
export const ticked = (text) => String(text).split('\x60').map((t, i, all) => (i % 2 === 0 ? t : i < all.length - 1 ? el('code', {}, t) : '\x60' + t));

// The description of a field and its limits. The control itself shows the default.
function hint(s) {
  const most = s.maxLength ?? s.maximum, least = s.minLength ?? s.minimum, of = s.maxLength !== undefined || s.minLength !== undefined ? ' characters' : '';
  const takes = [{ int32: '', int64: '', trimmed: '', 'date-time': '', email: '', hex24: '24 hexadecimal digits', ip: 'an IP address', cidr: 'a network in CIDR notation' }[s.format] ?? s.format,
    least !== undefined && most !== undefined ? least + ' to ' + most + of : least > 1 || (least !== undefined && !of) ? 'at least ' + least + of : most !== undefined ? 'at most ' + most + of : ''].filter(Boolean).join('; ');
  return [s.description ? ticked(s.description) : null, s.description && takes ? ' ' : null, takes ? takes.charAt(0).toUpperCase() + takes.slice(1) + '.' : null].flat().filter(Boolean);
}
const plainDefault = (s) => (s.default === undefined || s.default === null || typeof s.default === 'object' || s.default === '' ? undefined : String(s.default));
const valuesIn = (s) => (s.enum ?? []).filter((v) => v !== null);

// ---- one value

class Single extends Field {
  constructor(schema, more) {
    super(schema, more);
    const { id, required } = this, text = hint(schema);
    this.input = this.make();
    for (const [k, v] of Object.entries({ id, 'aria-describedby': (text.length ? id + '-hint ' : '') + id + '-wrong', 'aria-required': required ? 'true' : null })) if (v) this.input.setAttribute(k, v);
    this.input.addEventListener('input', () => this.show(''));
    const tools = this.tools?.();
    this.node = el('div', { class: this.kind ?? 'field' }, el('label', { for: id }, this.title('value')),
      tools ? el('div', { class: 'with' }, this.input, tools) : this.input, text.length ? el('p', { class: 'hint', id: id + '-hint' }, text) : null, this.wrong);
  }
  check() {
    const text = this.input.value, s = this.schema;
    if (text === '') return this.required ? [[this, 'is required']] : [];
    return [this.wrongWith(text, s)].filter(Boolean).map((why) => [this, why]);
  }
  wrongWith() { return ''; }
}

// 24 characters, without characters that look alike: about 139 bits.
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
function newPassword() {
  let text = '';
  while (text.length < 24) for (const b of crypto.getRandomValues(new Uint8Array(24))) if (b < LETTERS.length * 4 && text.length < 24) text += LETTERS[b % LETTERS.length];
  return text;
}

class Text extends Single {
  make() {
    const { schema: s, value, name, required, known, entry } = this, kind = SECRET.test(name) ? 'password' : { date: 'date', email: 'email', uri: 'url' }[s.format] ?? 'text';
    const preset = value ?? (required && /Id$/.test(name) ? known[name] : undefined) ?? '', usual = plainDefault(s);
    if (/certificate|pem$|^policy$/i.test(name) || String(preset).includes('\n')) return el('textarea', { rows: 3, value: String(preset) });
    return el('input', { type: kind, value: String(preset), autocomplete: kind === 'password' ? 'new-password' : 'off', autocapitalize: 'off', spellcheck: 'false', list: entry.list?.length ? this.id + '-list' : null,
      placeholder: usual !== undefined ? usual + ' (default)' : s.format === 'date-time' ? '2030-01-31T12:00:00Z' : null });
  }
  tools() {
    if (this.entry.list?.length) return el('datalist', { id: this.id + '-list' }, this.entry.list.map(([v, what]) => el('option', { value: v }, what ?? null)));
    if (this.entry.mine) {
      const ask = el('button', { type: 'button', onclick: async () => {
        ask.disabled = true;
        const found = await this.entry.mine();
        ask.disabled = false;
        if (!found) { this.show('The service does not show your address: the latest events include none of yours'); return; }
        this.input.value = found;
        this.input.dispatchEvent(new Event('input', { bubbles: true }));
      } }, 'My address');
      return ask;
    }
    if (this.input.type !== 'password') return null;
    const turn = (shown) => { this.input.type = shown ? 'text' : 'password'; see.textContent = shown ? 'Hide' : 'Show'; see.setAttribute('aria-pressed', String(shown)); };
    const see = el('button', { type: 'button', 'aria-pressed': 'false', 'aria-controls': this.id, onclick: () => turn(this.input.type === 'password') }, 'Show');
    return [see, /password$/i.test(this.name) ? el('button', { type: 'button', onclick: () => { this.input.value = newPassword(); this.show(''); turn(true); } }, 'Generate') : null];
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
  make() {
    const usual = plainDefault(this.schema);
    return el('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', class: 'short', value: this.value === undefined || this.value === null ? '' : String(this.value), placeholder: usual === undefined ? null : usual + ' (default)' });
  }
  read() { return this.input.value.trim() === '' ? undefined : Number(this.input.value); }
  wrongWith(text, s) {
    const n = Number(text);
    if (Number.isNaN(n) || ([s.type].flat().includes('integer') && !Number.isInteger(n))) return 'must be a ' + (s.type === 'integer' ? 'whole ' : '') + 'number';
    if (s.minimum !== undefined && n < s.minimum) return 'must be at least ' + s.minimum;
    return s.maximum !== undefined && n > s.maximum ? 'must be at most ' + s.maximum : '';
  }
}

// On or off. It is not sent while it has its default and was not set before.
class Switch extends Single {
  get kind() { return 'field onoff'; }
  make() { return el('input', { type: 'checkbox', role: 'switch', checked: String(this.value ?? this.schema.default ?? false) === 'true' }); }
  read() {
    const on = this.input.checked;
    return (this.value === undefined || this.value === null) && !this.required && on === (this.schema.default === true) ? undefined : on;
  }
  check() { return []; }
}

// The choices of an enum: [value, label]. '' is an unset value: the default, if there is one.
function choicesOf({ schema, value, required, entry }) {
  const now = value === undefined || value === null ? '' : String(value), usual = plainDefault(schema);
  const all = [...new Set([...(entry.list?.map(([v]) => v) ?? valuesIn(schema)).map(String), ...(now === '' ? [] : [now])])], named = new Map(entry.list);
  const called = (v) => (named.get(v) ?? v) + (v === usual ? ' (default)' : '');
  if (now === '' && usual !== undefined && all.includes(usual)) return { now, all: all.map((v) => [v === usual ? '' : v, called(v)]) };
  // a set value can be unset only if null may be sent, or if nothing may be sent, as with a parameter
  const isKept = required || (now !== '' && !entry.isClearable && ![schema.type].flat().includes('null'));
  return { now, all: [...(isKept ? [] : [['', 'Not set']]), ...all.map((v) => [v, called(v)])] };
}
const ofEnum = (schema, text) => (text === '' ? undefined : typeof valuesIn(schema)[0] === 'number' ? Number(text) : text);

class Choice extends Single {
  make() {
    const { now, all } = choicesOf(this), at = now === '' && this.required && this.entry.isStrict ? all.find(([v]) => v === this.known[this.name])?.[0] ?? '' : now;
    return el('select', {}, this.required && at === '' ? el('option', { value: '' }, 'Choose one') : null, all.map(([v, text]) => el('option', { value: v, selected: v === at }, text)));
  }
  // Restricts the choices to these values. The present choice stays if it is among them.
  limit(values) {
    const now = this.input.value, { all } = choicesOf({ ...this, schema: { ...this.schema, enum: values }, value: undefined });
    put(this.input, this.required ? el('option', { value: '' }, 'Choose one') : null, all.map(([v, text]) => el('option', { value: v, selected: v === now }, text)));
  }
  read() { return ofEnum(this.schema, this.input.value); }
}

// A few choices are all visible at once.
class Radios extends Field {
  constructor(schema, more) {
    super(schema, more);
    const { now, all } = choicesOf(this), group = newId('choice'), text = hint(schema), first = now === '' && this.required && all.length === 1 ? all[0][0] : now;
    this.radios = all.map(([v, text_]) => ({ text: text_, box: el('input', { type: 'radio', name: group, id: newId('radio'), value: v, checked: v === first, onchange: () => this.show('') }) }));
    this.node = el('fieldset', { class: 'field choice', 'aria-describedby': (text.length ? this.id + '-hint ' : '') + this.id + '-wrong' }, el('legend', {}, this.title('value')),
      el('div', { class: 'picks' }, this.radios.map((r) => el('span', {}, r.box, el('label', { for: r.box.id }, r.text)))), text.length ? el('p', { class: 'hint', id: this.id + '-hint' }, text) : null, this.wrong);
  }
  get picked() { return this.radios.find((r) => r.box.checked)?.box.value ?? ''; }
  control() { return (this.radios.find((r) => r.box.checked) ?? this.radios[0]).box; }
  read() { return ofEnum(this.schema, this.picked); }
  check() { return this.required && this.read() === undefined ? [[this, 'is required']] : []; }
}

class Json extends Single {
  make() { return el('textarea', { rows: 4, class: 'code', spellcheck: 'false', value: this.value === undefined ? '' : JSON.stringify(this.value, null, 2) }); }
  // a word needs no quotes
  parse(text) { try { return JSON.parse(text); } catch { return /^[\w .:@/-]+$/.test(text) ? text : undefined; } }
  read() { const text = this.input.value.trim(); return text === '' ? undefined : this.parse(text); }
  wrongWith(text) { return this.parse(text.trim()) === undefined ? 'must be JSON' : ''; }
}

// Several values, one per line; or checkboxes, if there are few to choose from.
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
    const text = hint(schema), named = new Map(this.entry.list);
    this.boxes = [...new Set([...valuesIn(schemaOf(schema.items)), ...now])].map((v) => ({ v, box: el('input', { type: 'checkbox', id: newId('box'), checked: now.includes(v) }) }));
    this.node = el('fieldset', { class: 'field boxes', 'aria-describedby': this.id + '-wrong' }, el('legend', {}, this.title()),
      el('div', { class: 'checks' }, this.boxes.map(({ v, box }) => el('span', {}, box, el('label', { for: box.id }, named.get(v) ?? v)))), text.length ? el('p', { class: 'hint' }, text) : null, this.wrong);
  }
  read() {
    const all = this.boxes.filter((b) => b.box.checked).map((b) => b.v);
    return all.length === 0 && !this.value?.length ? undefined : all;
  }
  check() { return this.required && !this.read() ? [[this, 'is required']] : []; }
}

// ---- folded fields

class Folded extends Field {
  constructor(schema, more) {
    super(schema, more);
    this.made = false;
    this.body = el('div', { class: 'group' });
    if (!this.name) { this.node = el('div', {}, this.wrong, this.body); this.open(); return; }
    const open = this.required || (this.parent && this.parent.isItems) || (this.entry.lead && this.value !== undefined && canon(this.value) !== '[]');
    this.node = el('details', { class: 'fold', open, ontoggle: () => { if (this.node.open) this.open(); } },
      el('summary', {}, this.title(), this.value !== undefined && !open ? el('span', { class: 'muted' }, ' is set') : null), this.schema.description ? el('p', { class: 'hint' }, ticked(this.schema.description)) : null, this.wrong, this.body);
    if (open) this.open();
  }
  open() { if (!this.made) { this.made = true; this.build(); } }
  read() { return this.made ? this.take() : this.value; }
  check() {
    if (!this.made) return this.required && this.value === undefined ? [[this, 'is required']] : [];
    return !this.required && this.take() === undefined ? [] : super.check();
  }
}

// Fields that cannot be set: read-only ones, and objects with read-only fields alone.
function isFixed(s) {
  const inside = Object.values(s.properties ?? {});
  return Boolean(s.readOnly) || (inside.length > 0 && inside.every((p) => schemaOf(p).readOnly));
}

// The groups of the fields behind "More settings", by topic.
const GROUPS = [['Backup', /backup|^pit|snapshot|retain/i], ['Security', /tls|encrypt|cert|protect|redact|ldap|oidc|x509|IAM|auth|password|secret|risk/i], ['Hardware and scaling', /scal|shard|replica|disk|cluster|spec|node|capacity|size|paused|configServer/i],
  ['Version', /version|release/i], ['Notes and tags', /tag|label|comment|desc/i]];
function grouped(fields) {
  const by = new Map([...GROUPS.map(([g]) => [g, []]), ['Other', []]]);
  for (const f of fields) by.get(GROUPS.find(([, p]) => p.test(f.name))?.[0] ?? 'Other').push(f.node);
  const some = [...by].filter(([, all]) => all.length);
  return fields.length <= 8 || some.length < 2 ? fields.map((f) => f.node) : some.map(([g, all]) => el('section', { class: 'about' }, el('h3', {}, g), all));
}

const NAMED = /^(name|[a-z]+Name|desc|description|comment|enabled)$/;

class Fields extends Folded {
  build() {
    const { schema: s, value = {}, known, lead } = this, must = new Set(s.required ?? []), at = new Map((lead ?? []).map((e, i) => [e.name, { ...e, i, preset: this.value === undefined ? e.preset : undefined }]));
    const rows = Object.entries(s.properties).map(([name, raw]) => ({ name, schema: schemaOf(raw) })).filter((r) => !isFixed(r.schema) && r.name !== 'links' && r.name !== this.schema.skip);
    const make = (r) => { const entry = at.get(r.name) ?? {}; return fieldOf({ ...r.schema, ...entry.schema }, { value: value[r.name] ?? entry.preset, name: r.name, required: must.has(r.name), parent: this, known, entry, lead: entry.lead }); };
    const isShown = lead ? (r) => (at.has(r.name) && !at.get(r.name).isLess) || (must.has(r.name) && !at.has(r.name)) : (r) => must.has(r.name) || value[r.name] !== undefined || rows.length <= 4;
    let shown = rows.filter(isShown);
    if (shown.length === 0) shown = rows.filter((r) => NAMED.test(r.name));
    const rest = rows.filter((r) => !shown.includes(r)), weigh = (r) => at.get(r.name)?.i ?? (must.has(r.name) ? 50 : 99);
    this.fields = shown.sort((a, b) => weigh(a) - weigh(b)).map(make);
    put(this.body, this.fields.map((f) => f.node));
    for (const f of this.fields.filter((x) => x.entry.within && x.limit)) {
      const by = this.fields.find((x) => x.name === f.entry.within.field), limit = () => { const some = f.entry.within.values(by.read()); if (some?.length) f.limit(some); };
      if (!by) continue;
      by.node.addEventListener('change', limit);
      limit();
    }
    // fields with a value are sent even if they were never opened
    this.unseen = rest.map((r) => [r.name, value[r.name] ?? at.get(r.name)?.preset]).filter(([, v]) => v !== undefined);
    if (rest.length === 0) return;
    const more = el('div', { class: 'group' });
    this.openRest = () => {
      if (more.firstChild) return;
      const made = rest.map(make);
      this.fields.push(...made);
      this.unseen = [];
      this.onRest?.(Object.fromEntries(made.map((f) => [f.name, f.read()])));
      put(more, grouped(made));
    };
    this.body.append(el('details', { class: 'more', ontoggle: (e) => { if (e.target.open) this.openRest(); } },
      el('summary', {}, lead ? ['More settings', el('span', { class: 'muted' }, ' (' + rest.length + ')')] : plural(rest.length, 'more field')), more));
  }
  inside() { return this.made ? this.fields : []; }
  pathTo(f) { const p = this.path(); return p ? p + '.' + f.name : f.name; }
  take() {
    const s = this.schema, out = Object.fromEntries(this.unseen);
    for (const f of this.fields) { const v = f.read(); if (v !== undefined) out[f.name] = v; }
    if (Object.keys(out).length === 0 && !this.required && this.value === undefined) return undefined;
    // read-only fields are sent back unchanged, except at the top level, where only changes are sent
    if (this.parent && this.value) for (const [k, v] of Object.entries(this.value)) if (isFixed(schemaOf(s.properties[k] ?? {})) && k !== 'links') out[k] = v;
    return out;
  }
}

// One of several objects, selected by the value of a member.
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
    const add = el('button', { type: 'button', onclick: () => this.add(undefined)?.control()?.focus() }, 'Add ' + (this.entry.label ? 'one' : this.name || 'one'));
    put(this.body, this.list, add);
    for (const v of this.value ?? []) this.add(v);
    if (this.items.length === 0 && (this.required || this.schema.minItems)) this.add(undefined);
  }
  add(value) {
    const f = fieldOf(schemaOf(this.schema.items), { value, required: true, parent: this, known: this.known, lead: this.lead });
    const row = el('li', {}, f.node, el('button', { type: 'button', class: 'small', 'aria-label': 'Remove this one of ' + (this.name || 'the list'), onclick: () => {
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

// A required object that contains one of its own kind has no end: below this depth, a field is JSON text.
const DEEPEST = 12;
const depthOf = (field) => (field ? 1 + depthOf(field.parent) : 0);

export function fieldOf(schema, more) {
  if (more.entry?.field) return new more.entry.field(schema, more);
  if (depthOf(more.parent) >= DEEPEST && ['union', 'object', 'array'].includes(kindOf(schema))) return new Json(schema, more);
  let items = schema.items ? schemaOf(schema.items) : null;
  // a list of words, or of objects in a longer form: words, unless the value has objects
  const words_ = items?.anyOf?.find((o) => schemaOf(o).enum);
  if (words_ && !more.value?.some?.(isObject)) { items = schemaOf(words_); schema = { ...schema, items }; }
  const plain = items && ['string', 'number', 'enum'].includes(kindOf(items)), { list, isStrict } = more.entry ?? {};
  if (isStrict && list.length) return new Choice(schema, more);
  const kinds = { union: Union, object: Fields, map: Json, array: plain ? (items.enum && (items.enum.length <= MANY || more.entry?.schema) ? Boxes : Lines) : Items, enum: valuesIn(schema).length <= FEW ? Radios : Choice, boolean: Switch, number: Numeric, string: Text, json: Json };
  return new kinds[kindOf(schema)](schema, more);
}

// ---- the form of an operation

// value: the resource to edit. send({ query, body }) resolves to an answer, whose errors are shown. lead: the essential fields (essentials.js). above, below:
// parts around the button, as { node, update }, called after every change: update({ query, body, was, now, isBroken }).
export function form(op, { value, known, query = {}, send, cancel, submit = 'Send', lead, above = [], below = [] }) {
  const patch = op.method === 'PATCH';
  const asked = op.query.map((p) => fieldOf({ ...schemaOf(p.schema), description: p.description ?? schemaOf(p.schema).description }, { name: p.name, required: Boolean(p.required), value: query[p.name], known, entry: { isClearable: true } }));
  // a PATCH requires nothing: omitted fields stay
  const schema = op.schema ? { ...schemaOf(op.schema), ...(patch ? { required: [] } : {}) } : null;
  // a PUT may omit the member that selects the variant: the form asks for it anyway
  if (!patch && schema?.discriminator) schema.oneOf ??= schema.anyOf;
  let root = null, first, raw = false;
  const begin = (v, isFirst) => {
    root = schema ? fieldOf(schema, { value: v, required: op.bodyRequired, known, lead }) : null;
    if (isFirst) { first = root?.read(); if (root) root.onRest = (was) => { if (isObject(first)) Object.assign(first, was); }; }
  };
  begin(value, true);
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
    if (toRaw === raw) return;
    if (toRaw) area.value = JSON.stringify(changed() ?? {}, null, 2);
    else {
      try { const v = JSON.parse(area.value || '{}'); begin(patch ? { ...value, ...v } : v); } catch (e) { put(wrong, el('p', { class: 'error', role: 'alert' }, 'This is not JSON: ' + e.message)); return; }
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
    begin(o);
    if (raw) area.value = JSON.stringify(o, null, 2);
    else put(place, root.node);
    (raw ? area : root.control())?.focus();
  } }, 'Fill in an example');
  const go = el('button', { class: 'primary' }, submit), edits = value !== undefined && root;
  const params = () => asked.flatMap((f) => [f.read()].flat().filter((v) => v !== undefined).map((v) => [f.name, String(v)]));
  // A form that edits a resource can be sent only after a change.
  function refresh() {
    let sent, isBroken = false;
    try { sent = body(); } catch { isBroken = true; }
    const now = patch && isObject(sent) ? { ...first, ...sent } : sent;
    go.disabled = Boolean(edits) && !isBroken && (patch ? !isObject(sent) || Object.keys(sent).length === 0 : canon(now) === canon(first));
    for (const p of [...above, ...below]) p.update({ query: params(), body: sent, was: first, now, isBroken });
  }
  // The service may name a field below the form's deepest: then the field that contains it shows the error.
  const fieldAt = (at, path) => { for (let p = path; p; p = p.replace(/(\.[^.[]*|\[\d+\]|^[^.[]*)$/, '')) if (at.has(p)) return at.get(p); return undefined; };
  async function onsubmit(e) {
    e.preventDefault();
    put(wrong);
    if (go.disabled || showAll([...asked, ...(root && !raw ? [root] : [])].flatMap((f) => f.check()))) return;
    let sent;
    try { sent = body(); } catch (x) { put(wrong, el('p', { class: 'error', role: 'alert' }, 'This is not JSON: ' + x.message)); area.focus(); return; }
    go.disabled = true;
    let answer, node;
    try { ({ answer, node } = await send({ query: params(), body: sent }, () => node_.requestSubmit())); }
    catch (x) { node = el('p', { class: 'error', role: 'alert' }, 'The page has failed: ' + x.message); } finally { go.disabled = false; }
    put(wrong, node);
    const told = answer?.body?.badRequestDetail?.fields ?? [], at = new Map(fields().map((f) => [f.path() || f.name, f]));
    showAll(told.map((t) => [fieldAt(at, t.field), t.description]).filter(([f]) => f));
  }
  const node_ = el('form', { class: 'card form', novalidate: true, onsubmit, oninput: refresh, onchange: refresh, onclick: refresh }, wrong,
    root ? el('div', { class: 'row between' }, el('div', { class: 'tabs', role: 'group', 'aria-label': 'How to edit' }, tabs), value === undefined ? example : null) : null,
    place, asked.length ? el('details', { class: 'more', open: !root || asked.some((f) => f.required) }, el('summary', {}, 'Parameters'), el('div', { class: 'group' }, asked.map((f) => f.node))) : null,
    above.map((p) => p.node), el('div', { class: 'row' }, go, cancel ? el('a', { class: 'button', href: cancel }, 'Cancel') : null), below.map((p) => p.node));
  if (root) put(place, root.node);
  refresh();
  return node_;
}
