// The pages of the console that show no resource of the API. The address #/~NAME opens one, and whatever follows (#/~NAME/more) belongs to that page.
//
// A page is a module of its own that the browser loads when somebody opens it, so the first paint does not wait for it. The module exports
// open(place, rest, context): it draws into place and may return a function, or the promise of one, that ends it (timers, listeners). rest is the address behind
// the name. context: { call(method, path, op, more), go(to), title(text), isCurrent(), confirm(question, text, yes), refresh() }; refresh: names and pickers are
// read again; it resolves to whether the token still holds.

import { session } from './api.js';

// { name, title, note, load, when }: when() says whether this service has the page.
export const PAGES = [
  { name: 'reference', title: 'API reference', note: 'Every operation, its fields and errors', load: () => import('./reference.js'), when: () => true },
  { name: 'lab', title: 'Lab', note: 'Test control: clock, faults, snapshots, journal', load: () => import('./lab.js'), when: () => session.controlled },
];

export const pageNamed = (path) => (path.startsWith('/~') ? PAGES.find((p) => p.name === path.slice(2).split('/')[0] && p.when()) : undefined);
export const pagesHere = () => PAGES.filter((p) => p.when());
