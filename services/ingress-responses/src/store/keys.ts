/** Returns the key of a stored object: the project, encoded for NATS subjects, and the id. */
export function keyOf(project: string, id: string): string {
  return `${ownerOf(project)}.${id}`;
}

/** Returns the subject token by which a project's stored bytes are counted. */
export function ownerOf(project: string): string {
  return Buffer.from(project).toString('base64url');
}

/** True if a text can be part of a key. */
export function isId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(id);
}

export function isResponse(id: string): boolean {
  return id.startsWith('resp_') && isId(id);
}

export function isConversation(id: string): boolean {
  return id.startsWith('conv_') && isId(id);
}

/** True for the id of an entry. Entries are keyed below their conversation, and are deleted with it. */
export function isEntry(id: string): boolean {
  const [conversation = '', entry = ''] = id.split('.');
  return isConversation(conversation) && isId(entry);
}
