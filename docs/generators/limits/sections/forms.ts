import { tmpdir } from 'node:os';
import { GatewayError } from '@model-gateway/canonical';
import { systemClock } from '@model-gateway/clock';
import { maxInputImages } from '@model-gateway/formats';
import { refuseMisplaced } from '@model-gateway/formats/client';
import { ingressSettings } from '@model-gateway/ingress';
import { readSettings } from '@model-gateway/service';
import { filesOf } from '../../../../shared/formats/src/images/endpoint.ts';
import { ReceivedForm } from '../../../../shared/ingress/src/form/received.ts';
import { inMemory, Spool } from '../../../../shared/ingress/src/form/spool.ts';
import { MemoryBudget, TokenCount } from '../../../../shared/ingress/src/memory/budgets.ts';
import { tokenShares } from '../../../../shared/ingress/src/memory/token-shares.ts';
import {
  allFieldsCharacters,
  fieldBytes,
  filenameCharacters,
  mostFields,
  mostFiles,
  nameCharacters,
  readForm,
} from '../../../../shared/ingress/src/read/read-form.ts';
import type { Bound, Section } from '../bound.ts';
import { incoming } from '../incoming.ts';
import type { Settings } from '../settings.ts';
import { refusal, told } from '../told.ts';
import { count, size, time } from '../written.ts';
import { tooSlow } from './bodies.ts';

const defaults = readSettings(ingressSettings, {});
const upload = {
  bytes: defaults.GATEWAY_UPLOAD_LIMIT,
  bytesPerSecond: defaults.GATEWAY_BODY_RATE,
  ms: defaults.GATEWAY_UPLOAD_TIME,
  clock: systemClock,
};
const memoryBytes = defaults.GATEWAY_BODY_LIMIT;
const boundary = 'x';
const field = (name: string, value: string) => part(`name="${name}"`, value);
const file = (name: string, filename = 'a') => part(`name="${name}"; filename="${filename}"`, 'bytes');
const many = (length: number, written: string) => written.repeat(length);

function part(disposition: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
}

export async function forms(settings: Settings): Promise<Section> {
  return {
    title: 'Forms and uploads',
    intro:
      'Forms are for `/v1/audio/transcriptions`, `/v1/audio/translations`, `/v1/images/edits` and `/v1/images/variations`. The rate of a form is bounded like that of [any body](#bodies-on-the-wire).',
    bounds: [...(await sizes(settings)), ...(await contents())],
  };
}

async function sizes(settings: Settings): Promise<Bound[]> {
  return [
    {
      what: 'Size of an upload, decompressed',
      limit: size(settings.value('GATEWAY_UPLOAD_LIMIT')),
      setting: settings.name('GATEWAY_UPLOAD_LIMIT'),
      told: await refusedForm('', { 'content-length': `${upload.bytes + 1}` }),
    },
    {
      what: 'Time to send an upload',
      limit: time(settings.value('GATEWAY_UPLOAD_TIME')),
      setting: settings.name('GATEWAY_UPLOAD_TIME'),
      told: `${told(await tooSlow({ ...upload, bytesPerSecond: 0 }))} The connection is closed.`,
    },
    {
      what: `Uploads on the disk of a process, in total; files of up to ${size(inMemory)} of one form stay in memory`,
      limit: size(settings.value('GATEWAY_SPOOL_BUDGET')),
      setting: settings.name('GATEWAY_SPOOL_BUDGET'),
      told: await refusal(() =>
        new MemoryBudget(settings.value('GATEWAY_SPOOL_BUDGET'), unbounded())
          .share('a')
          .take(settings.value('GATEWAY_SPOOL_BUDGET') + 1),
      ),
    },
    {
      what: 'Space on the disk itself',
      limit: 'the disk of `GATEWAY_SPOOL`',
      setting: '`GATEWAY_SPOOL`',
      told: await refusal(withoutDisk),
    },
    {
      what: 'Files of a form for a provider that takes only JSON, in total',
      limit: size(settings.value('GATEWAY_BODY_LIMIT')),
      setting: settings.name('GATEWAY_BODY_LIMIT'),
      told: `the next target; if there is none, ${await refusal(largeFile)}`,
    },
  ];
}

