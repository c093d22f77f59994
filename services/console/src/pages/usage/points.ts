import type { SeriesStep } from '@model-gateway/admin-api';
import type { TimeSpan } from '../layout/range.ts';
import { addUp, type UsageRow, type UsageSums } from '../ledger/measures.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The steps of pictures, and their lengths in milliseconds. */
export const stepMs = { minute: minuteMs, hour: hourMs, day: dayMs } as const;
export type PictureStep = Exclude<SeriesStep, 'all'>;

/** The time of a picture: whole steps, of which the last may not be over yet. Times are milliseconds since 1970. */
export interface Frame {
  step: PictureStep;
  from: number;
  to: number;
}

/** Chooses the step for a span, and begins with a whole one. A span without a start begins a year ago. */
export function frameOf({ from, to }: TimeSpan, now: number): Frame {
  const end = to ? Date.parse(to) : now;
  const start = from ? Date.parse(from) : end - 365 * dayMs;
  // The clock goes on between the choice of a time and this.
  const ms = end - start - minuteMs;
  const step = ms <= 6 * hourMs ? 'minute' : ms <= 7 * dayMs ? 'hour' : 'day';
  return { step, from: Math.floor(start / stepMs[step]) * stepMs[step], to: end };
}

/** Returns the frame of as many steps before, up to the same part of the last one. */
export function frameBefore({ step, from, to }: Frame): Frame {
  const length = countOf({ step, from, to }) * stepMs[step];
  return { step, from: from - length, to: to - length };
}

/** Converts the time of a picture to that of a request. A frame that ends now has an end, so that its figures are those of one moment. */
export function spanOf({ from, to }: Frame): TimeSpan {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function countOf({ step, from, to }: Frame): number {
  return Math.max(1, Math.ceil((to - from) / stepMs[step]));
}

/** The sums of a step of a frame, by the keys of rows; `all` has those of every key. */
export interface Point {
  /** Start of the step, in milliseconds since 1970. */
  at: number;
  all: UsageSums;
  byKey: Map<string, UsageSums>;
}

/** Returns a text that is another one for each key, also for no key and for the joined ones. */
export function nameOfKey({ key, rest }: Pick<UsageRow, 'key' | 'rest'>): string {
  return rest ? 'rest' : key === null ? 'none' : `key:${key}`;
}

/** Sorts rows into the steps of a frame. A step without an attempt has sums of 0. */
export function pointsOf(rows: readonly UsageRow[], frame: Frame): Point[] {
  const length = stepMs[frame.step];
  const byStep = new Map<number, UsageRow[]>();
  for (const row of rows) {
    const place = Math.floor((Date.parse(row.start ?? '') - frame.from) / length);
    byStep.set(place, [...(byStep.get(place) ?? []), row]);
  }
  return Array.from({ length: countOf(frame) }, (_, place) => {
    const found = byStep.get(place) ?? [];
    return {
      at: frame.from + place * length,
      all: addUp(found),
      byKey: new Map(found.map(row => [nameOfKey(row), row])),
    };
  });
}
