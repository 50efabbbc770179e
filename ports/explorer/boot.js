// Removes the code of a sign-in link, as svcd prints it, from the address before anything else happens: no bookmark, history entry or screenshot keeps it.
const code = /^#\/~signin\/(.*)$/s.exec(location.hash)?.[1];
if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
// Loads the modules after the first paint, so that they do not delay it.
requestAnimationFrame(() => setTimeout(async () => { const main = await import('./main.js'); if (code !== undefined) main.useLink(code); }));
