import { describe, expect, test } from 'vitest';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
type Read = (report: unknown, exitCode: number) => { counts: Counts; failed: string[]; flaky: string[] };

// The scripts are plain JavaScript, because they run before anything is installed.
const scripts = new URL('../../scripts/lib/test-counts.mjs', import.meta.url).href;
const { readPlaywright, readVitest } = (await import(scripts)) as { readPlaywright: Read; readVitest: Read };
const countVitest = (report: unknown, exitCode: number) => readVitest(report, exitCode).counts;
const countPlaywright = (report: unknown, exitCode: number) => readPlaywright(report, exitCode).counts;

describe('the count of a Vitest report', () => {
  const file = (status: string, ...tests: string[]) => ({
    status,
    assertionResults: tests.map((one) => ({ status: one })),
  });

  test('adds up passed, failed and skipped tests', () => {
    const testResults = [file('passed', 'passed', 'todo'), file('failed', 'passed', 'failed', 'skipped')];
    expect(countVitest({ testResults }, 1)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  test('counts a file that could not be loaded as a failed test', () => {
    expect(countVitest({ testResults: [file('failed')] }, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test('counts an error outside of all tests as a failed test', () => {
    const testResults = [file('passed', 'passed')];
    expect(countVitest({ testResults }, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('names a test that passed on its second try', () => {
    const tried = (fullName: string, ...failureMessages: string[]) => ({ status: 'passed', fullName, failureMessages });
    const testResults = [
      { name: 'a.test.ts', status: 'passed', assertionResults: [tried('one'), tried('two', 'AssertionError')] },
    ];
    expect(countVitest({ testResults }, 0)).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(readVitest({ testResults }, 0).flaky).toEqual(['a.test.ts two']);
  });

  test('lists failed tests and failed files with their messages', () => {
    const stack = ['expected 1 to be 2', '    at a.test.ts:2:29', '    at run (node_modules/vitest/dist/run.js:3:1)'];
    const failed = { status: 'failed', fullName: 'two', failureMessages: [stack.join('\n')] };
    const passed = { status: 'passed', fullName: 'one', failureMessages: [] };
    const testResults = [
      { name: 'a.test.ts', status: 'failed', message: '', assertionResults: [passed, failed] },
      { name: 'b.test.ts', status: 'failed', message: 'no database', assertionResults: [passed] },
    ];
    expect(readVitest({ testResults }, 1).failed).toEqual([
      'a.test.ts two\nexpected 1 to be 2\n    at a.test.ts:2:29',
      'b.test.ts\nno database',
    ]);
    expect(readVitest(undefined, 1).failed).toEqual([]);
  });

  test('counts a missing report as a failed test', () => {
    expect(countVitest(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

describe('the count of a Playwright report', () => {
  const resultOf = (status: string) => ({ status, errors: status === 'failed' ? [{ message: 'not visible' }] : [] });
  const report = (...tests: { status: string; expectedStatus?: string; results?: string[] }[]) => ({
    suites: [
      {
        specs: [],
        suites: [
          {
            specs: tests.map(({ status, expectedStatus = 'passed', results = ['passed'] }, index) => ({
              file: 'shell.spec.ts',
              line: index + 1,
              title: `test ${index + 1}`,
              tests: [{ status, expectedStatus, results: results.map(resultOf) }],
            })),
          },
        ],
      },
    ],
  });

  test('adds up passed, failed and skipped tests', () => {
    const all = report(
      { status: 'expected' },
      { status: 'unexpected', results: ['failed'] },
      { status: 'skipped', expectedStatus: 'skipped', results: ['skipped'] },
    );
    expect(countPlaywright(all, 1)).toEqual({ passed: 1, failed: 1, skipped: 1 });
    expect(readPlaywright(all, 1).failed).toEqual(['shell.spec.ts:2 test 2\nnot visible']);
  });

  test('counts a flaky test as passed, and lists it', () => {
    const all = report({ status: 'expected' }, { status: 'flaky', results: ['failed', 'passed'] });
    expect(countPlaywright(all, 0)).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(readPlaywright(all, 0).flaky).toEqual(['shell.spec.ts:2 test 2']);
  });

  test('counts an interrupted or unreached test as failed', () => {
    const all = report({ status: 'skipped', results: ['interrupted'] }, { status: 'skipped', results: [] });
    expect(countPlaywright(all, 1)).toEqual({ passed: 0, failed: 2, skipped: 0 });
  });

  test('counts a failed run without a failed test as a failed test', () => {
    expect(countPlaywright(report({ status: 'expected' }), 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });
});
