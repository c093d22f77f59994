import type { Sent } from '../conversation/history.ts';
import type { FormatName, MediaPart } from '../conversation/part.ts';
import { type Effort, type ParameterName, parameterNames, type Settings } from '../conversation/settings.ts';
import type { AnswerReader } from './answer-reader.ts';

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
  const { values } = parameters[name] ?? {};
  const value = settings[name];
  const isSent = parameters[name] && isSet(value) && (!values || values.includes(value as Effort));
  return isSent ? value : undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** Returns the parameters that have a value which the format does not send. */
export function unsent(format: Pick<WireFormat, 'parameters'>, settings: Settings): ParameterName[] {
  return parameterNames.filter(name => isSet(settings[name]) && sentIf(format, settings, name) === undefined);
}

/** Makes a request. Its body is without the fields that are undefined, so that the shown one is the one that is sent. */
export function wireRequest(path: string, header: string, body: object, more: object = {}): WireRequest {
  return {
    ...{ method: 'POST', path, headers: { 'content-type': 'application/json', ...more } },
    credential: { header, prefix: header === 'authorization' ? 'Bearer ' : '' },
    body: JSON.parse(JSON.stringify(body)),
  };
}

export function dataUrl({ mediaType, data }: MediaPart): string {
  return `data:${mediaType};base64,${data}`;
}

/** Makes the refusal of sounds that a format of OpenAI's does not take. */
export function refusesSounds(label: string): WireFormat['refuses'] {
  return ({ kind, mediaType }) =>
    kind === 'audio' && !/^audio\/((x-|vnd\.)?wave?|mpeg|mp3)$/.test(mediaType)
      ? `The ${label} format takes audio as WAV and MP3.`
      : undefined;
}
