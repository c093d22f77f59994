import type { AnswerEvent } from '../conversation/answer-event.ts';
import type { Sent } from '../conversation/history.ts';
import type { FormatName, MediaPart } from '../conversation/part.ts';
import type { Effort, ParameterName, Settings } from '../conversation/settings.ts';

/** What is asked of a model, in no format. */
export interface Ask {
  model: string;
  turns: readonly Sent[];
  settings: Settings;
}

/** A request as it is sent, but for the credential: the header's value is `prefix` and the token. */
export interface WireRequest {
  method: 'POST';
  path: string;
  headers: Record<string, string>;
  credential: { header: string; prefix: string };
  body: Record<string, unknown>;
}

/** An event of a stream as it came. */
export interface RawEvent {
  event?: string | undefined;
  data: string;
}

/** Reads the events of one stream, in order. */
export interface AnswerReader {
  /** @throws Problem for an error event, and for an event that cannot be parsed */
  read(event: RawEvent): AnswerEvent[];
  /** True once the answer is complete: a stream that ends before is cut off. */
  readonly complete: boolean;
}

/** The limits of a parameter in a format. */
export interface Bounds {
  min?: number;
  max?: number;
  step?: number;
  /** Only these values can be said. */
  values?: readonly Effort[];
  /** The most entries of a list. */
  most?: number;
}

/** A wire format: it builds requests of conversations and reads the streams that answer them, as any client does. */
export interface WireFormat {
  name: FormatName;
  label: string;
  build(ask: Ask): WireRequest;
  reader(): AnswerReader;
  /** The parameters that the format has; the others are not sent. */
  parameters: Partial<Record<ParameterName, Bounds>>;
  /** The reason why the format cannot carry a file; undefined if it can. */
  refuses(media: MediaPart): string | undefined;
}

/** Returns a value if the format has the parameter. */
export function sentIf<Name extends ParameterName>(
  { parameters }: Pick<WireFormat, 'parameters'>,
  settings: Settings,
  name: Name,
): Settings[Name] | undefined {
  const bounds = parameters[name];
  const value = settings[name];
  if (!bounds || (Array.isArray(value) && value.length === 0)) return undefined;
  if (bounds.values && !bounds.values.includes(value as Effort)) return undefined;
  return value;
}

/** Returns the parameters that have a value which the format does not send. */
export function unsent(format: Pick<WireFormat, 'parameters'>, settings: Settings): ParameterName[] {
  const set = Object.keys(settings) as (keyof Settings)[];
  return set.filter((name): name is ParameterName => {
    const value = settings[name as ParameterName];
    if (!isParameter(name) || value === undefined || (Array.isArray(value) && value.length === 0))
      return false;
    return sentIf(format, settings, name) === undefined;
  });
}

const others = new Set<string>(['system', 'tools', 'toolChoice', 'output', 'outputSchema', 'outputName']);

function isParameter(name: string): name is ParameterName {
  return !others.has(name);
}

/** Returns an object without the fields that are undefined, so that the shown body is the one that is sent. */
export function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export function dataUrl({ mediaType, data }: MediaPart): string {
  return `data:${mediaType};base64,${data}`;
}

/** Parses the arguments of a call for a format that has them as an object. */
export function parsedArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : { value };
  } catch {
    return { _raw: text };
  }
}

/** Decodes base64 of UTF-8 text. */
export function textFromBase64(data: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(data), letter => letter.charCodeAt(0)));
}

/** The text of a tool result for a format that has no field for errors. */
export function resultText({ text, isError }: { text: string; isError: boolean }): string {
  return isError ? `Error: ${text}` : text;
}

/** Formats in which a sound is sent; undefined for others. */
export function soundFormat({ mediaType }: MediaPart): 'wav' | 'mp3' | undefined {
  if (/^audio\/(x-|vnd\.)?wave?$/.test(mediaType)) return 'wav';
  return /^audio\/(mpeg|mp3)$/.test(mediaType) ? 'mp3' : undefined;
}
