const endings: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
};

/** Returns the name under which an image is downloaded. */
export function fileName({ type }: Blob, number: number): string {
  const ending = endings[type];
  return `image-${number}${ending ? `.${ending}` : ''}`;
}

/** Returns the kind and size of an image, such as `PNG · 12 kB`. */
export function kindAndSize({ type, size }: Blob): string {
  const kind = type.replace(/^image\//, '').replace('svg+xml', 'svg');
  const bytes = size < 1_000_000 ? `${Math.ceil(size / 1_000)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
  return [kind.toUpperCase(), bytes].filter(Boolean).join(' · ');
}
