import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Starts nginx with the configuration of deploy/, in front of processes that are not there. */
async function startNginx() {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-nginx-'));
  const [port, nobody] = [await freePort(), `127.0.0.1:${await freePort()}`];
  const file = join(folder, 'nginx.conf');
  const processes = { '10.0.0.11:3000': nobody, '10.0.0.12:3000': nobody };
  writeFileSync(file, nginxAround(folder, { listen: `127.0.0.1:${port}`, ...processes }));
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

it('nginx logs each request and what became of it, and no token of a mailed link', async () => {
  await using nginx = await startNginx();
  const headers = { referer: `https://shop.example${LINK}`, 'user-agent': 'a browser' };
  const open = (path: string) => fetch(`${nginx.url}${path}`, { headers });
  const { status } = await vi.waitUntil(() => open(LINK).catch(() => undefined), { timeout: 30_000, interval: 20 });
  expect(status).toBe(502);
  await open('/assets/index.js');
  await vi.waitUntil(() => nginx.logged().includes('"GET /assets/index.js HTTP/1.1" 502 '), { timeout: 30_000 });
  expect(nginx.logged()).toMatch(/^127\.0\.0\.1 \[.*\] "GET \/claim HTTP\/1\.1" 502 .* "a browser"$/m);
  expect(nginx.logged()).not.toContain(TOKEN);
});

it('HAProxy logs no requests', () => {
  expect(fillInDeployFile('haproxy.cfg', {})).not.toMatch(/^\s*(log|log-format|option httplog)\b/m);
});

it('the ingress controller logs no requests of the shop', () => {
  const network = parseAllDocuments(fillInDeployFile('kubernetes/base/network.yaml', {}));
  const ingress = network.find((document) => document.get('kind') === 'Ingress');
  const annotations = ['metadata', 'annotations', 'nginx.ingress.kubernetes.io/enable-access-log'];
  expect(ingress?.getIn(annotations)).toBe('false');
});
