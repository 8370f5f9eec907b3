import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createPrometheus } from '../../src/server/platform/metrics/prometheus.ts';
import { findProgram } from '../programs.ts';
import { repositoryRoot } from './scratch-tree.ts';

const run = promisify(execFile);
const folder = join(repositoryRoot, 'deploy/monitoring');
const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const rules = read('deploy/monitoring/alerts.yml');

const known = new Set(createPrometheus().names());
const namesIn = (text: string) => new Set(text.match(/\b(?:kedai|nodejs|process)_[a-z0-9_]+/g));
const isKnown = (name: string) => known.has(name) || known.has(name.replace(/_(bucket|count|sum)$/, ''));

test.each(['alerts.yml', 'alerts.test.yml', 'grafana-dashboard.json'])('every metric that %s names exists', (file) => {
  const named = [...namesIn(read(`deploy/monitoring/${file}`))];
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

test('every metric of the shop is documented, and used by the dashboard or an alert', () => {
  const used = namesIn(rules + read('deploy/monitoring/grafana-dashboard.json'));
  const isUsed = (name: string) => ['', '_bucket', '_count', '_sum'].some((end) => used.has(`${name}${end}`));
  const ours = [...known].filter((name) => name.startsWith('kedai_'));
  expect(ours.filter((name) => !isUsed(name))).toEqual([]);
  const documented = namesIn(read('docs/operations.md'));
  expect(ours.filter((name) => !documented.has(name))).toEqual([]);
});

test('every alert has a test and a runbook, and every runbook has an alert', () => {
  const alerts = [...rules.matchAll(/- alert: (?<name>\w+)/g)].map(({ groups }) => groups?.['name'] ?? '');
  const runbooks = [...rules.matchAll(/runbook: docs\/operations\.md#(?<anchor>\w+)/g)].map(
    ({ groups }) => groups?.['anchor'],
  );
  expect(runbooks).toEqual(alerts.map((name) => name.toLowerCase()));
  const headings = [...read('docs/operations.md').matchAll(/^### (?<name>Kedai\w+)$/gm)].map(
    ({ groups }) => groups?.['name'],
  );
  expect(headings).toEqual(alerts);
  const tested = [...read('deploy/monitoring/alerts.test.yml').matchAll(/name: (?<name>Kedai\w+) fires/g)];
  expect(tested.map(({ groups }) => groups?.['name'])).toEqual(alerts);
});

describe('promtool', () => {
  test.each([
    ['check', 'rules', 'alerts.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('%s %s %s', async (...args) => {
    const { stdout, stderr } = await run(await findProgram('promtool'), args, { cwd: folder });
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
  });
});
