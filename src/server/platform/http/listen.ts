import type { FastifyInstance } from 'fastify';
import { errorCodeOf, StartError } from '../system-errors.ts';

/** Opens the port and returns the address. Throws a StartError when the port is in use or not allowed. */
export async function listen(app: FastifyInstance, at: { port: number; host: string }): Promise<string> {
  try {
    return await app.listen(at);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new StartError(`HOST ${at.host} is not known: use an address of this machine, as in 127.0.0.1`);
    }
    const problem = problems[code];
    throw problem ? new StartError(`PORT ${at.port} ${problem}`, { cause: error }) : error;
  }
}

const problems: Record<string, string> = {
  EADDRINUSE: 'is in use by another program. Stop that one, or choose another, as in: PORT=3001 npm start',
  EACCES: 'is reserved for root. Choose one above 1023, as in: PORT=3000 npm start',
  EADDRNOTAVAIL: 'cannot be opened, because this machine does not have the address in HOST.',
};
