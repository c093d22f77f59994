import { cutOff, isEventStream, readEvents, readJson } from '../operation/read-answer.ts';
import type { Reading } from '../operation/use-run.ts';
import { imageEvent, imagesAnswer, type Made, madeOf, nothingMade, withEvent } from './answer.ts';

/**
 * Reads an answer with images, streamed or whole, and shows each image as it arrives.
 * @throws Problem if it is cut off, or has another shape
 */
export async function readImages(reading: Reading<Made>): Promise<Made> {
  if (!isEventStream(reading.response)) return madeOf(await readJson(reading, imagesAnswer));
  let made = nothingMade;
  for await (const event of readEvents(reading, imageEvent)) {
    made = withEvent(made, event);
    reading.show(made);
  }
  if (made.pictures.length === 0) throw cutOff('The stream ended before an image was complete.');
  // A partial image may arrive after the complete one.
  return { ...made, partial: undefined };
}
