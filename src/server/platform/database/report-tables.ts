import type { Problem, ReportOutcome } from '../../../shared/problem-reports.ts';
import type { Defaulted } from './account-tables.ts';

/** What buyers report about delivered items. */
export interface ReportTables {
  problem_reports: {
    id: string;
    order_id: string;
    item_id: string;
    problem: Problem;
    opened_at: Date;
    /** Since when the buyer waits for an answer; null when the shop has written last. */
    waiting_since: Date | null;
    closed_at: Defaulted<Date | null>;
    outcome: Defaulted<ReportOutcome | null>;
  };
  report_messages: {
    id: string;
    report_id: string;
    /** The administrator who wrote it; null for the buyer. */
    user_id: string | null;
    key_id: string;
    nonce: Buffer;
    ciphertext: Buffer;
    has_picture: boolean;
    at: Date;
  };
  report_pictures: { message_id: string; key_id: string; nonce: Buffer; ciphertext: Buffer; at: Date };
}
