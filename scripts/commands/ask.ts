import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type * as z from 'zod/mini';
import { StartError } from '../../src/server/platform/system-errors.ts';

/**
 * Opens a prompt. On a terminal, a question is repeated after a wrong answer, and a hidden answer is not shown.
 * Otherwise the answer is the next line of the standard input, and a wrong or missing one throws StartError. The caller
 * must call `close` at the end.
 */
export function openQuestions() {
  const isTerminal = process.stdin.isTTY === true;
  let hidden = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!hidden) process.stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, ...(isTerminal && { output, terminal: true }) });
  const typed = lines[Symbol.asyncIterator]();

  async function read(question: string, isHidden: boolean): Promise<string | undefined> {
    if (!isTerminal) return (await typed.next()).value;
    lines.setPrompt(`${question}: `);
    lines.prompt();
    hidden = isHidden;
    const { value } = await typed.next();
    hidden = false;
    if (isHidden) process.stdout.write('\n');
    return value;
  }

  async function ask<T>(
    question: string,
    schema: z.ZodMiniType<T>,
    { given, isHidden = false }: { given?: string | undefined; isHidden?: boolean } = {},
  ): Promise<T> {
    for (;;) {
      const answer = given ?? (await read(question, isHidden));
      if (answer === undefined) throw new StartError(`${question} is missing. Nothing was changed.`);
      const result = schema.safeParse(answer);
      if (result.success) return result.data;
      const problem = `${question}: ${result.error.issues[0]?.message}`;
      if (!isTerminal || given !== undefined) throw new StartError(`${problem}. Nothing was changed.`);
      console.error(problem);
    }
  }

  return { isTerminal, ask, close: () => lines.close() };
}
