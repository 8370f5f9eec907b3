import type { BrowserContext } from '@playwright/test';

/** The complaints of browsers: errors in the console, among them blocked content, and uncaught errors. */
export interface Complaints {
  watch(context: BrowserContext): void;
  /** For a test that causes this failure: the browser writes failed requests to the console. */
  expectFailedRequest(path: string | RegExp, status: number): void;
  /** For a request that the test cuts off. */
  expectBrokenConnection(path: string | RegExp): void;
  /** For a test that takes the browser offline: requests that begin meanwhile fail. */
  expectOffline(): void;
  /** For a sandboxed frame, in which the browser blocks the scripts of the test tools. */
  expectBlockedScripts(): void;
  /** Returns the complaints that were not expected. */
  unexpected(): string[];
}

export function collectComplaints(): Complaints {
  const heard: { text: string; path: string }[] = [];
  const expected: { text: string; path: string | RegExp }[] = [];
  const isExpected = (complaint: (typeof heard)[number]) =>
    expected.some(
      ({ text, path }) =>
        complaint.text.includes(text) &&
        (typeof path === 'string' ? path === complaint.path : path.test(complaint.path)),
    );
  return {
    watch(context) {
      context.on('weberror', (error) => heard.push({ text: `uncaught: ${error.error().message}`, path: '' }));
      context.on('console', (message) => {
        if (message.type() !== 'error') return;
        const { url } = message.location();
        heard.push({ text: message.text(), path: URL.canParse(url) ? new URL(url).pathname : url });
      });
    },
    expectFailedRequest: (path, status) => expected.push({ text: `a status of ${status} `, path }),
    expectBrokenConnection: (path) => expected.push({ text: 'net::ERR_CONNECTION_RESET', path }),
    expectOffline: () => expected.push({ text: 'net::ERR_INTERNET_DISCONNECTED', path: /^/ }),
    expectBlockedScripts: () => expected.push({ text: "the 'allow-scripts' permission is not set", path: /^/ }),
    unexpected: () => heard.filter((complaint) => !isExpected(complaint)).map(({ text, path }) => `${text} ${path}`),
  };
}
