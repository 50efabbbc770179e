// The module's bytes are in a file next to this one, which Node, Deno and Bun read and browsers fetch. It is compiled once.
import { Service } from './core.js';

export { Answer, BASE_URL, Service, SvcapiError } from './core.js';

let compiled;

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const url = new URL(source ?? './svcapi.wasm', import.meta.url);
  if (url.protocol !== 'file:') return WebAssembly.compileStreaming(fetch(url));
  const { readFile } = await import('node:fs/promises');
  return WebAssembly.compile(await readFile(url));
}

// Opens a service in this process, separate from others. options.wasm: the module, its bytes or its URL, if it is not next to this file.
export async function open({ wasm, ...options } = {}) {
  const module = wasm === undefined ? await (compiled ??= compile().catch((error) => { compiled = undefined; throw error; })) : await compile(wasm);
  return new Service(module, typeof options.world === 'string' && /^[a-z]+$/.test(options.world) ? { ...options, world: await shipped(options.world) } : options);
}

// Returns a world of this package by its name: empty, team, company.
async function shipped(name) {
  const url = new URL(`./worlds/${name}.json`, import.meta.url);
  if (url.protocol !== 'file:') {
    const answer = await fetch(url);
    if (!answer.ok) throw new TypeError(`there is no world ${name}`);
    return answer.text();
  }
  const { readFile } = await import('node:fs/promises');
  return readFile(url, 'utf8').catch(() => { throw new TypeError(`there is no world ${name}`); });
}
