import { sql } from 'kysely';
import type { Database } from '../src/server/platform/database/database.ts';
import type { Api } from '../src/shared/api.ts';

/** Fields that are read but never stored, at least not in clear: what the browser only reports, and secrets. */
export const notKept: { [Name in keyof Api]?: RegExp } = {
  'POST /digital-orders/create-payment-intent': /name$/,
  'POST /digital-orders/guest/create-payment-intent': /name$/,
  'POST /digital-orders': /name|image|paymentMethod|status|shippingAddress/,
  'POST /orders/quote': /.*/,
  'POST /orders/create-payment-intent': /name$/,
  'POST /orders/guest/create-payment-intent': /name$/,
  'POST /orders': /name|image|paymentMethod|status|shippingAddress/,
  'POST /orders/guest': /.*/,
  'POST /digital-orders/guest': /.*/,
  'POST /auth/login': /Token/,
  'POST /auth/register': /password/,
  'PUT /auth/updatepassword': /newPassword/,
  'POST /digital-products/:id/inventory': /items/,
  'POST /admin/inventory/search': /content/,
  'PUT /digital-products/:id/content': /content/,
  'POST /admin/orders/:id/deliver-unit': /content/,
  'POST /admin/orders/:id/replace-item': /content/,
  'PUT /admin/orders/:id/status': /reason/,
  'POST /problem-reports': /text|picture/,
  'POST /problem-reports/:id/messages': /text|picture/,
  'POST /admin/problem-reports/:id/answer': /text/,
};

/** Returns a query of every text in every table that contains the mark `@#`. */
export async function placesOfText(db: Database): Promise<string> {
  const { rows } = await sql<{ place: string }>`
    SELECT format('SELECT %2$I::text AS text FROM %1$I.%3$I WHERE %2$I::text LIKE ''%%@#%%''', table_schema, column_name, table_name) AS place
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE data_type IN ('text', 'character varying', 'jsonb') AND table_type = 'BASE TABLE'
      AND table_schema NOT IN ('pg_catalog', 'information_schema')`.execute(db);
  return rows.map(({ place }) => place).join(' UNION ALL ');
}

/** Returns those of the texts that occur in the database; `places` is the query of placesOfText(). */
export async function keptOf(db: Database, places: string, texts: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ text: string }>`${sql.raw(places)}`.execute(db);
  return new Set(texts.filter((text) => rows.some((row) => row.text.includes(text))));
}
