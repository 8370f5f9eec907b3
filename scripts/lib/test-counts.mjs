// Reads the reports of the test runners. A run that did not end normally counts as failed, so that a crash in the middle does
// not look like a small green suite.

/**
 * Reads Vitest's JSON report, which is undefined when the runner crashed before it wrote one: the counts, what failed with
 * its messages (a test, or a file whose hooks failed or that could not be loaded), and what passed only in a retry.
 */
export function readVitest(report, exitCode) {
  const files = report?.testResults ?? [];
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName, failureMessages = [] }) => {
      return { status, title: `${name} ${fullName}`, messages: failureMessages };
    }),
  );
  const passed = tests.filter(({ status }) => status === 'passed');
  const skipped = tests.filter(({ status }) => ['skipped', 'pending', 'todo', 'disabled'].includes(status));
  const failedFiles = files.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = tests.length - passed.length - skipped.length + failedFiles.length;
  return {
    counts: withCrash({ passed: passed.length, failed, skipped: skipped.length }, report, exitCode),
    failed: [
      ...tests
        .filter(({ status }) => status === 'failed')
        .map(({ title, messages }) => `${title}\n${withoutRunner(messages.join('\n'))}`),
      ...failedFiles.map(({ name, message }) => `${name}\n${message}`),
    ],
    flaky: passed.filter(({ messages }) => messages.length > 0).map(({ title }) => title),
  };
}

/** Reads Playwright's JSON report in the same way; what failed are the tests that failed in every try. */
export function readPlaywright(report, exitCode) {
  const tests = (report?.suites ?? []).flatMap(listTests);
  const passed = tests.filter(({ status }) => status === 'expected' || status === 'flaky');
  const skipped = tests.filter(
    ({ status, expectedStatus, results }) =>
      status === 'skipped' && (expectedStatus === 'skipped' || endsSkipped(results)),
  );
  const failed = tests.length - passed.length - skipped.length;
  const nameOf = ({ file, line, title }) => `${file}:${line} ${title}`;
  return {
    counts: withCrash({ passed: passed.length, failed, skipped: skipped.length }, report, exitCode),
    failed: tests
      .filter(({ status }) => status === 'unexpected')
      .map((test) => {
        const messages = test.results.flatMap(({ errors }) => errors.map(({ message }) => message));
        return `${nameOf(test)}\n${messages.join('\n')}`;
      }),
    flaky: tests.filter(({ status }) => status === 'flaky').map(nameOf),
  };
}

export function addCounts(all) {
  const sum = (key) => all.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

function withCrash(counts, report, exitCode) {
  const crashed = report === undefined || (exitCode !== 0 && counts.failed === 0);
  return crashed ? { ...counts, failed: counts.failed + 1 } : counts;
}

/** Removes the runner's own calls from a stack. */
function withoutRunner(message) {
  const lines = message.split('\n');
  return lines.filter((line) => !/^ +at .*(node_modules|new Promise)/.test(line)).join('\n');
}

function listTests(suite) {
  const own = suite.specs.flatMap(({ tests, file, line, title }) =>
    tests.map((test) => ({ ...test, file, line, title })),
  );
  return [...own, ...(suite.suites ?? []).flatMap(listTests)];
}

function endsSkipped(results) {
  return results.length > 0 && results.every(({ status }) => status === 'skipped');
}
