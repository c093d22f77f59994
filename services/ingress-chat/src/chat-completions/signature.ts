import { type Signature, type WireFormat, wireFormats } from '@model-gateway/canonical';

/**
 * A reasoning signature as a client keeps it: as it is where Anthropic's API made it, which is whose blocks these
 * are, and with its format's name before it otherwise, so that it goes back to no other vendor.
 */
export function writeSignature({ format, value }: Signature): string {
  return format === 'messages' ? value : `${format}:${value}`;
}

export function readSignature(text: string): Signature {
  const format = tagOf(text);
  return format ? { format, value: text.slice(format.length + 1) } : { format: 'messages', value: text };
}

/** Whether {@link writeSignature} named a format in it. */
export function isTagged(text: unknown): boolean {
  return typeof text === 'string' && tagOf(text) !== undefined;
}

function tagOf(text: string): WireFormat | undefined {
  return wireFormats.find(name => text.startsWith(`${name}:`));
}
