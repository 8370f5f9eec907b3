import { useEffect, useRef, useState } from 'react';
import { formatCount, plural } from '../../../../shared/format.ts';
import type { InventoryReport } from '../../../../shared/inventory.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { useReloadDashboard } from '../dashboard.ts';
import { nextChunk, type ReadItems } from './read-items.ts';

const FAILED = 'Failed to add inventory';

export type Upload =
  | { step: 'entering'; problem?: string }
  | { step: 'checking'; sent: number; of: number }
  | { step: 'checked'; report: InventoryReport }
  /** With a problem, adding has stopped until `add` is called again. */
  | { step: 'adding'; sent: number; of: number; problem?: string };

const newReport = () => ({ new: 0, known: 0, withdrawn: 0 });

const newWork = (items: string[]) => ({
  items,
  sent: 0,
  added: newReport(),
  restoreReason: undefined as string | undefined,
  wasInterrupted: false,
});

/**
 * Runs the steps of an upload in chunks: a dry run reports on the items, and then they are added. A failed chunk may be
 * sent again, because the server skips items that the shop already has. Added items stay if a later chunk fails.
 */
export function useInventoryUpload(productId: string, onDone: () => void) {
  const [upload, setUpload] = useState<Upload>({ step: 'entering' });
  const { show } = useToasts();
  const reloadDashboard = useReloadDashboard();
  const work = useRef(newWork([]));
  const isUnmounted = useRef(false);

  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      // The dialog was closed before the end: show the items that were added so far.
      const { added } = work.current;
      if (added.new + added.withdrawn > 0) void reloadDashboard();
    };
  }, [reloadDashboard]);

  /** Sends the remaining items in chunks and adds up the reports. Returns false if the dialog was closed meanwhile. */
  async function send(step: 'checking' | 'adding', report: Pick<InventoryReport, 'new' | 'known' | 'withdrawn'>) {
    const { items, restoreReason } = work.current;
    const showSent = () => setUpload({ step, sent: work.current.sent, of: items.length });
    showSent();
    while (work.current.sent < items.length && !isUnmounted.current) {
      const chunk = nextChunk(items, work.current.sent);
      const input = { params: { id: productId }, body: { items: chunk, dryRun: step === 'checking', restoreReason } };
      const { data } = await call('POST /digital-products/:id/inventory', input);
      work.current.sent += chunk.length;
      report.new += data.report.new;
      report.known += data.report.known;
      report.withdrawn += data.report.withdrawn;
      showSent();
    }
    return !isUnmounted.current;
  }

  async function check({ items, doubled, empty }: ReadItems) {
    const report = { ...newReport(), doubled, empty };
    work.current = newWork(items);
    try {
      if (await send('checking', report)) setUpload({ step: 'checked', report });
    } catch (failure) {
      refuse(messageOf(failure, FAILED));
    }
  }

  /** Adds the items after the report, or continues after a failure. With a reason, withdrawn items go on sale again. */
  async function add(restoreReason?: string) {
    if (upload.step === 'checked') Object.assign(work.current, { sent: 0, restoreReason });
    try {
      if (await send('adding', work.current.added)) finish();
    } catch (failure) {
      work.current.wasInterrupted = true;
      const { sent, items } = work.current;
      setUpload({ step: 'adding', sent, of: items.length, problem: messageOf(failure, FAILED) });
    }
  }

  function finish() {
    const { added, restoreReason, wasInterrupted } = work.current;
    work.current.added = newReport();
    const restored = restoreReason ? `, ${formatCount(added.withdrawn)} on sale again` : '';
    const counted = `${formatCount(added.new)} ${plural(added.new, 'item')} added${restored}`;
    // If the response to a chunk was lost, the number of new items is unknown.
    show({ type: 'success', message: wasInterrupted ? 'All items added' : counted });
    setUpload({ step: 'entering' });
    void reloadDashboard();
    onDone();
  }

  const refuse = (problem: string) => setUpload({ step: 'entering', problem });
  return {
    upload,
    check,
    refuse,
    add: (restoreReason?: string) => void add(restoreReason),
    back: () => setUpload({ step: 'entering' }),
  };
}
