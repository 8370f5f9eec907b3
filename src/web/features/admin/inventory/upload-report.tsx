import { useEffect, useRef } from 'react';
import { formatCount } from '../../../../shared/figures.ts';
import type { InventoryReport } from '../../../../shared/inventory.ts';
import { Button } from '../../../ui/button.tsx';

interface UploadReportProps {
  report: InventoryReport;
  onAdd(): void;
  onBack(): void;
}

/** What the dry run found, before anything is written. */
export function UploadReport({ report, onAdd, onBack }: UploadReportProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const rows = [
    ['New', report.new],
    ['Doubled in this upload', report.doubled],
    ['Already known to the shop', report.known],
    ['Empty lines', report.empty],
  ] as const;
  return (
    <section className="grid gap-4">
      <h3 ref={heading} tabIndex={-1} className="text-lg outline-none">
        {report.new === 0 ? 'Nothing new to add' : 'Ready to add'}
      </h3>
      <dl className="grid divide-y divide-line rounded-md border border-line">
        {rows.map(([name, n]) => (
          <div key={name} className="flex justify-between gap-4 px-4 py-2.5">
            <dt className={name === 'New' ? 'font-semibold' : 'text-muted'}>{name}</dt>
            <dd className="tabular font-semibold">{formatCount(n)}</dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-muted">Only the new ones are added; nothing has been written yet.</p>
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="secondary" onClick={onBack}>
          Back
        </Button>
        {report.new > 0 && (
          <Button onClick={onAdd}>
            {report.new === 1 ? 'Add 1 item' : `Add ${formatCount(report.new)} items`}
          </Button>
        )}
      </div>
    </section>
  );
}
