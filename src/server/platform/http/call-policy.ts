import type { Endpoint } from '../../../shared/endpoint.ts';
import type { Viewer } from './authentication.ts';

/** What a shop adds to the access rules of every call; a public demo has one. */
export interface CallPolicy {
  /** Throws FORBIDDEN. */
  assertAllowed(endpoint: Endpoint, viewer: Viewer | null): void;
  /** The query to answer in place of this one. */
  narrowSearch(endpoint: Endpoint, query: object): object;
  /** The answer as this viewer may see it. */
  present<T extends object>(endpoint: Endpoint, viewer: Viewer | null, answer: T): T;
  /** Any record without the personal data that `present` would hide. */
  maskPeople<T>(record: T): T;
}
