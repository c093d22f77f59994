/** A project's name as a subject can hold it, and the id. */
export function keyOf(project: string, id: string): string {
  return `${ownerOf(project)}.${id}`;
}

/** The token of a subject for whom what a project keeps is counted. */
export function ownerOf(project: string): string {
  return Buffer.from(project).toString('base64url');
}

/** Whether a text can be a part of a key. */
export function isId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(id);
}

export function isResponse(id: string): boolean {
  return id.startsWith('resp_') && isId(id);
}

export function isConversation(id: string): boolean {
  return id.startsWith('conv_') && isId(id);
}

/** Entries lie under their conversation, and go with it. */
export function isEntry(id: string): boolean {
  const [conversation = '', entry = ''] = id.split('.');
  return isConversation(conversation) && isId(entry);
}
