// A plain file server on a free port of loopback: the files of a folder below a path. The server knows the type of pages, styles and scripts,
// which browsers require, and sends all other files as bytes. `asked` has the path of every request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, posix } from 'node:path';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

export async function serve(folder, below) {
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://x');
    asked.push(`${request.method} ${pathname}`);
    const path = posix.normalize(decodeURIComponent(pathname));
    const file = path.startsWith(below) ? path.slice(below.length) || 'index.html' : '';
    try {
      if (!file || request.method !== 'GET') throw new Error('not here');
      const bytes = readFileSync(join(folder, file));
      response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
    } catch {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('there is no such file\n');
    }
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return { asked, origin: `http://127.0.0.1:${server.address().port}`, close: () => { server.close(); server.closeAllConnections(); } };
}
