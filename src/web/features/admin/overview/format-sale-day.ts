const dayAndMonth = new Intl.DateTimeFormat('en-MY', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `21 Nov` of a day of the shop (YYYY-MM-DD), wherever the browser is. */
export const formatSaleDay = (day: string) => dayAndMonth.format(new Date(`${day}T00:00:00Z`));
