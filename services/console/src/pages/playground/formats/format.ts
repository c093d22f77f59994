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
  /** The sounds that the format takes. */
  sounds: 'all' | 'none' | 'WAV and MP3';
}

/** Returns the parameters that have a value, and that the format sends. */
export function sentSettings(
  { parameters }: Pick<WireFormat, 'parameters'>,
  settings: Settings,
): Pick<Partial<Settings>, ParameterName> {
  const isSent = (name: ParameterName) => {
    const { values } = parameters[name] ?? {};
    return parameters[name] && (!values || values.includes(settings[name] as Effort));
  };
  return Object.fromEntries(
    setNames(settings)
      .filter(isSent)
      .map(name => [name, settings[name]]),
  );
}

/** Returns the names of the parameters that have a value. */
export function setNames(settings: Settings): ParameterName[] {
  const isSet = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return parameterNames.filter(name => isSet(settings[name]));
}

/** Makes a request. Its body is without the fields that are undefined, so that the shown one is the one that is sent. */
export function wireRequest(path: string, header: string, body: object, more: object = {}): WireRequest {
  return {
    ...{ method: 'POST', path, headers: { 'content-type': 'application/json', ...more } },
    credential: { header, prefix: header === 'authorization' ? 'Bearer ' : '' },
    body: JSON.parse(JSON.stringify(body)),
  };
}

/** Returns the reason why a format cannot carry a file; undefined if it can. */
export function refusal({ name, sounds }: WireFormat, { kind, mediaType }: MediaPart): string | undefined {
  if (kind !== 'audio' || sounds === 'all') return undefined;
  if (sounds === 'none') return `The ${name} format takes no audio.`;
  const isTaken = /^audio\/((x-|vnd\.)?wave?|mpeg|mp3)$/.test(mediaType);
  return isTaken ? undefined : `The ${name} format takes audio as ${sounds}.`;
}
