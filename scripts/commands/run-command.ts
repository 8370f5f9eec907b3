import { StartError } from '../../src/server/platform/start-error.ts';
import { type CommandDeps, withShopDatabase } from '../../src/server/with-shop-database.ts';

/** Ends the process with what `work` answers as its exit code; what an operator can put right is told in one line. */
export async function runCommand(work: (deps: CommandDeps) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await withShopDatabase(work);
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  }
}
