// ./build.sh test-api: checks the OpenAPI document, by itself and against the service's answers.
//
//     node run.mjs SVCD [OPERATION]     in a folder with node_modules; OPERATION: only this one, through Prism
//
// The last line of output is "N passed, N failed".
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate, useClient } from './client.mjs';
import { checkDocument } from './document.mjs';
import { send, startPrism, startService, stop } from './service.mjs';
import { Suite } from './suite.mjs';
import { World } from './world.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const module = (path) => join(here, 'node_modules', path);
const [svcd, only] = process.argv.slice(2);
const report = { passed: 0, failed: 0,
  pass() { this.passed++; },
  fail(text) { this.failed++; if (this.failed <= 100) console.log(`FAILED ${text.slice(0, 2000)}`); },
  say(text) { console.log(text); } };

async function step(what, work) {
  const began = Date.now(), passed = report.passed;
  try {
    await work();
  } catch (error) {
    report.fail(`${what}: ${error.stack}`);
  }
  report.say(`${what}: ${report.passed - passed} passed, ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

try {
  const first = await startService(svcd, ['--limiter-off']);
  const served = await send('GET', `${first.baseUrl}/openapi.json`);
  const file = join(here, 'openapi.json');
  writeFileSync(file, served.bytes);
  report.say(`document: ${served.bytes.length} bytes`);
  if (!only) {
    await step('document', () => checkDocument(served.body, file,
      { spectral: module('@stoplight/spectral-cli/dist/index.js'), rules: join(here, 'spectral.yaml') }, report));
    await step('client', async () => useClient(await generate(file, join(here, 'client')), first, report));
  }
  await step('calls', async () => {
    const program = module('@stoplight/prism-cli/dist/index.js');
    const prism = { below: await startPrism(program, file, served.body.servers[0].url), apart: await startPrism(program, file, first.baseUrl) };
    const world = new World(first, served.body);
    await world.open();
    await new Suite(world, prism, report).run(only);
  });
} catch (error) {
  report.fail(error.stack);
}
stop();
console.log(`${report.passed} passed, ${report.failed} failed`);
process.exitCode = report.failed || !report.passed ? 1 : 0;