async function contents(): Promise<Bound[]> {
  const most = count;
  return [
    {
      what: 'Fields of a form',
      limit: most(mostFields),
      told: await refusedForm(many(mostFields + 1, field('f', ''))),
    },
    {
      what: 'Files of a form',
      limit: most(mostFiles),
      told: await refusedForm(many(mostFiles + 1, file('f'))),
    },
    {
      what: 'Parts of a form',
      limit: most(mostFields + mostFiles),
      told: await refusedForm(many(mostFields + mostFiles + 2, `--${boundary}\r\nx: y\r\n\r\n\r\n`)),
    },
    {
      what: 'One field',
      limit: size(fieldBytes),
      told: await refusedForm(field('prompt', many(fieldBytes + 1, 'x'))),
    },
    {
      what: 'All fields, as JSON',
      limit: `${most(allFieldsCharacters)} characters`,
      told: await refusedForm(
        many(allFieldsCharacters / fieldBytes + 1, field('f', many(fieldBytes - 1, 'x'))),
      ),
    },
    {
      what: 'Name of a part',
      limit: `${most(nameCharacters)} characters`,
      told: await refusedForm(field(many(nameCharacters + 1, 'n'), '')),
    },
    {
      what: 'File name',
      limit: `${most(filenameCharacters)} characters`,
      told: await refusedForm(file('file', many(filenameCharacters + 1, 'n'))),
    },
    {
      what: 'Fields that take a file',
      limit: 'those of the endpoint',
      told: await refusal(() => refuseMisplaced(filesIn('document'), () => false, ['file'])),
    },
    {
      what: 'Images of an edit',
      limit: most(maxInputImages),
      told: await refusal(() =>
        filesOf(received(maxInputImages + 1), { maxImages: maxInputImages, others: ['mask'] }),
      ),
    },
    { what: 'Form', limit: 'whole', told: await refusedForm('', {}, '') },
  ];
}

function unbounded(): TokenCount {
  return new TokenCount(Number.POSITIVE_INFINITY, '');
}

/** The response to a form of these parts. */
function refusedForm(parts: string, headers = {}, end = `--${boundary}--\r\n`): Promise<string> {
  const body = parts + end;
  const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const request = incoming({ ...type, ...headers }, body === '' ? [] : [Buffer.from(body)]);
  const { bodies, uploads } = tokenShares(defaults);
  const room = {
    folder: tmpdir(),
    memory: new MemoryBudget(Number.POSITIVE_INFINITY, bodies).share('a'),
    disk: new MemoryBudget(Number.POSITIVE_INFINITY, uploads).share('a'),
  };
  return refusal(() => readForm(request, { upload, memoryBytes }, room, new AbortController().signal));
}

async function withoutDisk(): Promise<void> {
  const share = () => new MemoryBudget(Number.POSITIVE_INFINITY, unbounded()).share('a');
  const spool = new Spool({ folder: '/dev/null', memory: share(), disk: share() });
  await spool.append(Buffer.alloc(inMemory + 1));
  throw new GatewayError('internal', 'a file was made where there is no folder');
}

async function largeFile(): Promise<void> {
  const form = received(1, memoryBytes + 1);
  await form.read(form.files[0] as (typeof form.files)[0]);
}

function filesIn(name: string, length = 1, bytes = 1) {
  return { files: Array(length).fill({ name, filename: 'a', mediaType: 'image/png', size: bytes }) };
}

function received(images: number, bytes = 1): ReceivedForm {
  const share = new MemoryBudget(Number.POSITIVE_INFINITY, unbounded()).share('a');
  const spool = new Spool({ folder: tmpdir(), memory: share, disk: share });
  const form = { fields: [], ...filesIn('image', images, bytes) };
  return new ReceivedForm(form, spool, { memory: share, limit: memoryBytes });
}
