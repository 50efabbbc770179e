// Pages of the console that show no resource of the API. The address #/~NAME opens one; the rest of the address (#/~NAME/more) belongs to that page.
//
// A page is a module that the browser loads when it is opened, so that it does not delay the first paint. The module exports open(place, rest, context): it
// draws into place and may return a function that ends it (timers, listeners), or a promise of one. rest is the address after the name. context: { call(method,
// path, op, more), go(to), title(text), isCurrent(), confirm(question, text, yes), refresh() }; refresh reads names and pickers again, and resolves to whether
// the token is still valid.

import { session } from './api.js';

// { name, title, note, load, when }: when() returns whether this service has the page.
export const PAGES = [
  { name: 'reference', title: 'API reference', note: 'Every operation, its fields and errors', load: () => import('./reference.js'), when: () => true },
  { name: 'lab', title: 'Lab', note: 'Test control: clock, faults, snapshots, journal', load: () => import('./lab.js'), when: () => session.controlled },
];

export const pageNamed = (path) => (path.startsWith('/~') ? PAGES.find((p) => p.name === path.slice(2).split('/')[0] && p.when()) : undefined);
export const pagesHere = () => PAGES.filter((p) => p.when());
