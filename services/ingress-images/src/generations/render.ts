import { imagesRenderer } from '../images/render.ts';

export const generationsRenderer = (asked: Parameters<typeof imagesRenderer>[1]) =>
  imagesRenderer('image_generation.completed', asked);
