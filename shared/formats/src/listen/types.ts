/*
 * Transcription of audio by Deepgram's `POST /v1/listen`, from its SDK (@deepgram/sdk 5.13,
 * MediaTranscribeRequestOctetStream and ListenV1Response).
 */

/** The query of a request, whose body is the audio. */
export interface ListenQueryParams {
  model: string;
  /** Punctuation, capitals, numbers and paragraphs. */
  smart_format?: true;
  /** A BCP 47 tag. Default: `en`. */
  language?: string;
  detect_language?: true;
  utterances?: true;
  diarize?: true;
  /** Expected words, of the third generation of Nova. */
  keyterm?: string[];
  /** Expected words, of earlier models. */
  keywords?: string[];
}

/** A word. The models that add punctuation repeat the word with it. */
export interface ListenWord {
  word?: string;
  punctuated_word?: string;
  start?: number;
  end?: number;
}

/** A part of the audio without a pause, by one speaker. */
export interface ListenUtterance {
  start?: number;
  end?: number;
  transcript?: string;
  /** The number of the speaker, from 0. */
  speaker?: number;
}

/** The fields of an answer that are read. */
export interface ListenAnswer {
  metadata?: { duration?: number };
  results?: {
    channels?: {
      detected_language?: string;
      alternatives?: { transcript?: string; words?: ListenWord[] }[];
    }[];
    utterances?: ListenUtterance[];
  };
}
