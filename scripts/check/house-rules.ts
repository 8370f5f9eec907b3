import { checkFiles } from './files.ts';
import { checkLayers } from './layers.ts';
import { checkMigrations } from './migrations.ts';
import { checkNames } from './names.ts';
import { checkPackages } from './packages.ts';

// Rules that no other tool checks. Prints one line for each finding in the working directory.
const root = process.cwd();
const findings = [checkLayers, checkFiles, checkNames, checkPackages, checkMigrations].flatMap((check) => check(root));
for (const { path, line, message } of findings) {
  console.log(`${path}${line === undefined ? '' : `:${line}`} ${message}`);
}
process.exitCode = findings.length > 0 ? 1 : 0;
