// The console in headless Chromium, as its users meet it: ./build.sh test-web [NAME]. Every *_test.mjs of this folder is a part of it; pictures are left in build/web.
import { readdirSync } from 'node:fs';
import { end } from './kit.mjs';

for (const f of readdirSync(new URL('.', import.meta.url)).filter((n) => n.endsWith('_test.mjs')).sort()) await import('./' + f);
process.exit(await end());
