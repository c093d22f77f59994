/** One image: its bytes in base64, or where it is for a while. */
export interface Image {
  data?: string;
  url?: string;
  mediaType: string;
  /** The prompt as the model has rewritten it. */
  revisedPrompt?: string;
}

/** The images that a request asked for. */
export interface ImageAnswer {
  type: 'images';
  images: Image[];
  /** How they were made, where the upstream says: `1024x1024`. */
  size?: string;
  quality?: string;
  background?: string;
}
