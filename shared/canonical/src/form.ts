/** A content type that an endpoint may accept. */
export type BodyType = 'application/json' | 'multipart/form-data';

/** A file of a form; its bytes are sent separately. */
export interface FormFile {
  /** Name of the form field. */
  name: string;
  filename: string;
  mediaType: string;
  /** Size in bytes. */
  size: number;
}

/** A `multipart/form-data` body: its fields and its files, each in order. */
export interface Form {
  fields: [name: string, value: string][];
  files: FormFile[];
}
