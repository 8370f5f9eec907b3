import * as z from 'zod/mini';

export const infoSlug = z.string().check(z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be the name of a page'));

/** One of the shop's information pages, as its owner wrote it. */
export const infoPage = z.object({
  slug: infoSlug,
  title: z.string(),
  /** Its first paragraph as plain text. */
  description: z.string(),
  /** Everything below the title. Made by the server from Markdown in which HTML counts as text. */
  html: z.string(),
});
export type InfoPage = z.infer<typeof infoPage>;
