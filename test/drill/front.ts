import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillInDeployFile } from '../deploy-files.ts';
import { startPooler } from '../faults/pooler.ts';
import { freePort } from '../processes.ts';
import { findProgram } from '../programs.ts';
import type { Cluster } from './cluster.ts';
import { answersOk, until } from './until.ts';

/** Starts HAProxy in front of the shop's processes, for the buyers. */
export async function openSite(cluster: Cluster, shopUrls: readonly string[]) {
  const port = await freePort();
  const [first = '', second = ''] = shopUrls.map((url) => new URL(url).host);
  const haproxy = await startHaproxy(
    cluster,
    'site',
    fillInDeployFile('haproxy.cfg', {
      '10.0.0.11:3000': first,
      '10.0.0.12:3000': second,
      'bind :443 ssl crt /etc/haproxy/shop.example.pem alpn h2,http/1.1': `bind 127.0.0.1:${port}`,
    }),
  );
  return { url: `http://127.0.0.1:${port}`, close: haproxy.kill };
}

/** Starts PgBouncer and, behind it, HAProxy, which leads to the present primary. */
export async function openDatabaseFront(cluster: Cluster) {
  const [port, statePort] = [await freePort(), await freePort()];
  const haproxy = await startHaproxy(cluster, 'primary', leadToPrimary(cluster, { port, statePort }));
  // HAProxy takes every node for the primary until it has checked them.
  await until('the way to the primary', () => answersOk(`http://127.0.0.1:${statePort}/`));
  const direct = (database: string) => `postgres://postgres:drill@127.0.0.1:${port}/${database}`;
  const pooler = await startPooler(direct('kedai'), {
    user: cluster.user,
    // By default, PgBouncer waits 15 s before it tries a server again that was away.
    settings: 'server_login_retry = 1\nserver_connect_timeout = 3\nquery_wait_timeout = 10\n',
  });
  return {
    /** Returns the URL of a database on the primary, past the pooler. */
    direct,
    pooler,
    close: async () => {
      await pooler[Symbol.asyncDispose]();
      await haproxy.kill();
    },
  };
}

async function startHaproxy({ folder }: Cluster, name: string, settings: string) {
  const file = join(folder, `${name}.cfg`);
  writeFileSync(file, settings);
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(await findProgram('haproxy'), ['-db', '-f', file], { stdio: ['ignore', log, log] });
  return {
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

// The node whose /primary answers 200 gets the connections; connections to the other nodes are closed.
const leadToPrimary = ({ nodes }: Cluster, { port, statePort }: { port: number; statePort: number }) => `
frontend state
    mode http
    bind 127.0.0.1:${statePort}
    timeout client 5s
    monitor-uri /
    monitor fail if ! { nbsrv(primary) eq 1 }
listen primary
    mode tcp
    bind 127.0.0.1:${port}
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    option httpchk OPTIONS /primary
    http-check expect status 200
    timeout check 2s
    default-server check inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, databasePort, restPort }) => `    server ${name} 127.0.0.1:${databasePort} port ${restPort}`).join('\n')}
`;
