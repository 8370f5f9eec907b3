import { Mail, MapPin, Phone, ShieldCheck, Zap } from 'lucide-react';
import { Link } from 'react-router';
import type { Shop } from '../../../shared/content.ts';
import { infoLinks } from '../../../shared/pages.ts';
import { toTop } from '../../lib/page.ts';
import { useShop } from '../../state/shop.ts';
import { Mark } from './header.tsx';

const linkClass = 'inline-flex min-h-9 items-center rounded-sm hover:text-accent-ink hover:underline';

export function Footer({ storeName }: { storeName: string }) {
  const contact = useShop()?.contact;
  return (
    <footer className="mt-16 border-t border-line bg-sunken pb-24 md:pb-8 text-sm text-muted">
      <div className="mx-auto grid max-w-page gap-10 px-4 py-12 sm:px-6 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1.4fr_1.4fr]">
        <div className="grid content-start gap-4">
          <p className="flex items-center gap-2.5 font-display text-xl font-bold tracking-tight text-ink">
            <Mark className="size-8" />
            {storeName}
          </p>
          <p className="max-w-md">
            Your secure digital marketplace, with instant delivery and secure payments. What you buy is yours the moment
            it is paid.
          </p>
          <ul className="flex flex-wrap gap-x-5 gap-y-2 font-medium text-ink">
            <li className="flex items-center gap-2">
              <Zap aria-hidden className="size-4 text-accent" />
              Instant delivery
            </li>
            <li className="flex items-center gap-2">
              <ShieldCheck aria-hidden className="size-4 text-accent" />
              Secure payments
            </li>
          </ul>
        </div>
        <nav aria-label="Footer" className="contents">
          <div className="grid content-start gap-1">
            <h2 className="mb-2 text-sm tracking-normal text-ink">Shop</h2>
            <Link to="/" state={toTop} className={linkClass}>
              All products
            </Link>
            <Link to="/orders" state={toTop} className={linkClass}>
              My Orders
            </Link>
            <Link to="/find-order" state={toTop} className={linkClass}>
              Find my order
            </Link>
            <Link to="/register" state={toTop} className={linkClass}>
              How to get an account
            </Link>
          </div>
          <div className="grid content-start gap-1">
            <h2 className="mb-2 text-sm tracking-normal text-ink">Information</h2>
            <ul className="grid grid-cols-2 gap-x-6 gap-y-1">
              {infoLinks.map(({ slug, label }) => (
                <li key={slug}>
                  <Link to={`/info/${slug}`} state={toTop} className={linkClass}>
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        </nav>
        {contact && <Contact {...contact} />}
      </div>
      <p className="mx-auto max-w-page px-4 sm:px-6">
        © {new Date().getFullYear()} {storeName}. All payments are in US dollars.
      </p>
    </footer>
  );
}

function Contact({ address, phone, email }: Shop['contact']) {
  return (
    <address className="grid content-start gap-1 not-italic">
      <h2 className="mb-2 text-sm tracking-normal text-ink">Contact</h2>
      <p className="flex min-h-9 items-center gap-2">
        <MapPin aria-hidden className="size-4 shrink-0 text-accent" />
        {address}
      </p>
      <a href={`tel:${phone.replace(/[^+\d]/g, '')}`} className={`${linkClass} gap-2`}>
        <Phone aria-hidden className="size-4 shrink-0 text-accent" />
        {phone}
      </a>
      <a href={`mailto:${email}`} className={`${linkClass} gap-2`}>
        <Mail aria-hidden className="size-4 shrink-0 text-accent" />
        {email}
      </a>
    </address>
  );
}
