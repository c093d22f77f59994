/** The length and the speed of an answer, from the name of its model. */
export interface Pace {
  /** The exact number of text tokens; null leaves the text unchanged. */
  tokens: number | null;
  /** Milliseconds between two tokens. */
  intervalMs: number;
  /** Milliseconds before the first byte. */
  firstMs: number;
}

const usual: Pace = { tokens: null, intervalMs: 20, firstMs: 0 };
const maxTokens = 1_000_000;
const maxDelayMs = 600_000;
const slowFirstMs = 2_000;

/**
 * Reads the pace from the part of a model's name after its last `/`: `sim-fast`, `sim-slow` (200 ms a token), or pieces
 * as in `sim-t200-i10ms-f50ms`: tN tokens, iN{ms|s} between them (0 by default), fN{ms|s} before the first byte.
 * Names with `fault-` take the same pieces and have no delay by default. `fault-slow` waits 2 s before the first byte,
 * and `fault-slow-500ms` 500 ms. Any other name has 20 ms a token.
 */
export function paceOf(model: string): Pace {
  const [family, ...chunks] = model.slice(model.lastIndexOf('/') + 1).split('-');
  if (family !== 'sim' && family !== 'fault') return usual;
  const pieces = chunks.map(family === 'sim' ? readPiece : readFaultPiece).filter(chunk => chunk !== null);
  if (pieces.length === 0 && family === 'sim') return usual;
  return Object.assign({ tokens: null, intervalMs: 0, firstMs: 0 }, ...pieces);
}

function readFaultPiece(chunk: string): Partial<Pace> | null {
  const firstMs = chunk === 'slow' ? slowFirstMs : delayOf(chunk);
  return firstMs === null ? readPiece(chunk) : { firstMs };
}

function readPiece(chunk: string): Partial<Pace> | null {
  if (chunk === 'fast') return { intervalMs: 0 };
  if (chunk === 'slow') return { intervalMs: 200 };
  const [, letter, number, unit] = /^([tif])(\d+(?:\.\d+)?)(ms|s)?$/.exec(chunk) ?? [];
  if (letter === 't' && !unit) return { tokens: Math.min(Math.floor(Number(number)), maxTokens) };
  const delay = delayOf(`${number}${unit}`);
  if (letter === 't' || delay === null) return null;
  return letter === 'i' ? { intervalMs: delay } : { firstMs: delay };
}

/** Milliseconds of a delay such as `2s` or `500ms`, at most ten minutes; null for other text. */
export function delayOf(text: string): number | null {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? [];
  if (!number) return null;
  return Math.min(Number(number) * (unit === 's' ? 1_000 : 1), maxDelayMs);
}
