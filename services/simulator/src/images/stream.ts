import type { Flow } from '../format.ts';
import { jsonText } from '../json-text.ts';
import type { Made, MadeImage } from './make.ts';
import type { ImagesAsked } from './parse.ts';
import { usageOf } from './usage.ts';
import { looks } from './whole.ts';

/** The images as events: what is shown before of each, and then it. What is in `before` stands before the first one's data. */
export function stream(asked: ImagesAsked, made: Made, before: string): Flow {
  const events = made.images.flatMap(image => eventsOf(asked, made, image, before));
  return {
    opening: [],
    beats: events.slice(0, -1).map(event => [event]),
    closing: events.slice(-1),
  };
}

function eventsOf(asked: ImagesAsked, made: Made, { whole, partials }: MadeImage, before: string): string[] {
  const name = `image_${asked.kind}`;
  const common = { created_at: made.created, ...looks(asked, made) };
  const shown = (image: Buffer) => ({ b64_json: before + image.toString('base64') });
  return [
    ...partials.map((partial, at) =>
      event(`${name}.partial_image`, { ...shown(partial), ...common, partial_image_index: at }),
    ),
    event(`${name}.completed`, { ...shown(whole), ...common, usage: usageOf(asked, made.size, 1) }),
  ];
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${jsonText({ type, ...fields })}\n\n`;
}
