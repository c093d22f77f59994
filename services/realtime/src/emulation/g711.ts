/*
 * ITU-T G.711, µ-law and A-law: 8 bits per sample on a logarithmic scale.
 */

export type Law = 'ulaw' | 'alaw';

const toLinear: Record<Law, Int16Array> = {
  ulaw: Int16Array.from({ length: 256 }, (_, code) => fromUlaw(code)),
  alaw: Int16Array.from({ length: 256 }, (_, code) => fromAlaw(code)),
};
/** Codes of all samples, indexed by sample + 32768. */
const toCode: Record<Law, Uint8Array> = { ulaw: codesOf(toUlaw), alaw: codesOf(toAlaw) };

function codesOf(encode: (sample: number) => number): Uint8Array {
  return Uint8Array.from({ length: 65_536 }, (_, at) => encode(at - 32_768));
}

export function decodeG711(bytes: Uint8Array, law: Law): Int16Array {
  const table = toLinear[law];
  const samples = new Int16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) samples[i] = table[bytes[i] as number] as number;
  return samples;
}

export function encodeG711(samples: Int16Array, law: Law): Buffer {
  const table = toCode[law];
  const bytes = Buffer.alloc(samples.length);
  for (let i = 0; i < samples.length; i++) bytes[i] = table[(samples[i] as number) + 32_768] as number;
  return bytes;
}

function fromUlaw(byte: number): number {
  const code = ~byte & 0xff;
  const magnitude = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4);
  return code & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
}

function toUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

function fromAlaw(byte: number): number {
  const code = byte ^ 0x55;
  const exponent = (code & 0x70) >> 4;
  const mantissa = ((code & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return code & 0x80 ? magnitude : -magnitude;
}

function toAlaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80;
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 32_635);
  const exponent = Math.max(0, 31 - Math.clz32(magnitude | 1) - 7);
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}
