import type { UsageSeries } from '@model-gateway/admin-api';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';
import type { TimeSpan } from '../layout/range.ts';
import { ofUser } from '../session/use-session.ts';
import type { Frame } from './points.ts';

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

/** Converts the time of a picture to that of a request. A frame that ends now has an end, so that its figures are those of one moment. */
export function spanOf({ from, to }: Frame): TimeSpan {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
