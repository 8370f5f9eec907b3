import { ensureWebBuilt } from '../lib/build-web.mjs';
import { weighFirstLoad } from './first-load.ts';

// Prints the findings, and then the weight.
await ensureWebBuilt();
const { kilobytes, findings } = weighFirstLoad('dist/web');
for (const { path, message } of findings) console.log(`${path} ${message}`);
console.log(kilobytes);
process.exitCode = findings.length > 0 ? 1 : 0;
