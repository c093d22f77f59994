import { expect, test } from 'vitest';
import { contradictedType, hasLineEnds, mendedDataUrl, typeOfBytes, withoutLineEnds } from './media.ts';

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');
const png = 'iVBORw0KGgoAAAANSUhEUg==';

test.each<[string, string | undefined]>([
  [png, 'image/png'],
  ['_9j_4AAQSkZJRg', 'image/jpeg'],
  [base64('GIF89a'), 'image/gif'],
  [base64('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  [base64('\0\0\0\x1cftypavif'), 'image/avif'],
  [base64('\0\0\0\x1cftypheic'), 'image/heic'],
  [base64('%PDF-1.7'), 'application/pdf'],
  [base64('RIFF\x10\0\0\0WAVEfmt '), 'audio/wav'],
  [base64('ID3\x04'), 'audio/mpeg'],
  [base64('OggS\0'), 'audio/ogg'],
  [base64('fLaC\0'), 'audio/flac'],
  [base64('\0\0\0\x1cftypM4A '), 'audio/mp4'],
  [base64('RIFF\x10\0\0\0AVI '), undefined],
  [base64('\xff\xfb\x90\x64'), undefined],
  [base64('plain text'), undefined],
  ['iVBO', undefined],
  ['', undefined],
])('the bytes %s are %s', (data, type) => {
  expect(typeOfBytes(data)).toBe(type);
});

test.each<[string | undefined, string, string | undefined]>([
  ['image/jpeg', png, 'image/png'],
  ['application/octet-stream', png, 'image/png'],
  [undefined, png, 'image/png'],
  ['image/png', png, undefined],
  ['text/plain', base64('%PDF-1.7'), 'application/pdf'],
  ['audio/mp3', base64('ID3\x04'), undefined],
  ['audio/x-wav', base64('RIFF\x10\0\0\0WAVEfmt '), undefined],
  ['audio/opus', base64('OggS\0'), undefined],
  ['audio/mpeg', base64('RIFF\x10\0\0\0WAVEfmt '), 'audio/wav'],
  ['image/svg+xml', base64('<svg/>'), undefined],
])('the type %s of the bytes %s is corrected to %s', (declared, data, type) => {
  expect(contradictedType(declared, data)).toBe(type);
});

test('line ends are removed from base64', () => {
  expect(withoutLineEnds('iVBO\r\nRw0K\n')).toBe('iVBORw0K');
  expect(withoutLineEnds(png)).toBe(png);
  expect([png, 'a\nb', 'a\rb'].map(hasLineEnds)).toEqual([false, true, true]);
});

test.each([
  [`data:image/jpeg;base64,${png}`, `data:image/png;base64,${png}`],
  [`data:;base64,${png}`, `data:image/png;base64,${png}`],
  [`data:image/png;base64,${png}`, `data:image/png;base64,${png}`],
  ['data:text/plain;charset=utf-8;base64,SGk=', 'data:text/plain;charset=utf-8;base64,SGk='],
  ['data:image/x;base64,iV\r\nBO', 'data:image/x;base64,iVBO'],
  ['data:text/plain,a%0Ab', 'data:text/plain,a%0Ab'],
  ['https://x.example/a', 'https://x.example/a'],
])('the data URL %s is sent as %s', (url, sent) => {
  expect(mendedDataUrl(url)).toBe(sent);
});
