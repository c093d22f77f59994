export function renderRemoval(id: string) {
  return { id, object: 'response', deleted: true };
}
