const bias = 0x84;
const clip = 32_635;

/** Telephone audio: eight bits a sample, by which loud and quiet ones differ as the ear hears them (ITU-T G.711). */
export interface Law {
  encode(sample: number): number;
  decode(byte: number): number;
}

export const muLaw: Law = {
  encode(sample) {
    const sign = sample < 0 ? 0x80 : 0;
    const loudness = Math.min(Math.abs(sample), clip) + bias;
    const exponent = Math.max(31 - Math.clz32(loudness) - 7, 0);
    return ~(sign | (exponent << 4) | ((loudness >> (exponent + 3)) & 0x0f)) & 0xff;
  },
  decode(byte) {
    const flipped = ~byte & 0xff;
    const exponent = (flipped >> 4) & 7;
    const loudness = ((((flipped & 0x0f) << 3) + bias) << exponent) - bias;
    return flipped & 0x80 ? -loudness : loudness;
  },
};

export const aLaw: Law = {
  encode(sample) {
    const sign = sample < 0 ? 0 : 0x80;
    const loudness = Math.min(Math.abs(sample), clip) >> 3;
    const exponent = Math.max(31 - Math.clz32(loudness | 1) - 4, 0);
    const mantissa = (loudness >> Math.max(exponent, 1)) & 0x0f;
    return (sign | (exponent << 4) | mantissa) ^ 0x55;
  },
  decode(byte) {
    const flipped = byte ^ 0x55;
    const exponent = (flipped >> 4) & 7;
    const low = ((flipped & 0x0f) << 4) + 8;
    const loudness = exponent === 0 ? low : (low + 0x100) << (exponent - 1);
    return flipped & 0x80 ? loudness : -loudness;
  },
};
