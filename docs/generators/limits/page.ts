import type { Section } from './bound.ts';
import { admin } from './sections/admin.ts';
import { answers } from './sections/answers.ts';
import { bodies } from './sections/bodies.ts';
import { capacity } from './sections/capacity.ts';
import { connections } from './sections/connections.ts';
import { formats } from './sections/formats.ts';
import { forms } from './sections/forms.ts';
import { json } from './sections/json.ts';
import { realtime } from './sections/realtime.ts';
import { requestLogging } from './sections/request-logging.ts';
import { requests } from './sections/requests.ts';
import { setLimits } from './sections/set-limits.ts';
import { shares } from './sections/shares.ts';
import { stored } from './sections/stored.ts';
import { usage } from './sections/usage.ts';
import { webSockets } from './sections/web-sockets.ts';
import type { Settings } from './settings.ts';
import { writeTable } from './table.ts';

/** The sections in the order of the page. */
const sections: readonly ((settings: Settings) => Section | Promise<Section>)[] = [
  requests,
  setLimits,
  json,
  bodies,
  forms,
  formats,
  shares,
  connections,
  webSockets,
  capacity,
  stored,
  realtime,
  answers,
  usage,
  requestLogging,
  admin,
];

const opening = `<!-- Written by \`npm run docs\` from the code. Change the code or docs/generators/limits, not this file. -->

# Limits

Every request, connection and answer has a bound, so that no client can take what others need. Over a bound the client gets a clear
error, and never a crash or an endless wait.

Two kinds of bounds apply to a request. Those of **one token** keep one client from crowding out the others. Those of **one process**
keep the process alive, whichever client sends requests. Each process counts for itself: two replicas, or two fronts of \`npm start\`, take twice as
much.

The tables show the default of each bound, and the [setting](operations.md#settings) that changes it. A bound without a setting is
fixed. Sizes in MB are millions of bytes, sizes in MiB are 1024 × 1024 bytes.

The last column shows the status, the \`code\` and the message in the chat format, with the defaults in place. Other formats get the
same message with [codes of their own](errors.md). Once a stream has begun, an error is its last event. Numbers and names in a message are
examples or defaults: search this page for the words between them, or for the \`code\`.`;

/** All sections, with default values. */
export function sectionsOf(settings: Settings): Promise<Section[]> {
  return Promise.all(sections.map(section => section(settings)));
}

/** The whole page in Markdown. */
export function write(written: readonly Section[]): string {
  const contents = written.map(({ title }) => `- [${title}](#${anchorOf(title)})`).join('\n');
  return `${[opening, contents, ...written.map(writeSection)].join('\n\n')}\n`;
}

function writeSection({ title, intro, bounds }: Section): string {
  const rows = bounds.map(({ what, limit, setting = 'fixed', told }) =>
    [what, limit, setting, told].map(cell),
  );
  const table = writeTable([['what', 'default', 'setting', 'what the client gets'], ...rows]);
  return [`## ${title}`, ...(intro ? [intro] : []), table].join('\n\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
