import type pg from 'pg';

// Extensions' own objects are theirs. Since PostgreSQL 18 a NOT NULL is a constraint, too; the column's line has it.
const SCHEMA_LINES = `
  WITH own_tables AS (
    SELECT oid, relname, relpersistence, reloptions FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations'
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
  ), lines (line) AS (
    SELECT format('table %s %s %s', relname, relpersistence, reloptions) FROM own_tables
    UNION ALL
    SELECT format('column %s.%s %s%s %s %s', relname, attname, format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN ' NOT NULL' END, attidentity, pg_get_expr(adbin, adrelid))
    FROM own_tables JOIN pg_attribute ON attrelid = own_tables.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT format('constraint %s of %s %s', conname, relname, pg_get_constraintdef(pg_constraint.oid))
    FROM own_tables JOIN pg_constraint ON conrelid = own_tables.oid WHERE contype <> 'n'
    UNION ALL
    SELECT format('index of %s %s', relname, pg_get_indexdef(indexrelid))
    FROM own_tables JOIN pg_index ON indrelid = own_tables.oid
    UNION ALL
    SELECT format('trigger of %s %s', relname, pg_get_triggerdef(pg_trigger.oid))
    FROM own_tables JOIN pg_trigger ON tgrelid = own_tables.oid WHERE NOT tgisinternal
    UNION ALL
    SELECT format('function %s(%s) %s %s %s', proname, pg_get_function_identity_arguments(oid),
      pg_get_function_result(oid), provolatile, replace(prosrc, E'\\r', ''))
    FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
  )
  SELECT replace(line, quote_ident(current_schema()) || '.', '') AS line FROM lines ORDER BY line COLLATE "C"`;

/**
 * The tables, columns, constraints, indexes, triggers and functions of the current schema, a text for each and sorted. The
 * order of a table's columns is left out: a column that was added later stands at the end.
 */
export async function describeSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(SCHEMA_LINES);
  return rows.map(({ line }) => line);
}
