import { noUsage, type Usage } from '@model-gateway/canonical';

/** What an answer of Cohere's tells of what it cost. */
export interface CohereMeta {
  billed_units?: { input_tokens?: unknown; total_tokens?: unknown; search_units?: unknown } | null;
  tokens?: { input_tokens?: unknown } | null;
}

/** What was used, in tokens, searches or both; null where neither is told. */
export function readCohereUsage(meta: CohereMeta | null | undefined): Usage | null {
  const { billed_units: billed, tokens } = meta ?? {};
  const input = [tokens?.input_tokens, billed?.input_tokens, billed?.total_tokens].find(isCount);
  const searches = [billed?.search_units].find(isCount);
  if (input === undefined && searches === undefined) return null;
  return { ...noUsage, input: input ?? 0, ...(searches !== undefined && { units: { searches } }), raw: meta };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}
