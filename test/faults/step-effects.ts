import { sql } from 'kysely';
import pg from 'pg';
import { vi } from 'vitest';
import { type Database, rowOf, rowsOf } from '../../src/server/platform/database/database.ts';

/** The tables of the shop and those of the test-mode provider. */
const places = ['shop', 'provider'] as const;
type Place = (typeof places)[number];
const placeOf = (table: string): Place => (table.startsWith('test_mode_') ? 'provider' : 'shop');

/** Of which places a step may read rows, and of which it has changed some. */
export interface Effect {
  reads: ReadonlySet<Place>;
  changes: ReadonlySet<Place>;
}

/** Whether two steps of different actors lead to the same state in either order: neither changes what the other reads or changes. */
export const commute = (one: Effect, other: Effect): boolean =>
  places.every((place) => {
    const [oneChanges, otherChanges] = [one.changes.has(place), other.changes.has(place)];
    return !(oneChanges && (otherChanges || other.reads.has(place))) && !(otherChanges && one.reads.has(place));
  });

export interface StepWatch {
  start(): Promise<void>;
  /** What was done since the start. Nothing but the step may have been at work. */
  finish(): Promise<Effect>;
}

/** Has the database count the rows that change, whatever changes them, and looks at every statement of this process. */
export async function watchSteps(db: Database): Promise<StepWatch> {
  const tables = await rowsOf<{ name: string }>(db)`
    SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;
  const counters = places.map(
    (place) => `CREATE SEQUENCE changes_of_${place}; SELECT nextval('changes_of_${place}');
      CREATE FUNCTION count_change_of_${place}() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('changes_of_${place}'); RETURN NULL; END $$;`,
  );
  const triggers = tables.map(
    ({ name }) => `CREATE TRIGGER count_change AFTER INSERT OR UPDATE OR DELETE ON ${name}
      FOR EACH ROW EXECUTE FUNCTION count_change_of_${placeOf(name)}();`,
  );
  await sql.raw([...counters, ...triggers].join('\n')).execute(db);
  const countChanges = () => rowOf<Record<Place, string>>(db)`
    SELECT changes_of_shop.last_value AS shop, changes_of_provider.last_value AS provider
    FROM changes_of_shop, changes_of_provider`;

  const names = new Set(tables.map(({ name }) => name));
  const known = new Map<string, Place[]>();
  /** The places of the tables that a statement names. */
  function placesIn(text: string): Place[] {
    const found = known.get(text) ?? (text.match(/\w+/g) ?? []).filter((word) => names.has(word)).map(placeOf);
    known.set(text, found);
    return found;
  }

  const spyOnStatements = () => vi.spyOn(pg.Client.prototype, 'query');
  let statements: ReturnType<typeof spyOnStatements>;
  let before: Record<Place, string>;
  return {
    start: async () => {
      before = await countChanges();
      statements = spyOnStatements();
    },
    finish: async () => {
      const calls = statements.mock.calls as unknown as [string | { text: string }][];
      const reads = new Set(calls.flatMap(([query]) => placesIn(typeof query === 'string' ? query : query.text)));
      statements.mockRestore();
      const after = await countChanges();
      return { reads, changes: new Set(places.filter((place) => after[place] !== before[place])) };
    },
  };
}
