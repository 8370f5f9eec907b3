import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns a file of deploy/ with a test's values in place of its example values, each of which must occur exactly once.
 */
export function fillInDeployFile(file: string, values: Record<string, string>): string {
  let text = readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8');
  for (const [example, value] of Object.entries(values)) {
    if (text.split(example).length !== 2) throw new Error(`deploy/${file} must have "${example}" once`);
    text = text.replace(example, value);
  }
  return text;
}

/**
 * Puts deploy/nginx.conf into a configuration as Debian's nginx.conf does with a file in conf.d. Its logs and its other
 * files are in `folder`/nginx.
 */
export function nginxAround(
  folder: string,
  { listen, ...values }: { listen: string } & Record<string, string>,
): string {
  const scratch = join(folder, 'nginx');
  mkdirSync(scratch);
  // nginx that is started by root runs its workers as another user.
  chmodSync(folder, 0o755);
  chmodSync(scratch, 0o777);
  const site = fillInDeployFile('nginx.conf', {
    ...values,
    'listen 443 ssl http2;': `listen ${listen};`,
    'ssl_certificate /etc/nginx/shop.example.crt;': '',
    'ssl_certificate_key /etc/nginx/shop.example.key;': '',
    '/var/log/nginx/access.log': `${scratch}/access.log`,
    '/var/log/nginx/error.log': `${scratch}/error.log`,
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${scratch}/${kind};`,
  );
  // nginx closes a connection after 1,000 requests, unless told otherwise: a slow test sends more.
  return `daemon off; worker_processes 2; pid ${scratch}/pid; error_log stderr crit; events {}
    http { access_log off; keepalive_requests 1000000; ${temporary.join(' ')} ${site} }`;
}
