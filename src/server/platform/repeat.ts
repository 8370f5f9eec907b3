import type { FastifyBaseLogger } from 'fastify';
import { DatabaseUnavailable } from './database/database-errors.ts';

export interface Repetition {
  name: string;
  pauseMs: number;
  /** May answer true: there is more to do, so go on without a pause. */
  work: () => Promise<unknown>;
}

/** Runs each piece of work again and again in this process until stopped; the stop waits for what is under way. */
export function repeatAll(log: FastifyBaseLogger, repetitions: Repetition[]): { stop: () => Promise<void> } {
  const loops = repetitions.map((repetition) => repeat(log, repetition));
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function repeat(log: FastifyBaseLogger, { name, pauseMs, work }: Repetition): { stop: () => Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current = run();

  async function run(): Promise<void> {
    let more = false;
    try {
      more = (await work()) === true;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        log.warn({ loop: name, reason: error.message }, 'a background loop has no database and will try again');
      } else log.error({ err: error, loop: name }, 'a background loop failed and will try again');
    }
    if (stopped) return;
    const next = () => {
      current = run();
    };
    timer = setTimeout(next, more ? 0 : pauseMs);
  }

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
