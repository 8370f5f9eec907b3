import { Mail, MapPin, Phone, ShieldCheck, Zap } from 'lucide-react';
import { Link } from 'react-router';
import { Mark } from './mark.tsx';

const contact = {
  street: '12 Jalan Contoh, 50000 Kuala Lumpur',
  phone: '+60 3-5550 0100',
  email: 'hello@kedai.test',
};

const linkClass = 'inline-flex min-h-9 items-center rounded-sm hover:text-accent-ink hover:underline';

export function Footer({ storeName }: { storeName: string }) {
  return (
    <footer className="mt-16 border-t border-line bg-sunken pb-20 md:pb-8 text-sm text-muted">
      <div className="mx-auto grid max-w-page gap-10 px-4 py-12 sm:px-6 md:grid-cols-[2fr_1fr_1.4fr]">
        <div className="grid content-start gap-4">
          <p className="flex items-center gap-2.5 font-display text-xl font-bold tracking-tight text-ink">
            <Mark className="size-8" />
            {storeName}
          </p>
          <p className="max-w-md">
            Your secure digital marketplace, with instant delivery and secure payments. What you buy is yours
            the moment it is paid.
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
        <nav aria-label="Footer" className="grid content-start gap-1">
          <h2 className="mb-2 text-sm tracking-normal text-ink">Shop</h2>
          <Link to="/" className={linkClass}>
            All products
          </Link>
          <Link to="/orders" className={linkClass}>
            My Orders
          </Link>
          <Link to="/register" className={linkClass}>
            How to get an account
          </Link>
        </nav>
        <address className="grid content-start gap-1 not-italic">
          <h2 className="mb-2 text-sm tracking-normal text-ink">Contact</h2>
          <p className="flex min-h-9 items-center gap-2">
            <MapPin aria-hidden className="size-4 shrink-0 text-accent" />
            {contact.street}
          </p>
          <a href={`tel:${contact.phone.replace(/[^+\d]/g, '')}`} className={`${linkClass} gap-2`}>
            <Phone aria-hidden className="size-4 shrink-0 text-accent" />
            {contact.phone}
          </a>
          <a href={`mailto:${contact.email}`} className={`${linkClass} gap-2`}>
            <Mail aria-hidden className="size-4 shrink-0 text-accent" />
            {contact.email}
          </a>
        </address>
      </div>
      <p className="mx-auto max-w-page px-4 sm:px-6">
        © {new Date().getFullYear()} {storeName}. All payments are in US dollars.
      </p>
    </footer>
  );
}
