// Tests the console in headless Chromium as a user would: ./build.sh test-web [NAME]. Runs every *_test.mjs of this folder;
// pictures are left in build/web.
import { readdirSync } from 'node:fs';
import { end } from './kit.mjs';

for (const f of readdirSync(new URL('.', import.meta.url)).filter((n) => n.endsWith('_test.mjs')).sort()) await import('./' + f);
process.exit(await end());
