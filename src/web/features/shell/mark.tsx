/** The shop's mark: an awning over a keyhole for a door. The favicon and the splash in index.html draw the same. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" fill="#0b6650" />
      <path
        d="M5 7h22v6.2a3.67 3.67 0 0 1-7.33 0 3.67 3.67 0 0 1-7.34 0 3.67 3.67 0 0 1-7.33 0z"
        fill="#f3f6f2"
      />
      <path d="M12.33 7h7.34v6.2a3.67 3.67 0 0 1-7.34 0z" fill="#8be3c5" />
      <circle cx="16" cy="21.2" r="2.7" fill="#f3f6f2" />
      <path d="M14.7 22.5h2.6l.9 5h-4.4z" fill="#f3f6f2" />
    </svg>
  );
}
