import { formatTime } from './format.ts';

/** A time in the browser's time zone, in one line; an absent one is a dash. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return '–';
  return (
    <time dateTime={at} style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {formatTime(at)}
    </time>
  );
}
