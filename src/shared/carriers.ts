/** Carriers with their tracking pages; `{number}` stands for the tracking number. */
export const carriers = [
  { name: 'Pos Malaysia', trackingUrl: 'https://tracking.pos.com.my/tracking/{number}' },
  { name: 'Pos Laju', trackingUrl: 'https://tracking.pos.com.my/tracking/{number}' },
  { name: 'J&T Express', trackingUrl: 'https://www.jtexpress.my/tracking/{number}' },
  { name: 'Ninja Van', trackingUrl: 'https://www.ninjavan.co/en-my/tracking?id={number}' },
  { name: 'DHL', trackingUrl: 'https://www.dhl.com/global-en/home/tracking.html?tracking-id={number}' },
  { name: 'FedEx', trackingUrl: 'https://www.fedex.com/fedextrack/?trknbr={number}' },
  { name: 'UPS', trackingUrl: 'https://www.ups.com/track?tracknum={number}' },
  { name: 'USPS', trackingUrl: 'https://tools.usps.com/go/TrackConfirmAction?tLabels={number}' },
  { name: 'Singapore Post', trackingUrl: 'https://www.singpost.com/track-items?trackingId={number}' },
  { name: 'Royal Mail', trackingUrl: 'https://www.royalmail.com/track-your-item#/tracking-results/{number}' },
  { name: 'Australia Post', trackingUrl: 'https://auspost.com.au/mypost/track/details/{number}' },
  { name: 'Canada Post', trackingUrl: 'https://www.canadapost-postescanada.ca/track-reperage/en#/details/{number}' },
] as const satisfies { name: string; trackingUrl: `https://${string}{number}` }[];

/** Returns the URL of the parcel's tracking page; null for an unknown carrier or without a tracking number. */
export function trackingUrlOf(carrier: string | null, trackingNumber: string | null): string | null {
  const known = carriers.find(({ name }) => name.toLowerCase() === carrier?.toLowerCase());
  if (!known || !trackingNumber) return null;
  return known.trackingUrl.replace('{number}', encodeURIComponent(trackingNumber));
}
