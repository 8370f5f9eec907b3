/**
 * The country (ISO 3166-1 alpha-2) to whose holder an internet registry assigned an address; undefined for private,
 * loopback and reserved ones. The bundled table takes some 4 MB of memory, so it is loaded for the first visitor.
 */
export async function countryOfAddress(ip: string): Promise<string | undefined> {
  const { country_code } = await import('@roniemartinez/iptocc');
  const found: unknown = country_code(ip);
  return typeof found === 'string' ? found : undefined;
}
