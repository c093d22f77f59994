import { imagesRenderer } from '../images/render.ts';

export const editsRenderer = (asked: Parameters<typeof imagesRenderer>[1]) =>
  imagesRenderer('image_edit.completed', asked);
