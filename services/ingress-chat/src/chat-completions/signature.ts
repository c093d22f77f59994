import { type Signature, type WireFormat, wireFormats } from '@model-gateway/canonical';

/**
 * A reasoning signature as a client keeps it: as it is where Anthropic's API made it, which is whose blocks these
 * are, and with its format's name before it otherwise, so that it goes back to no other vendor.
 */
export function writeSignature({ format, value }: Signature): string {
  return format === 'messages' ? value : `${format}:${value}`;
}

export function readSignature(text: string): Signature {
  const colon = text.indexOf(':');
  const format = wireFormats.find(name => name === text.slice(0, colon)) as WireFormat | undefined;
  return format ? { format, value: text.slice(colon + 1) } : { format: 'messages', value: text };
}
