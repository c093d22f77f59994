/** The counts of an attempt, by their columns. */
export const units = [
  'input',
  'cachedInput',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
  'images',
  'seconds',
  'characters',
  'searches',
] as const;
