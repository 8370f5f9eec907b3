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
  const work = useRef({ items: [] as string[], sent: 0, added: 0, wasInterrupted: false });
  const isUnmounted = useRef(false);

  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      // Closed before the end: show what was added until then.
      if (work.current.added > 0) void reloadDashboard();
    };
  }, [reloadDashboard]);

  /** Sends the remaining items chunk by chunk. Returns false when the dialog was closed meanwhile. */
  async function send(dryRun: boolean, onChunk: (report: InventoryReport) => void): Promise<boolean> {
    const { items } = work.current;
    while (work.current.sent < items.length && !isUnmounted.current) {
      const chunk = nextChunk(items, work.current.sent);
      const input = { params: { id: productId }, body: { items: chunk, dryRun } };
      const { data } = await call('POST /digital-products/:id/inventory', input);
      work.current.sent += chunk.length;
      onChunk(data.report);
    }
    return !isUnmounted.current;
  }

  async function check({ items, doubled, empty }: ReadItems) {
    const report = { new: 0, doubled, known: 0, empty };
    const of = items.length;
    work.current = { items, sent: 0, added: 0, wasInterrupted: false };
    setUpload({ step: 'checking', sent: 0, of });
    try {
      const isComplete = await send(true, (part) => {
        report.new += part.new;
        report.known += part.known;
        setUpload({ step: 'checking', sent: work.current.sent, of });
      });
      if (isComplete) setUpload({ step: 'checked', report });
    } catch (failure) {
      refuse(messageOf(failure, FAILED));
    }
  }

  async function add() {
    const of = work.current.items.length;
    const setSent = (problem?: string) =>
      setUpload({ step: 'adding', sent: work.current.sent, of, ...(problem && { problem }) });
    setSent();
    try {
      const isComplete = await send(false, (part) => {
        work.current.added += part.new;
        setSent();
      });
      if (isComplete) finish();
    } catch (failure) {
      work.current.wasInterrupted = true;
      setSent(messageOf(failure, FAILED));
    }
  }

  function finish() {
    const { added, wasInterrupted } = work.current;
    work.current.added = 0;
    // When the answer to a chunk was lost, the number of new items is unknown.
    const message = wasInterrupted
      ? 'All items added'
      : `${formatCount(added)} ${added === 1 ? 'item' : 'items'} added`;
    show({ type: 'success', message });
    setUpload({ step: 'entering' });
    void reloadDashboard();
    onDone();
  }

  const refuse = (problem: string) => setUpload({ step: 'entering', problem });
  return {
    upload,
    check,
    refuse,
    /** Starts after the report, or continues after a failure. */
    add: () => {
      if (upload.step === 'checked') work.current.sent = 0;
      void add();
    },
    back: () => setUpload({ step: 'entering' }),
  };
}
