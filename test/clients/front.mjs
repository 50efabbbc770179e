// A front for clients that use version 1.0 of the public API on a hard-coded host: it plays that host, and forwards requests to svcd.
//
// The rule: the front changes the target of a request and the requested version, but never the body of a request or an answer. Version 1.0 has
// the shapes of 2023-01-01, and calls the access list "whitelist". Digest signs the path, so the front signs in to svcd itself.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { join } from 'node:path';
import { token } from './common.mjs';

const DATED = 'application/vnd.atlas.2023-01-01+json';

function certificate(folder, host) {
  const [key, cert] = [join(folder, 'front.key'), join(folder, 'front.crt')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`,
    '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert), file: cert };
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

async function forward(service, bearer, request, answer) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const path = request.url.replace('/api/atlas/v1.0/', '/api/atlas/v2/').replace('/whitelist', '/accessList');
  const reply = await fetch(service.base + path, { method: request.method, body: parts.length ? Buffer.concat(parts) : undefined,
    headers: { authorization: `Bearer ${bearer}`, accept: DATED, 'content-type': DATED } });
  answer.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/plain' });
  answer.end(Buffer.from(await reply.arrayBuffer()));
}

// Calls run({ proxy, certificate }): the URL of a proxy that sends every host to the front, and the file of the host's
// certificate.
export async function withFront(service, folder, host, run) {
  const bearer = await token(service), made = certificate(folder, host);
  const front = https.createServer(made, (request, answer) => {
    forward(service, bearer, request, answer).catch((e) => answer.writeHead(502).end(String(e)));
  });
  const port = await listen(front);
  const proxy = http.createServer();
  proxy.on('connect', (request, client) => {
    const inside = net.connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(inside).pipe(client);
    });
    for (const socket of [client, inside]) socket.on('error', () => socket.destroy());
  });
  try {
    return await run({ proxy: `http://127.0.0.1:${await listen(proxy)}`, certificate: made.file });
  } finally {
    proxy.close();
    front.close();
    front.closeAllConnections();
  }
}
