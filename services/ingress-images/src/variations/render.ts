import { imagesRenderer } from '../images/render.ts';

/** Variations are never streamed: the name of the event is that of no stream. */
export const variationsRenderer = imagesRenderer('image_edit.completed', {});
