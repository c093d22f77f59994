import { wrong } from '../openai-complaint.ts';
import type { Family } from './family.ts';

export interface Size {
  width: number;
  height: number;
}

export const usualSize: Size = { width: 1_024, height: 1_024 };
const step = 16;
const longest = 3_840;
const mostPixels = 3_840 * 2_160;
const mostRatio = 3;

/** A size that a model can make; null is one that it chooses itself. @throws Refusal */
export function readSize(said: string | null | undefined, { sizes }: Family): Size | null {
  if (said === null || said === undefined) return null;
  if (sizes && !sizes.includes(said)) throw invalid(said, sizes);
  if (said === 'auto') return null;
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(said)?.map(Number) ?? [];
  if (width === undefined || height === undefined) throw invalid(said, ['WIDTHxHEIGHT', 'auto']);
  if (!sizes) checkBounds(said, { width, height });
  return { width, height };
}

/** Whether an image of such a size can be made. */
export function isMade({ width, height }: Size): boolean {
  const edges = [width, height];
  return (
    edges.every(edge => edge >= step && edge <= longest && edge % step === 0) &&
    width * height <= mostPixels &&
    Math.max(...edges) <= mostRatio * Math.min(...edges)
  );
}

function checkBounds(said: string, size: Size): void {
  if (isMade(size)) return;
  throw wrong(
    `Invalid size '${said}'. Width and height must both be divisible by ${step} and no more than ${longest} pixels, the image no more than ${mostPixels} pixels, and its aspect ratio between 1:${mostRatio} and ${mostRatio}:1.`,
    'invalid_value',
    'size',
  );
}

function invalid(said: string, sizes: readonly string[]) {
  const shown = sizes.map(size => `'${size}'`);
  return wrong(
    `Invalid value: '${said}'. Supported values are: ${shown.slice(0, -1).join(', ')}, and ${shown.at(-1)}.`,
    'invalid_value',
    'size',
  );
}
