/** An image sent with a request. */
export interface InputImage {
  mediaType: string;
  /** Base64. */
  data: string;
}

/** A request to generate images from a prompt, or to edit images. */
export interface ImageRequest {
  prompt: string;
  /** Number of images to generate. */
  n?: number;
  /** The images to edit, in order. */
  images?: InputImage[];
  /** An image whose transparent areas mark where the first image is edited. */
  mask?: InputImage;
  /** Width and height in pixels: `1024x1024`. */
  size?: string;
  quality?: string;
  background?: string;
  /** Such as `png`. */
  outputFormat?: string;
  user?: string;
}
