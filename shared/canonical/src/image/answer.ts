/** One image: its bytes as base64, or a temporary URL. */
export interface Image {
  data?: string;
  url?: string;
  mediaType: string;
  /** The prompt as the model rewrote it. */
  revisedPrompt?: string;
}

/** The requested images. */
export interface ImageAnswer {
  type: 'images';
  images: Image[];
  /** Settings of the images, if the upstream reports them; a size is `1024x1024`. */
  size?: string;
  quality?: string;
  background?: string;
}
