/** The information pages that the footer and they themselves lead to, each a file of content/. */
export const infoLinks = [
  { slug: 'about', label: 'About us' },
  { slug: 'faq', label: 'FAQ' },
  { slug: 'delivery', label: 'Delivery' },
  { slug: 'refunds', label: 'Refunds' },
  { slug: 'support', label: 'Support' },
  { slug: 'contact', label: 'Contact' },
  { slug: 'terms', label: 'Terms' },
  { slug: 'privacy', label: 'Privacy' },
];
