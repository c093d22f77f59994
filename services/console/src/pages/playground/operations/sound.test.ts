import { expect, test } from 'vitest';
import { wavHeader } from './sound.ts';

test('the header of a WAV file tells the rate and the length', () => {
  const header = wavHeader(1000);
  const view = new DataView(header.buffer);
  const text = new TextDecoder('latin1').decode(header);
  expect([text.slice(0, 4), text.slice(8, 16), text.slice(36, 40)]).toEqual(['RIFF', 'WAVEfmt ', 'data']);
  expect([view.getUint32(4, true), view.getUint32(24, true), view.getUint32(40, true)]).toEqual([
    1036, 24_000, 1000,
  ]);
});
