import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { fillInDeployFile, nginxAround } from '../deploy-files.ts';
import { freePort } from '../processes.ts';
import { findProgram } from '../programs.ts';

// The links in mails have their token in the query, and requests for what their pages load have it in the referer.
const TOKEN = 'the-token-of-a-mailed-link';
const LINK = `/claim?token=${TOKEN}`;

/** Starts nginx with the configuration of deploy/, in front of one address in place of the shop's two. */
async function startNginx(upstream: string, values: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const processes = { '10.0.0.11:3000': upstream, '10.0.0.12:3000': upstream };
  writeFileSync(file, nginxAround(folder, { listen: `127.0.0.1:${port}`, ...processes, ...values }));
  const nginx = spawn(await findProgram('nginx'), ['-p', folder, '-c', file], { stdio: 'inherit' });
  const ended = once(nginx, 'exit');
  return {
    url: `http://127.0.0.1:${port}`,
    logged: () => ['access', 'error'].map((log) => readFileSync(join(folder, 'nginx', `${log}.log`), 'utf8')).join(''),
    [Symbol.asyncDispose]: async () => {
      nginx.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

it('nginx logs each request with its status, but no token of a mailed link', async () => {
  await using nginx = await startNginx(`127.0.0.1:${await freePort()}`);
  const headers = { referer: `https://shop.example${LINK}`, 'user-agent': 'a browser' };
  const open = (path: string) => fetch(`${nginx.url}${path}`, { headers });
  const { status } = await vi.waitUntil(() => open(LINK).catch(() => undefined), { timeout: 30_000, interval: 20 });
  expect(status).toBe(502);
  await open('/assets/index.js');
  await vi.waitUntil(() => nginx.logged().includes('"GET /assets/index.js HTTP/1.1" 502 '), { timeout: 30_000 });
  expect(nginx.logged()).toMatch(/^127\.0\.0\.1 \[.*\] "GET \/claim HTTP\/1\.1" 502 .* "a browser"$/m);
  expect(nginx.logged()).not.toContain(TOKEN);
});

it('nginx does not say its version', async () => {
  await using nginx = await startNginx(`127.0.0.1:${await freePort()}`);
  const open = () => fetch(nginx.url).catch(() => undefined);
  const errorPage = await vi.waitUntil(open, { timeout: 30_000, interval: 20 });
  expect(errorPage.headers.get('server')).toBe('nginx');
  expect(await errorPage.text()).toMatch(/502 Bad Gateway(.|\s)*>nginx</);
});

it('nginx writes neither uploads nor responses to its disk', async () => {
  const MEBIBYTE = 1024 * 1024;
  const upstream = createServer((request, response) => {
    request.resume().on('end', () => response.end(request.method === 'POST' ? '' : Buffer.alloc(64 * MEBIBYTE)));
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const { port } = upstream.address() as AddressInfo;
  // nginx warns of each body that it writes to its disk.
  await using nginx = await startNginx(`127.0.0.1:${port}`, { 'error.log crit;': 'error.log warn;' });
  const answering = () => fetch(`${nginx.url}/`, { method: 'POST' }).catch(() => undefined);
  await vi.waitUntil(answering, { timeout: 30_000, interval: 20 });
  const answer = await fetch(nginx.url);
  // While the client does not read on.
  const upload = await fetch(nginx.url, { method: 'POST', body: Buffer.alloc(8 * MEBIBYTE) });
  expect([upload.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 64 * MEBIBYTE]);
  expect(nginx.logged()).toContain('"POST / HTTP/1.1" 200');
  expect(nginx.logged()).not.toContain('temporary file');
  upstream.close();
});

it('HAProxy logs no requests', () => {
  expect(fillInDeployFile('haproxy.cfg', {})).not.toMatch(/^\s*(log|log-format|option httplog)\b/m);
});

it('the ingress controller logs no requests of the shop, and writes no bodies to its disk', () => {
  const network = parseAllDocuments(fillInDeployFile('kubernetes/base/network.yaml', {}));
  const ingress = network.find((document) => document.get('kind') === 'Ingress');
  expect(ingress?.toJS()).toMatchObject({
    metadata: {
      annotations: {
        'nginx.ingress.kubernetes.io/enable-access-log': 'false',
        'nginx.ingress.kubernetes.io/proxy-request-buffering': 'off',
        'nginx.ingress.kubernetes.io/proxy-max-temp-file-size': '0',
      },
    },
  });
});
