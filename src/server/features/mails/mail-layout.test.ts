import { describe, expect, it } from 'vitest';
import { type MailContent, renderMail } from './send-mail.ts';

const letterhead = { storeName: 'Kedai', publicUrl: 'https://shop.example' };
const bare: MailContent = { subject: 'Hello', heading: 'A word', paragraphs: ['One.', 'Two.'] };
const render = (parts: Partial<MailContent>) => renderMail({ ...bare, ...parts }, letterhead);

describe('a mail', () => {
  it('can be text only, in the plain and the HTML part', () => {
    const { text, html } = render({});
    expect(text).toBe('A word\n\nOne.\n\nTwo.\n\nKedai\nhttps://shop.example\n');
    expect(html).toContain('<p>One.</p>');
    expect(html).not.toMatch(/<table|class="button"|undefined/);
  });

  it('keeps the lines of a paragraph in both parts', () => {
    const { text, html } = render({ paragraphs: ['New orders (2):\nOne & all\nTwo'] });
    expect(text).toContain('\n\nNew orders (2):\nOne & all\nTwo\n\n');
    expect(html).toContain('<p>New orders (2):<br>One &amp; all<br>Two</p>');
  });

  it('shows a code, a receipt and a button in both parts, with the total in bold', () => {
    const { text, html } = render({
      code: { value: '012345', note: 'Once.' },
      receipt: [
        { label: '2 × Key', amount: '$20.00' },
        { label: 'Total', amount: '$21.20' },
      ],
      action: { label: 'Look', url: 'https://shop.example/orders', note: 'Sign in.' },
    });
    for (const fact of ['012345', 'Once.', '2 × Key', '$20.00', '$21.20', 'Look', 'Sign in.']) {
      expect(text).toContain(fact);
      expect(html).toContain(fact);
    }
    // The button comes before the list, which can have 50 lines.
    for (const part of [text, html]) expect(part.indexOf('Sign in.')).toBeLessThan(part.indexOf('2 × Key'));
    expect(text).toContain('Look:\nhttps://shop.example/orders');
    expect(html).toContain('href="https://shop.example/orders"');
    expect(html.match(/font-weight:bold/g)).toHaveLength(1);
  });

  it('has a dark-mode colour for each of its colours', () => {
    const { html } = render({
      code: { value: '012345', note: '' },
      action: { label: 'Look', url: 'https://shop.example', note: '' },
    });
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    const coloured = [...html.matchAll(/<\w+ ([^>]*style="[^"]*(?:color|background):[^"]*")/g)];
    const classes = coloured.map(([, attributes]) => /class="(\w+)"/.exec(attributes ?? '')?.[1]);
    expect(new Set(classes)).toEqual(new Set(['ground', 'soft', 'button', 'muted']));
    for (const name of classes) expect(html).toMatch(new RegExp(`\\.${name} \\{[^}]*color: #\\w{6} !important`));
  });

  it('escapes markup in every field', () => {
    const evil = `"><script>alert('1')</script>`;
    const { html } = render({
      subject: evil,
      heading: evil,
      paragraphs: [evil],
      code: { value: evil, note: evil },
      receipt: [{ label: evil, amount: evil }],
      action: { label: evil, url: `https://shop.example/${evil}`, note: evil },
    });
    expect(html).not.toContain('<script');
    expect(html.match(/&lt;script&gt;/g)).toHaveLength(10);
  });
});
