// A Kedai reduced to its own database: starts it on the folder it is given, tells its parent, and stops it on SIGTERM.

import { startEmbeddedServer } from '../../src/server/platform/database/embedded-server.ts';

const [dataDir = ''] = process.argv.slice(2);

try {
  // Killing a process loses nothing that the operating system already has; only power cuts need fsync.
  const server = await startEmbeddedServer({ dataDir, settings: { fsync: 'off' } });
  const { connectionString, pid, firstStart } = server;
  const stop = () => void server.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  // The test run was interrupted. Listening for that also keeps this process going.
  process.once('disconnect', stop);
  process.send?.({ connectionString, pid, firstStart });
} catch (error) {
  process.send?.({ refusal: String(error) }, () => process.exit(1));
}
