// Every URL that the page calls or shows, and every address of the page, is made here from segments.
//
// The rule: a request goes to the path that the page shows and that its guards have judged. Browsers resolve the segments "." and "..", also in the form
// "%2e", end a path at "#", take "\" for "/", and drop tabs and line breaks. So the first are refused, and the others are encoded.

import { decode } from './dom.js';

export const REFUSED = 'An address with the segment "." or ".." could lead to another resource, so the console does not open it.';

// A value as a segment of a path.
// Half a character, which encodeURIComponent() refuses, is replaced.
export const segment = (value) => encodeURIComponent(String(value ?? '').toWellFormed?.() ?? String(value ?? ''));

// The path of an operation, with the known parameters.
export const fill = (template, params) => template.replace(/\{([^}]*)\}/g, (_, name) => segment(params[name]));

const isDots = (part) => /^\.{1,2}$/.test(decode(part).replace(/[\t\r\n]/g, ''));

// Whether a path, with or without a query, has a segment that a browser would resolve.
export const isRefused = (path) => path.split('?')[0].split(/[/\\]/).some(isDots);

// The URL of a path below "base", a path of this service, with its query; null: it is refused.
export function urlAt(base, path) {
  const [way, query] = path.split(/\?(.*)/s);
  if (isRefused(way)) return null;
  const url = new URL(location.origin);
  url.pathname = base + way.replace(/[\\\t\r\n#]/g, segment);
  url.search = query === undefined ? '' : '?' + query.replace(/#/g, segment);
  return url;
}
