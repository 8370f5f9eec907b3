interface Fact {
  label: string;
  value: string | null;
}

/** Lists facts about a product or an order line, a label and a value in each row. Facts without a value are left out. */
export function LineFacts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(({ value }) => value);
  if (known.length === 0) return null;
  return (
    <dl className="grid grid-cols-[fit-content(50%)_1fr] gap-x-4 gap-y-1 text-sm">
      {known.map(({ label, value }) => (
        <div key={label} className="col-span-full grid grid-cols-subgrid">
          <dt className="wrap-anywhere text-muted">{label}</dt>
          <dd className="font-semibold wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export const activationFacts = ({ platform, region }: { platform: string | null; region: string | null }): Fact[] => [
  { label: 'Platform', value: platform },
  { label: 'Region', value: region },
];
