import { useEffect, useRef, useState } from 'react';
import { formatCount } from '../../../../shared/format.ts';
import type { InventoryReport } from '../../../../shared/inventory.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { useReloadDashboard } from '../admin-queries.ts';
import { nextChunk, type ReadItems } from './read-items.ts';

const FAILED = 'Failed to add inventory';

export type Upload =
  | { step: 'entering'; problem?: string }
  | { step: 'checking'; sent: number; of: number }
  | { step: 'checked'; report: InventoryReport }
  /** With a problem, adding has stopped until `add` is called again. */
  | { step: 'adding'; sent: number; of: number; problem?: string };

/**
 * The steps of an upload: a dry run reports on the items, then they are added, both in chunks. A chunk that failed may be
 * sent again, since items that the shop has are skipped. Added items stay when a later chunk fails.
 */
export function useInventoryUpload(productId: string, onDone: () => void) {
  const [upload, setUpload] = useState<Upload>({ step: 'entering' });
  const { show } = useToasts();
  const reloadDashboard = useReloadDashboard();
  const work = useRef({ items: [] as string[], sent: 0, added: { new: 0, known: 0 }, wasInterrupted: false });
  const isUnmounted = useRef(false);

  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      // Closed before the end: show what was added until then.
      if (work.current.added.new > 0) void reloadDashboard();
    };
  }, [reloadDashboard]);

  /** Sends the remaining items chunk by chunk and adds up the reports. Returns false when the dialog was closed meanwhile. */
  async function send(step: 'checking' | 'adding', report: Pick<InventoryReport, 'new' | 'known'>): Promise<boolean> {
    const { items } = work.current;
    const showSent = () => setUpload({ step, sent: work.current.sent, of: items.length });
    showSent();
    while (work.current.sent < items.length && !isUnmounted.current) {
      const chunk = nextChunk(items, work.current.sent);
      const input = { params: { id: productId }, body: { items: chunk, dryRun: step === 'checking' } };
      const { data } = await call('POST /digital-products/:id/inventory', input);
      work.current.sent += chunk.length;
      report.new += data.report.new;
      report.known += data.report.known;
      showSent();
    }
    return !isUnmounted.current;
  }

  async function check({ items, doubled, empty }: ReadItems) {
    const report = { new: 0, doubled, known: 0, empty };
    work.current = { items, sent: 0, added: { new: 0, known: 0 }, wasInterrupted: false };
    try {
      if (await send('checking', report)) setUpload({ step: 'checked', report });
    } catch (failure) {
      refuse(messageOf(failure, FAILED));
    }
  }

  /** Starts after the report, or continues after a failure. */
  async function add() {
    if (upload.step === 'checked') work.current.sent = 0;
    try {
      if (await send('adding', work.current.added)) finish();
    } catch (failure) {
      work.current.wasInterrupted = true;
      const { sent, items } = work.current;
      setUpload({ step: 'adding', sent, of: items.length, problem: messageOf(failure, FAILED) });
    }
  }

  function finish() {
    const { added, wasInterrupted } = work.current;
    work.current.added = { new: 0, known: 0 };
    // When the answer to a chunk was lost, the number of new items is unknown.
    const message = wasInterrupted
      ? 'All items added'
      : `${formatCount(added.new)} ${added.new === 1 ? 'item' : 'items'} added`;
    show({ type: 'success', message });
    setUpload({ step: 'entering' });
    void reloadDashboard();
    onDone();
  }

  const refuse = (problem: string) => setUpload({ step: 'entering', problem });
  return { upload, check, refuse, add: () => void add(), back: () => setUpload({ step: 'entering' }) };
}
