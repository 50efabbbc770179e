// First the page is seen, then it gets its modules: so they do not keep it waiting.
requestAnimationFrame(() => setTimeout(() => import('./main.js')));
