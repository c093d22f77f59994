import type { Run } from '../operation/run.ts';
import { RunView } from '../operation/run-view.tsx';
import type { Made } from './answer.ts';
import { Gallery } from './gallery.tsx';
import { codeRequestOf } from './request.ts';

/** The images of a request as they arrive, with what they used and the code for the request. */
export function ImagesRun({
  run,
  secret,
  cost,
  onEdit,
}: {
  run: Run<Made>;
  secret: string;
  cost: number | null;
  /** Takes an image as the next one to edit. */
  onEdit(image: File): void;
}) {
  const { model, request, result } = run;
  const { usage, pictures = [] } = result ?? {};
  const code = codeRequestOf(request, model, window.location.origin);
  return (
    <RunView
      run={run}
      label="Images"
      code={code && { request: code, secret }}
      figures={[
        pictures.length > 0 && `${pictures.length} ${pictures.length === 1 ? 'image' : 'images'}`,
        usage && `${usage.input.toLocaleString()} tokens in, ${usage.output.toLocaleString()} out`,
      ]}
      cost={cost}
    >
      {result && <Gallery made={result} onEdit={onEdit} />}
    </RunView>
  );
}
