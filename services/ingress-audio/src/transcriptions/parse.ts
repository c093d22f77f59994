import { type FormFile, GatewayError } from '@model-gateway/canonical';
import {
  invalidRequest,
  type ParsedOperation,
  type ReceivedForm,
  refuseMisplaced,
} from '@model-gateway/ingress';
import { type TranscriptionFormat, transcriptionRequest, translationRequest } from '@model-gateway/wire';
import { requireSameFormat } from '../own-format.ts';
import { objectOf } from './form-object.ts';
import { wavHead, wavSeconds } from './wav-seconds.ts';

/** @throws GatewayError of kind `invalid-request` */
export const parseTranscription = (form: ReceivedForm) => parse(form, transcriptionRequest);
/** @throws GatewayError of kind `invalid-request` */
export const parseTranslation = (form: ReceivedForm) => parse(form, translationRequest);

async function parse(
  form: ReceivedForm,
  schema: typeof transcriptionRequest | typeof translationRequest,
): Promise<ParsedOperation<TranscriptionFormat>> {
  const body = objectOf(form.fields);
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const file = fileOf(form);
  const { model, response_format: format } = data;
  const seconds = wavSeconds(await form.begin(file, wavHead), file.size);
  return {
    type: 'transcribe',
    model,
    stream: schema === transcriptionRequest && data.stream === true,
    ...(seconds !== undefined && { seconds }),
    canonical() {
      throw requireSameFormat(model);
    },
    rendering: format ?? 'json',
  };
}

/** Returns the file of a form. @throws GatewayError unless there is exactly one, with a name and content */
function fileOf(form: ReceivedForm): FormFile {
  const [file, ...more] = form.filesOf('file');
  if (!file)
    throw form.field('file') === undefined
      ? invalid('missing_required_parameter', "Missing required parameter: 'file'.")
      : invalid(
          'invalid_type',
          "Invalid type for 'file': expected a file with a name, but got text instead.",
        );
  if (more.length > 0) throw invalid('invalid_value', "Invalid 'file': expected one file, but got several.");
  if (file.filename === '') throw invalid('invalid_value', "Invalid 'file': it has no file name.");
  if (file.size === 0) throw invalid('invalid_value', "Invalid 'file': it is empty.");
  refuseMisplaced(form, name => name === 'file', ['file']);
  return file;
}

function invalid(code: string, message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param: 'file', code });
}
