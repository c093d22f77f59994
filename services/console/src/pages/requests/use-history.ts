import type { RefusedEntry, UsageEntry } from '@model-gateway/admin-api';
import { useMemo, useState } from 'react';
import type { TimeSpan } from '../layout/range.ts';
import { type Records, useRecords } from '../layout/reading.ts';
import { JoinedRequests } from './attempts.ts';
import { askedRow, floorOf, type HistoryRow, joinRows, refusedRow } from './history-list.ts';

/** The outcome of requests that the gateway refused before it called a provider. */
export const refusedOutcome = 'refused';

/** Records in a first page of the lists. */
const pageSize = '200';

type Values = Record<string, string | undefined>;

/** Reads the requests of the past: those that reached a provider, and those that the gateway refused, as far as filters know them. */
export function useHistory(span: TimeSpan, values: Values): Records<HistoryRow> {
  const { outcome, error, provider, tag, endedBy, ...both } = values;
  const attempts = useRecords<UsageEntry>('listUsage', {
    query: { ...span, ...values, limit: pageSize },
    enabled: outcome !== refusedOutcome,
  });
  const refused = useRecords<RefusedEntry>('listRefused', {
    query: { ...span, ...both, reason: error, limit: pageSize },
    enabled: (!outcome || outcome === refusedOutcome) && !provider && !tag && !endedBy,
  });
  const [joined] = useState(() => new JoinedRequests());
  const records = useMemo(() => {
    const requests = joined.update(attempts.records);
    return joinRows([
      { rows: requests.map(askedRow), more: attempts.more },
      { rows: refused.records.map(refusedRow), more: refused.more },
    ]);
  }, [joined, attempts.records, attempts.more, refused.records, refused.more]);
  return {
    records,
    error: attempts.error ?? refused.error,
    loading: attempts.loading || refused.loading,
    more: attempts.more || refused.more,
    loadingMore: attempts.loadingMore || refused.loadingMore,
    loadMore() {
      // The list that ends first holds back rows of the other one.
      const floors = [attempts, refused].map(list => ({ list, floor: endOf(list) }));
      const [first] = floors.toSorted((a, b) => b.floor - a.floor);
      first?.list.loadMore();
    },
    reload() {
      attempts.reload();
      refused.reload();
    },
  };
}

function endOf({ records, more }: Records<{ at: string }>): number {
  const last = records.at(-1);
  const rows = last ? [{ at: Date.parse(last.at) } as HistoryRow] : [];
  return floorOf({ rows, more });
}
