import { numberOr, type Schema, typeOf } from './schema.ts';

/** A number that a schema allows: `asked` if it does, else the one nearest to `likely`. */
export function numberFor(schema: Schema, asked: number | undefined, likely: number): number {
  const whole = typeOf(schema) === 'integer';
  const step = numberOr(schema.multipleOf, whole ? 1 : 0);
  const gap = step || 0.001;
  const low = Math.max(
    numberOr(schema.minimum, -Infinity),
    numberOr(schema.exclusiveMinimum, -Infinity) + gap,
  );
  const high = Math.min(
    numberOr(schema.maximum, Infinity),
    numberOr(schema.exclusiveMaximum, Infinity) - gap,
  );
  if (asked !== undefined && asked >= low && asked <= high && (!step || asked % step === 0)) return asked;
  const near = Math.min(Math.max(likely, low), high);
  if (!step) return near;
  const up = Math.ceil(near / step) * step;
  return up <= high ? up : Math.floor(near / step) * step;
}
