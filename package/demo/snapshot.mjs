// node snapshot.mjs FOLDER WORLD: loads a world into the module of a demo's folder, and writes the resulting state to
// FOLDER/svcapi/worlds/WORLD.snapshot.gz. It imports package/npm/core.js, because a folder of static files has no package.json that tells Node the type
// of its .js files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Service } from '../npm/core.js';

const [folder, world] = process.argv.slice(2), at = (name) => join(folder, 'svcapi', name);
const svc = new Service(await WebAssembly.compile(readFileSync(at('svcapi.wasm'))), { seed: 1, journal: 0, world: readFileSync(at(`worlds/${world}.json`), 'utf8') });
writeFileSync(at(`worlds/${world}.snapshot.gz`), gzipSync(svc.snapshot().bytes(), { level: 9 }));
svc.close();
