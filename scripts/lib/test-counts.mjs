// Counts the results in the reports of the test runners. A run that did not end normally counts as failed, so that a crash in
// the middle does not look like a small green suite.

/** Counts the results in Vitest's JSON report. `report` is undefined when the runner crashed before it wrote one. */
export function countVitest(report, exitCode) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    for (const { status } of file.assertionResults) {
      if (status === 'passed') counts.passed += 1;
      else if (status === 'skipped' || status === 'pending' || status === 'todo' || status === 'disabled')
        counts.skipped += 1;
      else counts.failed += 1;
    }
    // A file that could not be loaded has no tests.
    const hasFailedTest = file.assertionResults.some(({ status }) => status === 'failed');
    if (file.status === 'failed' && !hasFailedTest) counts.failed += 1;
  }
  return withCrash(counts, report, exitCode);
}

/**
 * Counts the results in Playwright's JSON report. `report` is undefined when the runner crashed before it wrote one.
 */
export function countPlaywright(report, exitCode) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const tests = (report?.suites ?? []).flatMap(listTests);
  for (const { status, expectedStatus, results } of tests) {
    const wasSkipped = status === 'skipped' && (expectedStatus === 'skipped' || endsSkipped(results));
    if (status === 'expected' || status === 'flaky') counts.passed += 1;
    else if (wasSkipped) counts.skipped += 1;
    else counts.failed += 1;
  }
  return withCrash(counts, report, exitCode);
}

/**
 * Lists what failed in Vitest's JSON report, each with its message: a test, or a file whose hooks failed or that could
 * not be loaded.
 */
export function listFailedOfVitest(report) {
  return (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${name}\n${message}`] : [];
    return failed.map(
      ({ fullName, failureMessages }) => `${name} ${fullName}\n${withoutRunner(failureMessages.join('\n'))}`,
    );
  });
}

/** Lists the tests in Playwright's JSON report that failed in every try, each with its messages. */
export function listFailedOfPlaywright(report) {
  const tests = (report?.suites ?? []).flatMap(listTests);
  return tests
    .filter(({ status }) => status === 'unexpected')
    .map(({ file, line, title, results }) => {
      const messages = results.flatMap(({ errors }) => errors.map(({ message }) => message));
      return `${file}:${line} ${title}\n${messages.join('\n')}`;
    });
}

/** Lists the tests in Vitest's JSON report that passed only in a retry: they have failure messages, too. */
export function listFlakyOfVitest(report) {
  return (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages = [] }) => status === 'passed' && failureMessages.length > 0)
      .map(({ fullName }) => `${name} ${fullName}`),
  );
}

/** Lists the tests in Playwright's JSON report that passed only in a retry. */
export function listFlakyOfPlaywright(report) {
  const tests = (report?.suites ?? []).flatMap(listTests);
  return tests.filter(({ status }) => status === 'flaky').map(({ file, line, title }) => `${file}:${line} ${title}`);
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
