import { go as notation } from './literal.ts';

type Body = Record<string, unknown>;
type Writer = (value: unknown) => string | undefined;

const text = (value: unknown) => (typeof value === 'string' ? notation.text(value) : undefined);
const wrapped =
  (wrap: string, type: 'number' | 'string'): Writer =>
  value =>
    typeof value === type ? `${wrap}(${JSON.stringify(value)})` : undefined;
const plain: Writer = value => (typeof value === 'number' ? String(value) : text(value));

/**
 * Writes the fields of a Go struct; undefined if a field has no writer or a writer cannot write its value, as for what only the JSON
 * of the API can say. `names` are the struct's fields and writers by the fields of the body.
 */
export function structOf(
  body: Body,
  names: Record<string, [field: string, write: Writer]>,
): string | undefined {
  const lines = Object.entries(body)
    .filter(([name, value]) => name !== 'stream' && value !== undefined)
    .map(([name, value]) => {
      const [field, write] = names[name] ?? [];
      const written = write?.(value);
      return written === undefined ? undefined : `\t\t${field}: ${written},\n`;
    });
  return lines.includes(undefined) ? undefined : `{\n${lines.join('')}\t}`;
}

const scalar = (sdk: string) => ({
  number: wrapped(`${sdk}.Float`, 'number'),
  integer: wrapped(`${sdk}.Int`, 'number'),
  text: wrapped(`${sdk}.String`, 'string'),
});
const openai = scalar('openai');

/** The fields of a chat request whose messages are texts. */
export const chatFields: Record<string, [string, Writer]> = {
  model: ['Model', plain],
  messages: ['Messages', chatMessages],
  temperature: ['Temperature', openai.number],
  top_p: ['TopP', openai.number],
  max_tokens: ['MaxTokens', openai.integer],
  seed: ['Seed', openai.integer],
  presence_penalty: ['PresencePenalty', openai.number],
  frequency_penalty: ['FrequencyPenalty', openai.number],
  reasoning_effort: ['ReasoningEffort', plain],
};

/** The fields of a responses request whose input is one text. */
export const responsesFields: Record<string, [string, Writer]> = {
  model: ['Model', plain],
  instructions: ['Instructions', openai.text],
  input: ['Input', responsesInput],
  store: ['Store', value => (typeof value === 'boolean' ? `openai.Bool(${value})` : undefined)],
  temperature: ['Temperature', openai.number],
  top_p: ['TopP', openai.number],
  max_output_tokens: ['MaxOutputTokens', openai.integer],
};

/** The fields of a messages request whose messages are texts. */
export const messagesFields: Record<string, [string, Writer]> = {
  model: ['Model', plain],
  max_tokens: ['MaxTokens', plain],
  system: [
    'System',
    value => (typeof value === 'string' ? `[]anthropic.TextBlockParam{{Text: ${text(value)}}}` : undefined),
  ],
  messages: ['Messages', messagesOf],
  temperature: ['Temperature', wrapped('anthropic.Float', 'number')],
  top_p: ['TopP', wrapped('anthropic.Float', 'number')],
  top_k: ['TopK', wrapped('anthropic.Int', 'number')],
};

/** The fields of a generate-content configuration of numbers and texts. */
export const configFields: Record<string, [string, Writer]> = {
  systemInstruction: [
    'SystemInstruction',
    value =>
      typeof value === 'string' ? `genai.NewContentFromText(${text(value)}, genai.RoleUser)` : undefined,
  ],
  temperature: ['Temperature', wrapped('genai.Ptr[float32]', 'number')],
  topP: ['TopP', wrapped('genai.Ptr[float32]', 'number')],
  topK: ['TopK', wrapped('genai.Ptr[float32]', 'number')],
  maxOutputTokens: ['MaxOutputTokens', plain],
  seed: ['Seed', wrapped('genai.Ptr[int32]', 'number')],
};

interface Message {
  role: string;
  content: unknown;
}

const isTexts = (value: unknown): value is { role: string; content: string }[] =>
  Array.isArray(value) &&
  (value as Message[]).every(
    message => Object.keys(message).length === 2 && typeof message.content === 'string',
  );

const chatRoles: Record<string, string> = {
  system: 'SystemMessage',
  user: 'UserMessage',
  assistant: 'AssistantMessage',
};

function chatMessages(value: unknown): string | undefined {
  if (!isTexts(value) || value.some(({ role }) => !chatRoles[role])) return undefined;
  const lines = value.map(({ role, content }) => `\t\t\topenai.${chatRoles[role]}(${text(content)}),\n`);
  return `[]openai.ChatCompletionMessageParamUnion{\n${lines.join('')}\t\t}`;
}

const messageRoles: Record<string, string> = { user: 'NewUserMessage', assistant: 'NewAssistantMessage' };

function messagesOf(value: unknown): string | undefined {
  if (!isTexts(value) || value.some(({ role }) => !messageRoles[role])) return undefined;
  const lines = value.map(
    ({ role, content }) =>
      `\t\t\tanthropic.${messageRoles[role]}(anthropic.NewTextBlock(${text(content)})),\n`,
  );
  return `[]anthropic.MessageParam{\n${lines.join('')}\t\t}`;
}

function responsesInput(value: unknown): string | undefined {
  const only = singleInput(value);
  return only === undefined
    ? undefined
    : `responses.ResponseNewParamsInputUnion{OfString: openai.String(${text(only)})}`;
}

/** Returns the text of an input that is one text of the user; undefined for others. */
export function singleInput(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const [{ role, content, ...others }] = value as [Record<string, unknown>];
  if (role !== 'user' || Object.keys(others).length > 0) return undefined;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const [part] = content as [Record<string, unknown>];
  return part.type === 'input_text' && typeof part.text === 'string' ? part.text : undefined;
}
