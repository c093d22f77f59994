/** A file of a form, whose bytes travel beside it. */
export interface FormFile {
  /** The field that it is in. */
  name: string;
  filename: string;
  mediaType: string;
  /** In bytes. */
  size: number;
}

/** What a client sent as `multipart/form-data`: the fields and the files, each in their order. */
export interface Form {
  fields: [name: string, value: string][];
  files: FormFile[];
}
