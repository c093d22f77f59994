const prefix = 'unnamed_';

/** Makes an id for a call that came without one, so that its result can name it. It is not sent. */
export function ownId(place: number): string {
  return `${prefix}${place}`;
}

export function isOwnId(id: string): boolean {
  return id.startsWith(prefix);
}
