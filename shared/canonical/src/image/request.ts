/** An image that a request brings along. */
export interface InputImage {
  mediaType: string;
  /** Base64. */
  data: string;
}

/** A request for images of a prompt, or of what it makes of others. */
export interface ImageRequest {
  prompt: string;
  /** How many images are wanted. */
  n?: number;
  /** The images that are edited, in order. */
  images?: InputImage[];
  /** Shows by its transparent places where the first image is edited. */
  mask?: InputImage;
  /** `1024x1024`: width and height in pixels. */
  size?: string;
  quality?: string;
  background?: string;
  /** Such as `png`. */
  outputFormat?: string;
  user?: string;
}
