import type { UsageSeries } from '@model-gateway/admin-api';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import type { TimeSpan } from '../layout/range.ts';

/** The filters that sums over time know, as the URL and the admin API name them. */
export const usageFilterNames = ['project', 'model', 'provider', 'token', 'owner', 'tag'] as const;
export type UsageFilterName = (typeof usageFilterNames)[number];
export type UsageFilters = Partial<Record<UsageFilterName, string>>;

/** Sums over time. `frame` or `span` is their time. */
interface SeriesAsked {
  filters: UsageFilters;
  by?: string | undefined;
  step: UsageSeries['step'];
  top?: number;
  span: TimeSpan;
  enabled?: boolean;
}

/** Reads sums over time. What was read last stays until other sums are there. */
export function useSeries({ filters, by, step, top, span, enabled = true }: SeriesAsked) {
  const query = {
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value)),
    ...span,
    ...(by && { by }),
    ...(top && { top: String(top) }),
    step,
  };
  return useQuery({
    queryKey: [ofUser, 'seriesUsage', query],
    queryFn: ({ signal }) => api.call('seriesUsage', { query, signal }),
    placeholderData: keepPreviousData,
    enabled,
  });
}
