import { go as notation } from './literal.ts';

/** Writes a value in Go; undefined if it cannot, as for what only the JSON of the API can say. */
type Writer = (value: unknown) => string | undefined;
type Fields = Record<string, [field: string, write: Writer]>;

/** Writes the fields of a Go struct by their names in the body; undefined if a field or its value cannot be written. */
export function structOf(body: Record<string, unknown>, fields: Fields): string | undefined {
  const lines = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const [field, write] = fields[name] ?? [];
      const written = write?.(value);
      return written === undefined ? undefined : `\t\t${field}: ${written},\n`;
    });
  return lines.includes(undefined) ? undefined : `{\n${lines.join('')}\t}`;
}

const text = (value: unknown) => (typeof value === 'string' ? notation.text(value) : undefined);
const plain: Writer = value => (typeof value === 'number' ? String(value) : text(value));
/** Wraps a value of a type in a call, such as `openai.Float(1)`. */
const as =
  (wrap: string, type: 'number' | 'string' | 'boolean' = 'number'): Writer =>
  value =>
    typeof value === type ? `${wrap}(${JSON.stringify(value)})` : undefined;

/** The fields of a chat request whose messages are texts. */
export const chatFields: Fields = {
  model: ['Model', plain],
  messages: [
    'Messages',
    messagesAs('openai.ChatCompletionMessageParamUnion', {
      system: said => `openai.SystemMessage(${said})`,
      user: said => `openai.UserMessage(${said})`,
      assistant: said => `openai.AssistantMessage(${said})`,
    }),
  ],
  temperature: ['Temperature', as('openai.Float')],
  top_p: ['TopP', as('openai.Float')],
  max_tokens: ['MaxTokens', as('openai.Int')],
  seed: ['Seed', as('openai.Int')],
  presence_penalty: ['PresencePenalty', as('openai.Float')],
  frequency_penalty: ['FrequencyPenalty', as('openai.Float')],
  reasoning_effort: ['ReasoningEffort', plain],
};

/** The fields of a responses request whose input is one text. */
export const responsesFields: Fields = {
  model: ['Model', plain],
  instructions: ['Instructions', as('openai.String', 'string')],
  input: ['Input', responsesInput],
  store: ['Store', as('openai.Bool', 'boolean')],
  temperature: ['Temperature', as('openai.Float')],
  top_p: ['TopP', as('openai.Float')],
  max_output_tokens: ['MaxOutputTokens', as('openai.Int')],
};

/** The fields of a messages request whose messages are texts. */
export const messagesFields: Fields = {
  model: ['Model', plain],
  max_tokens: ['MaxTokens', plain],
  system: ['System', wrapped('[]anthropic.TextBlockParam{{Text: ', '}}')],
  messages: [
    'Messages',
    messagesAs('anthropic.MessageParam', {
      user: said => `anthropic.NewUserMessage(anthropic.NewTextBlock(${said}))`,
      assistant: said => `anthropic.NewAssistantMessage(anthropic.NewTextBlock(${said}))`,
    }),
  ],
  temperature: ['Temperature', as('anthropic.Float')],
  top_p: ['TopP', as('anthropic.Float')],
  top_k: ['TopK', as('anthropic.Int')],
};

/** The fields of a generate-content configuration of numbers and texts. */
export const configFields: Fields = {
  systemInstruction: ['SystemInstruction', wrapped('genai.NewContentFromText(', ', genai.RoleUser)')],
  temperature: ['Temperature', as('genai.Ptr[float32]')],
  topP: ['TopP', as('genai.Ptr[float32]')],
  topK: ['TopK', as('genai.Ptr[float32]')],
  maxOutputTokens: ['MaxOutputTokens', plain],
  seed: ['Seed', as('genai.Ptr[int32]')],
};

/** The fields of the form of a transcription beside its file. */
export const transcriptionFields: Fields = {
  model: ['Model', plain],
  language: ['Language', wrapped('openai.String(', ')')],
  prompt: ['Prompt', wrapped('openai.String(', ')')],
  temperature: ['Temperature', value => `openai.Float(${value})`],
  response_format: ['ResponseFormat', plain],
  timestamp_granularities: [
    'TimestampGranularities',
    value => `[]string{${(value as string[]).map(each => notation.text(each)).join(', ')}}`,
  ],
};

/** Writes a text between other code. */
function wrapped(before: string, after: string): Writer {
  return value => (typeof value === 'string' ? before + text(value) + after : undefined);
}

interface Message {
  role: string;
  content: string;
}

/** Writes a list of messages that are texts of the roles. */
function messagesAs(type: string, roles: Record<string, (said: string) => string>): Writer {
  const isText = (message: Message) =>
    Object.keys(message).length === 2 && typeof message.content === 'string' && message.role in roles;
  return value => {
    if (!Array.isArray(value) || !(value as Message[]).every(isText)) return undefined;
    const lines = (value as Message[]).map(
      ({ role, content }) => `\t\t\t${roles[role]?.(notation.text(content))},\n`,
    );
    return `[]${type}{\n${lines.join('')}\t\t}`;
  };
}

function responsesInput(value: unknown): string | undefined {
  const only = singleInput(value);
  return only === undefined
    ? undefined
    : `responses.ResponseNewParamsInputUnion{OfString: openai.String(${text(only)})}`;
}

/** Returns the text of an input that is one text of the user; undefined for others. */
function singleInput(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const [{ role, content, ...others }] = value as [Record<string, unknown>];
  if (role !== 'user' || Object.keys(others).length > 0) return undefined;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const [part] = content as [Record<string, unknown>];
  return part.type === 'input_text' && typeof part.text === 'string' ? part.text : undefined;
}
