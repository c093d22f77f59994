import { z } from 'zod/mini';
import { conversation, noConversation } from '../conversation/conversation.ts';
import { formatNames, questionPart } from '../conversation/part.ts';
import { noSettings, settings } from '../conversation/settings.ts';

/** A conversation as it is kept and written to files: the turns, and how the next question is asked. The token is never in it. */
const saved = z.object({
  type: z.literal('model-gateway-conversation'),
  version: z.literal(1),
  /** Empty for the first model of the token. */
  model: z.string(),
  format: z.enum(formatNames),
  settings,
  conversation,
  /** Files that are attached to the question that is not sent yet. */
  attached: z.array(questionPart),
});
export type Saved = z.infer<typeof saved>;

export const nothingSaved: Saved = {
  type: 'model-gateway-conversation',
  version: 1,
  model: '',
  format: 'chat',
  settings: noSettings,
  conversation: noConversation,
  attached: [],
};

/** Reads what was kept in the browser; undefined if it cannot be used. */
export function parseKept(value: unknown): Saved | undefined {
  const parsed = saved.safeParse(value);
  return parsed.success && isTree(parsed.data) ? parsed.data : undefined;
}

/** The largest file of a conversation that is opened, in bytes. */
export const mostBytes = 64_000_000;

/** Reads the text of a file. @throws Error that says what is wrong with the file */
export function parseFile(text: string): Saved {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('The file is not JSON. Choose a file that the Playground has saved.');
  }
  const { type, version } = Object(value) as Partial<Saved>;
  if (type !== 'model-gateway-conversation')
    throw new Error('The file holds no conversation. Choose a file that the Playground has saved.');
  if (version !== 1)
    throw new Error(`The file has version ${version} of conversations, and this console reads version 1.`);
  const parsed = saved.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `The file is damaged at ${issue?.path.join('.') || 'its top'}. Save the conversation again.`,
    );
  }
  if (!isTree(parsed.data)) throw new Error('The file is damaged: its turns do not fit together.');
  return parsed.data;
}

/** True if ids rise and each parent is an earlier turn of the other side. */
function isTree({ conversation: { turns } }: Saved): boolean {
  const roles = new Map<number, string>();
  let last = 0;
  return turns.every(({ id, parent, role }) => {
    const fits = parent === null ? role === 'user' : roles.has(parent) && roles.get(parent) !== role;
    const rises = Number.isSafeInteger(id) && id > last;
    last = id;
    roles.set(id, role);
    return fits && rises;
  });
}
