import { noUsage, type Usage } from '@model-gateway/canonical';
import type { ConverseUpstreamUsage } from './upstream-answer.ts';

/** Reads usage. The gateway's input is the sum of the upstream's input counters, unless its total shows that they overlap. */
export function readUsage(raw: ConverseUpstreamUsage): Usage {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails } = raw;
  const [fresh, total] = [inputTokens ?? 0, raw.totalTokens ?? 0];
  const [read, written] = [cacheReadInputTokens ?? 0, cacheWriteInputTokens ?? 0];
  // Without the output, the total tells it.
  const output = outputTokens || (fresh > 0 ? Math.max(0, total - fresh - read - written) : 0);
  const overlaps = total === fresh + output;
  const details = cacheDetails ?? [];
  const hour = details.reduce(
    (sum, { ttl, inputTokens }) => sum + (ttl === '1h' ? (inputTokens ?? 0) : 0),
    0,
  );
  return {
    ...noUsage,
    input: overlaps ? fresh : fresh + read + written,
    cachedInput: read,
    cacheWrite5m: Math.max(0, written - hour),
    cacheWrite1h: Math.min(written, hour),
    output,
    raw,
  };
}
