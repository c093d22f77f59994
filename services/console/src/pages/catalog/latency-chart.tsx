import { ScatterChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { UsageEntry } from '@model-gateway/admin-api';
import { formatMs, formatTime } from '../layout/format.ts';
import { hasFailed, recentMinutes } from './attempts.ts';

/** Attempts as dots over the last minutes: the time to the first token of those that were answered, and those that failed. */
export function LatencyChart({ attempts }: { attempts: readonly UsageEntry[] }) {
  const now = Date.now();
  const dots = (failed: boolean) =>
    attempts
      .filter(attempt => hasFailed(attempt) === failed && (failed || attempt.firstMs !== null))
      .map(({ at, firstMs, ms }) => ({ at: Date.parse(at), ms: (failed ? ms : firstMs) ?? 0 }));
  return (
    <ScatterChart
      h={160}
      role="img"
      aria-label={`Time to the first token over the last ${recentMinutes} minutes`}
      data={[
        { name: 'First token', color: 'indigo.5', data: dots(false) },
        { name: 'Failed after', color: 'red.6', data: dots(true) },
      ]}
      dataKey={{ x: 'at', y: 'ms' }}
      labels={{ x: 'At', y: 'Time' }}
      valueFormatter={{ x: clockAt, y: formatMs }}
      xAxisProps={{
        type: 'number',
        domain: [now - recentMinutes * 60_000, now],
        tickFormatter: clockAt,
        tickCount: 4,
      }}
      yAxisProps={{ tickFormatter: formatMs, width: 64 }}
      withLegend
    />
  );
}

function clockAt(at: number): string {
  return formatTime(new Date(at).toISOString()).split(', ').at(-1) ?? '';
}
