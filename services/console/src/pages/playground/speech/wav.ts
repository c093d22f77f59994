/** Returns the header of a WAV file for samples of 16 bits in one channel, as speech in the format `pcm` has them. */
export function wavHeader(bytes: number, rate = 24_000): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(44));
  const text = (at: number, value: string) => {
    for (const [index, letter] of [...value].entries()) view.setUint8(at + index, letter.charCodeAt(0));
  };
  text(0, 'RIFF');
  view.setUint32(4, 36 + bytes, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, bytes, true);
  return new Uint8Array(view.buffer);
}
