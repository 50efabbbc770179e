// A sign-in link, as svcd prints it, leaves the address before anything else happens: no bookmark, no history entry and no screenshot keeps its code.
const code = /^#\/~signin\/(.*)$/s.exec(location.hash)?.[1];
if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
// First the page is seen, then it gets its modules: so they do not keep it waiting.
requestAnimationFrame(() => setTimeout(async () => { const main = await import('./main.js'); if (code !== undefined) main.useLink(code); }));
