/** The audio of a session: samples of 16 bits in one channel, little-endian, at this rate. */
export const samplesPerSecond = 24_000;

/** Decodes base64 of 16-bit samples to samples between -1 and 1. An odd byte at the end is dropped. */
export function samplesOf(base64: string): Float32Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const samples = new Float32Array(bytes.length >> 1);
  for (let at = 0; at < samples.length; at++) samples[at] = view.getInt16(at * 2, true) / 0x8000;
  return samples;
}

/** Encodes bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
