import { expect, test } from 'vitest';
import { withFiles } from './files.ts';
import { Expression } from './literal.ts';

const data = 'QUJD'.repeat(200);
const read = (name: string, before: string) => `${before}<${name}>`;

test('attachments of each format are read from files, the same one once', () => {
  const body = {
    url: `data:image/png;base64,${data}`,
    source: { media_type: 'image/png', data },
    file: { filename: 'report.pdf', file_data: `data:application/pdf;base64,${data}AAAA` },
    sound: { data: `${data}BBBB`, format: 'wav' },
    short: 'QUJD',
    text: 'long text '.repeat(100),
  };
  const { body: changed, files } = withFiles(body, read);
  expect(changed).toEqual({
    ...body,
    url: new Expression('data:image/png;base64,<attachment.png>'),
    source: { media_type: 'image/png', data: new Expression('<attachment.png>') },
    file: { filename: 'report.pdf', file_data: new Expression('data:application/pdf;base64,<report.pdf>') },
    sound: { data: new Expression('<attachment.wav>'), format: 'wav' },
  });
  expect(files.map(({ name }) => name)).toEqual(['attachment.png', 'report.pdf', 'attachment.wav']);
});

test('files have names of their own', () => {
  const { files } = withFiles([`data:image/png;base64,${data}`, `data:image/png;base64,${data}CCCC`], read);
  expect(files.map(({ name }) => name)).toEqual(['attachment.png', 'attachment-2.png']);
});
