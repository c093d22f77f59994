export { chatDialect } from '../chat/dialect.ts';
export { messagesDialect } from '../messages/dialect.ts';
export { speechDialect } from '../speech.ts';
export { transcriptionsDialect } from '../transcriptions/dialect.ts';
