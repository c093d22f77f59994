import type { Conversation } from '../stored/conversations.ts';

export function renderConversation({ id, created_at, metadata }: Conversation) {
  return { id, object: 'conversation', created_at, metadata };
}

export function renderDeleted(id: string) {
  return { id, object: 'conversation.deleted', deleted: true };
}
